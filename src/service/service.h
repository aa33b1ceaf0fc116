#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "service/campaign_definition.h"
#include "service/campaign_status.h"
#include "service/requests.h"
#include "updraft/ids.h"

namespace updraft {

/// No such campaign, or no such decision.
class NotFound : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// It cannot be written now; nothing was changed.
class Unavailable : public std::runtime_error {
 public:
  Unavailable(const std::string& what, bool disk_full)
      : std::runtime_error(what), disk_full_(disk_full) {}
  bool disk_full() const { return disk_full_; }

 private:
  bool disk_full_;
};

class EventStore;
struct VariableQuery;

/// What a state looked like.
struct CampaignView {
  std::uint64_t state_version = 0;
  std::string tag;     ///< differs from that of every other state, of other services too
  std::string report;  ///< JSON
};

struct DecisionAnswer {
  std::string id;
  DecisionStatus status = DecisionStatus::kOutstanding;
  std::uint64_t state_version = 0;    ///< events that the decision was made from
  ActionId action = 0;                ///< of plain and contextual policies
  std::optional<double> index;        ///< the same; absent if it was infinite
  std::vector<Treatment> treatments;  ///< targeted campaigns, one per individual
  std::optional<double> probability;  ///< Decided::probability
};

struct PayoffsAnswer {
  std::string id;
  DecisionStatus status = DecisionStatus::kOutstanding;
  std::uint64_t state_version = 0;  ///< events when these payoffs had been taken
};

struct ServiceOptions {
  std::filesystem::path store;
  bool group_commits = true;              ///< the writes of concurrent requests go into one commit
  std::uint64_t snapshot_every = 10'000;  ///< events of a campaign
  std::size_t most_campaigns = 1000;
  std::size_t most_outstanding = 1'000'000;  ///< decisions of a campaign
  /// Milliseconds since 1970; the system's clock unless given.
  std::function<std::int64_t()> clock = {};
};

/// For /metrics.
struct ServiceGauges {
  std::uint64_t commits = 0;
  std::uint64_t writes = 0;  ///< events, snapshots and campaigns that were committed
  std::uint64_t failed_commits = 0;
  std::uint64_t queued = 0;     ///< writes that wait for a commit now
  double commit_seconds = 0.0;  ///< spent in commits
  std::vector<CampaignGauges> campaigns;
};

/// Live campaigns with their store: what an answer says was done is on disk. Safe for use by many
/// threads. docs/service.md has the contract of each call.
///
/// Throws InvalidInput, NotFound, Conflict and Unavailable; then nothing was changed.
class Service {
 public:
  /// Opens the store, makes it if there is none, and rebuilds every campaign from its last
  /// snapshot and the events since. Throws std::runtime_error that says what is wrong with the
  /// store and what can be done.
  explicit Service(ServiceOptions options);
  /// The same with a store that is open.
  Service(ServiceOptions options, std::unique_ptr<EventStore> store);
  ~Service();

  /// False if the same campaign was there already.
  bool create(const CampaignDefinition& definition);
  /// Changes nothing if it is stopped.
  void stop(std::string_view campaign);

  /// Throws NotFound. Definitions never change, and campaigns are never removed.
  const CampaignDefinition& definition(std::string_view campaign) const;

  DecisionAnswer decide(std::string_view campaign, const DecisionRequest& request);
  PayoffsAnswer pay(std::string_view campaign, std::string_view decision, const PayoffPart& part);
  DecisionAnswer decision(std::string_view campaign, std::string_view decision) const;

  /// As docs/service.md shows them.
  nlohmann::json list() const;
  nlohmann::json show(std::string_view campaign) const;
  nlohmann::json report(std::string_view campaign) const;
  nlohmann::json history(std::string_view campaign) const;
  nlohmann::json variables(std::string_view campaign, const VariableQuery& query) const;

  /// The report without the time, and with numbers in place of sets, for many to look at again and
  /// again: it may be a little old where it is dear to make.
  std::shared_ptr<const CampaignView> view(std::string_view campaign) const;

  /// Milliseconds since 1970, by the clock that events have their times from.
  std::int64_t now_ms() const;

  /// Counts as lost what has waited for too long. To be called now and then.
  void sweep();

  ServiceGauges gauges() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace updraft

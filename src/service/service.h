#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "service/campaign_definition.h"
#include "service/campaign_status.h"
#include "service/requests.h"
#include "store/store_node.h"
#include "updraft/action_roster.h"
#include "updraft/ids.h"

namespace updraft {

/// No such campaign, or no such decision.
class NotFound : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What is kept of a campaign cannot be used: it is damaged, or does not fit into memory. Others
/// are not concerned.
class Quarantined : public std::runtime_error {
 public:
  Quarantined(std::string_view campaign, std::string_view reason);
};

/// It cannot be written now. Nothing was changed, unless the text says that this is unknown.
class Unavailable : public std::runtime_error {
 public:
  Unavailable(const std::string& what, bool disk_full)
      : std::runtime_error(what), disk_full_(disk_full) {}
  bool disk_full() const { return disk_full_; }

 private:
  bool disk_full_;
};

/// Another node serves the campaign.
class Elsewhere : public std::runtime_error {
 public:
  Elsewhere(const std::string& what, std::string address)
      : std::runtime_error(what), address_(std::move(address)) {}
  /// Of that node.
  const std::string& address() const { return address_; }

 private:
  std::string address_;
};

class EventStore;
struct EventQuery;
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
  std::uint64_t state_version = 0;        ///< events that the decision was made from
  ActionId action = 0;                    ///< of plain and contextual policies
  std::optional<double> index;            ///< the same; absent if it was infinite
  std::vector<Treatment> treatments;      ///< targeted campaigns, one per individual
  std::optional<double> probability;      ///< Decided::probability
  std::optional<ActionId> proposal = {};  ///< Decided::proposal
  bool by_caller = false;
  bool held_out = false;
  bool probe = false;
};

struct PayoffsAnswer {
  std::string id;
  DecisionStatus status = DecisionStatus::kOutstanding;
  std::uint64_t state_version = 0;  ///< events when these payoffs had been taken
};

struct HistoryAnswer {
  std::string batch;
  std::uint64_t rounds = 0;
  std::uint64_t state_version = 0;  ///< events when these rounds had been taken
};

/// What an answer waits for.
struct Commit {
  std::uint64_t ticket = 0;  ///< 0: nothing
};

struct ServiceOptions {
  std::string store;                      ///< a file, or postgresql://...
  StoreNode node = {};                    ///< of a store in PostgreSQL
  bool group_commits = true;              ///< the writes of concurrent requests go into one commit
  std::uint64_t snapshot_every = 10'000;  ///< events of a campaign
  std::size_t most_campaigns = 1000;      ///< that are not archived
  /// Milliseconds after which the events of an archived campaign are dropped; absent: never.
  std::optional<std::int64_t> keep_events_ms = {};
  /// Milliseconds after which the events of complete decisions of a campaign that goes on are
  /// dropped, behind a snapshot; absent: never.
  std::optional<std::int64_t> compact_after_ms = {};
  std::size_t most_outstanding = 1'000'000;  ///< decisions of a campaign
  /// Of all campaigns together, as CampaignCost estimates it.
  std::uint64_t most_bytes = std::uint64_t{8} << 30;
  /// Milliseconds since 1970; a ServiceClock unless given.
  std::function<std::int64_t()> clock = {};
  /// Told what an operator should know: failed commits, quarantined campaigns.
  std::function<void(const std::string&)> log = {};
};

/// For /metrics.
struct ServiceGauges {
  std::uint64_t commits = 0;
  std::uint64_t writes = 0;  ///< events, snapshots and campaigns that were committed
  std::uint64_t failed_commits = 0;
  std::uint64_t queued = 0;       ///< writes that wait for a commit now
  double commit_seconds = 0.0;    ///< spent in commits
  std::uint64_t quarantined = 0;  ///< campaigns
  std::uint64_t archived = 0;     ///< campaigns, which `campaigns` leaves out
  std::uint64_t bytes = 0;        ///< that campaigns take, as CampaignCost estimates it
  std::vector<CampaignGauges> campaigns;
};

/// Live campaigns with their store: what an answer says was done is on disk. Safe for use by many
/// threads. docs/service.md has the contract of each call.
///
/// A campaign that cannot be rebuilt is quarantined: calls about it throw Quarantined, and all
/// others go on.
///
/// If the store has other writers, a campaign is taken over from one that is gone when it is asked
/// for, and calls about a campaign of one that is there throw Elsewhere.
///
/// Throws InvalidInput, NotFound, Conflict, Quarantined, Unavailable and Elsewhere; then nothing
/// was changed.
class Service {
 public:
  /// Opens the store, makes it if there is none, and rebuilds every campaign from its last
  /// snapshot and the events since. Throws std::runtime_error that says what is wrong with the
  /// store and what can be done.
  explicit Service(ServiceOptions options);
  /// The same with a store that is open.
  Service(ServiceOptions options, std::unique_ptr<EventStore> store);
  ~Service();

  // `by` is the name of who asks, which is kept with the event; empty if there are no names.

  /// False if the same campaign was there already.
  bool create(const CampaignDefinition& definition, std::string_view by = {});
  /// Changes nothing if it is stopped.
  void stop(std::string_view campaign, std::string_view by = {});

  /// Ends the shadow mode; changes nothing if it is live.
  void go_live(std::string_view campaign, std::string_view by = {});

  /// Pauses, resumes or retires an action; changes nothing if it has that status. Returns the
  /// number of events after that.
  std::uint64_t set_status(std::string_view campaign, ActionId action, ActionStatus status,
                           std::string_view by = {});

  /// Stops it, keeps its report and history, and takes it out of memory; changes nothing if it is
  /// archived. Then its decisions can neither be made nor paid (Conflict).
  void archive(std::string_view campaign, std::string_view by = {});
  /// One that is archived or quarantined. Its name is free again.
  void remove(std::string_view campaign, std::string_view by = {});

  /// Throws NotFound, Quarantined, and Conflict if it is archived. Definitions never change.
  std::shared_ptr<const CampaignDefinition> definition(std::string_view campaign) const;

  // With `later` these do not wait for the disk: the answer may be given when when_kept() says
  // so, and not before.
  DecisionAnswer decide(std::string_view campaign, const DecisionRequest& request,
                        std::string_view by = {}, Commit* later = nullptr);
  /// All decisions of a batch or none, in one commit.
  std::vector<DecisionAnswer> decide_batch(std::string_view campaign,
                                           const DecisionRequest& request, std::string_view by = {},
                                           Commit* later = nullptr);
  PayoffsAnswer pay(std::string_view campaign, std::string_view decision, PayoffPart part,
                    std::string_view by = {}, Commit* later = nullptr);
  /// Calls `done` once: with null if it is on disk, else with the answer to give instead. Now, or
  /// later in another thread, which must not be held up.
  void when_kept(Commit commit, std::function<void(const Unavailable*)> done);
  DecisionAnswer decision(std::string_view campaign, std::string_view decision) const;
  /// Lets the policy learn from past rounds, before its first decision.
  HistoryAnswer learn_past(std::string_view campaign, const HistoryRequest& request,
                           std::string_view by = {});

  /// As docs/service.md shows them.
  nlohmann::json list(bool archived = false) const;
  nlohmann::json show(std::string_view campaign) const;
  nlohmann::json report(std::string_view campaign) const;
  nlohmann::json history(std::string_view campaign) const;
  /// Those that are on disk.
  nlohmann::json events(std::string_view campaign, const EventQuery& query) const;
  nlohmann::json decisions(std::string_view campaign, const EventQuery& query) const;
  nlohmann::json variables(std::string_view campaign, const VariableQuery& query) const;

  /// The report without the time, and with numbers in place of sets, for many to look at again and
  /// again: it may be a little old where it is dear to make.
  std::shared_ptr<const CampaignView> view(std::string_view campaign) const;

  /// Milliseconds since 1970, by the clock that events have their times from.
  std::int64_t now_ms() const;

  /// Counts as lost what has waited for too long, drops and removes old events of archived
  /// campaigns, and logs if the system's clock was set. To be called now and then.
  void sweep();

  /// Writes the snapshots of large states that are due, and drops old events of campaigns that go
  /// on. To be called now and then: it takes long, and holds up nobody.
  void tend(const std::stop_token& stop = {});

  /// Takes over some campaigns whose node is gone. To be called now and then.
  void adopt();

  /// Reads all of the store, and quarantines what is damaged. To be called now and then: it takes
  /// long, and holds up nobody.
  void scrub();

  /// False once the disk has failed to keep a commit: then the process must end.
  bool trusts_store() const;

  /// Never waits for a request.
  ServiceGauges gauges() const;

  /// Names and addresses of the other nodes that share the store and are there.
  std::vector<std::pair<std::string, std::string>> other_nodes() const;

  /// Names and reasons.
  std::vector<std::pair<std::string, std::string>> quarantined() const;

 private:
  friend class NewPlace;
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace updraft

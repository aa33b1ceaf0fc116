#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "store/event_store.h"
#include "store/pq.h"
#include "store/store_node.h"

namespace updraft {

/// Which campaigns this node may write, and how far their events reach. The row of a campaign in
/// updraft.leases has the epoch, which every claim raises and every write compares. So only the one
/// who claimed last can write, whatever clocks say: they only decide who may try to claim.
class PostgresLeases {
 public:
  using Clock = std::chrono::steady_clock;
  struct Lease {
    std::int64_t epoch = 0;
    StoreHead head;
    Clock::time_point sent = {};  ///< the claim
    /// Whether nobody can have claimed it since, as long as the row of this node is renewed in
    /// time.
    bool firm = false;
  };
  using Log = std::function<void(const std::string&)>;

  PostgresLeases(std::string url, StoreNode node, Log log);
  /// Gives all campaigns free for others at once.
  ~PostgresLeases();

  const StoreNode& node() const { return node_; }

  /// Throws CampaignElsewhere if another node has it and is alive, StoreError else; also if it
  /// would take the campaign over and the tables have become newer than this program knows them.
  void claim(const StoredCampaign& campaign);

  /// Others may claim it at once. Throws StoreError.
  void give_up(const StoredCampaign& campaign);

  std::optional<Lease> find(std::int64_t campaign) const;
  /// Whether no other node can have claimed it by now, as far as the time tells.
  bool holds(std::int64_t campaign) const;
  /// After a write with this epoch; does nothing if it was claimed again meanwhile.
  void advance(std::int64_t campaign, std::int64_t epoch, const StoreHead& head);
  /// `firm` is found out.
  void add(std::int64_t campaign, Lease lease);
  void forget(std::int64_t campaign);
  /// After a write that is in doubt.
  void forget_all();

  /// Campaigns that nobody has whose node is alive, at most `most`.
  std::vector<std::int64_t> orphans(std::int64_t most);
  /// Names and addresses of other nodes that are alive.
  std::vector<std::pair<std::string, std::string>> others();

 private:
  Lease claimed(const StoredCampaign& campaign);
  void register_node();
  /// The row of this node was renewed by a statement that was sent at that time. If it had lapsed,
  /// others may have claimed everything before.
  void renewed(Clock::time_point sent, bool had_lapsed);
  void beat(std::stop_token stop);
  template <typename Call>
  auto with_connection(Call call);

  const std::string url_;
  const StoreNode node_;
  const Log log_;
  std::int64_t run_ = 0;      // of the program, which has its name from now on
  mutable std::mutex mutex_;  // of the next three
  std::map<std::int64_t, Lease> leases_;
  Clock::time_point last_beat_ = {};
  Clock::time_point lapse_seen_ = {};
  std::mutex claiming_;  // of claims_
  std::unique_ptr<PqConnection> claims_;
  std::jthread beating_;
};

}  // namespace updraft

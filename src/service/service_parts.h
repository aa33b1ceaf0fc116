#pragma once

// What the parts of Service share: only for service*.cc.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <map>
#include <mutex>
#include <new>
#include <set>
#include <shared_mutex>

#include <fmt/format.h>

#include "service/campaign_cost.h"
#include "service/live_campaign.h"
#include "service/service.h"
#include "service/service_clock.h"
#include "store/committer.h"
#include "store/event_store.h"
#include "updraft/error.h"

namespace updraft {

using Clock = std::chrono::steady_clock;

/// A decision that may be forgotten once its last event is on disk.
struct Settled {
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  std::uint64_t ticket = 0;
  std::string decision;
  std::uint64_t number = 0;  ///< of the event
};

/// What everybody may know of a campaign at any time.
struct Published {
  /// Null if it cannot be read, and once the campaign is archived.
  std::shared_ptr<const CampaignDefinition> definition;
  /// With what is left of it; null unless it is archived.
  std::shared_ptr<const StoredCampaign> archived;
  CampaignGauges counts;
  std::uint64_t epoch = 0;  ///< of the committer, when `counts` were made; 0: must be made anew
  std::string quarantine;   ///< why it cannot be used; empty if it can
};

/// A campaign with its place in the store. `mutex` guards what follows it.
struct Entry {
  StoredCampaign stored;
  std::uint64_t bytes = 0;  // CampaignCost and `kept_bytes`; with Parts::campaigns_mutex

  Published published() const {
    const std::lock_guard lock(shown_mutex);
    return shown;
  }
  std::shared_ptr<const CampaignDefinition> definition() const {
    const std::lock_guard lock(shown_mutex);
    return shown.definition;
  }
  std::shared_ptr<const StoredCampaign> archived() const {
    const std::lock_guard lock(shown_mutex);
    return shown.archived;
  }
  std::string reason() const {
    const std::lock_guard lock(shown_mutex);
    return shown.quarantine;
  }
  void set_archived(StoredCampaign left) {
    left.definition.clear();
    const std::lock_guard lock(shown_mutex);
    shown.archived = std::make_shared<const StoredCampaign>(std::move(left));
    shown.definition.reset();
  }
  void set_aside(std::string why) {
    const std::lock_guard lock(shown_mutex);
    shown.quarantine = std::move(why);
  }
  void publish_counts() {
    CampaignGauges now = live->counts();
    const std::lock_guard lock(shown_mutex);
    shown.counts = std::move(now);
    shown.epoch = epoch;
  }
  /// Another node has it.
  void unpublish_counts() {
    const std::lock_guard lock(shown_mutex);
    shown.epoch = 0;
  }

  mutable std::mutex shown_mutex;  // nobody waits for anything else with it
  Published shown;

  std::mutex mutex;
  std::unique_ptr<LiveCampaign> live;  // null if it is archived
  bool closing = false;                // it is being archived or deleted
  std::uint64_t epoch = 0;        // of the committer, when `live` was built; 0: must be built anew
  std::uint64_t last_ticket = 0;  // of the committer
  std::deque<Settled> to_forget;
  std::uint64_t snapshot_due = 0;        // the event after which tend() is to write one; 0: none
  std::uint64_t no_snapshot_before = 0;  // an event; until then they would be too large
  /// One after this event was too large. The next one is tried when twice as much has happened, as
  /// it costs a replay of all events.
  void put_snapshots_off(std::uint64_t number) { no_snapshot_before = 2 * number; }
  bool has_cut = false;          // EventStore::cut_of
  std::uint64_t kept_bytes = 0;  // of rows that the policy keeps, in whole MiB
  std::shared_ptr<const CampaignView> view;
  Clock::time_point view_until;  // as long as that another view of the same epoch will do
  std::uint64_t view_epoch = 0;

  Clock::time_point drop_after;  // of the thread that sweeps: another node has it
  Clock::time_point tend_after;  // of the thread that tends: its last attempt failed
};

using EntryPtr = std::shared_ptr<Entry>;
using DefinitionPtr = std::shared_ptr<const CampaignDefinition>;

DecisionAnswer answer_of(std::string_view id, const LiveDecision& decision);

/// The answer to a request whose commit failed.
Unavailable unavailable(const CommitFailed& failure);

/// Larger ones are not kept.
inline constexpr std::size_t kLargestSnapshot = 500'000'000;

struct Service::Parts {
  Parts(ServiceOptions given, std::unique_ptr<EventStore> given_store);

  /// Throws NotFound, and Elsewhere if another node has it.
  EntryPtr find_entry(std::string_view name);
  /// Throws Quarantined, too.
  EntryPtr entry(std::string_view name);
  /// Null if this node has not heard of it.
  EntryPtr known_entry(std::string_view name) const;
  /// find_entry() if other nodes may have made, deleted or archived it.
  EntryPtr find_shared(std::string_view name);

  /// All, so that nobody keeps the lock while it waits for one of them.
  std::vector<EntryPtr> entries() const;

  /// Whether it was not deleted meanwhile.
  bool is_there(const Entry& entry) const;

  /// Drops the events of a campaign that was archived long enough ago.
  void drop_old_events(Entry& entry);
  /// Removes some of the events that were dropped.
  void purge_some();

  /// A part of what was kept when the campaign was archived; null if it is not.
  std::optional<nlohmann::json> of_archive(Entry& entry, const char* part);

  /// A campaign of the store. What keeps it from being rebuilt is its own trouble.
  void take_in(StoredCampaign stored);

  void log(const std::string& text) const {
    if (options.log) options.log(text);
  }

  /// The last one, unless it is damaged: the events give the same state.
  std::optional<StoredSnapshot> whole_snapshot(const Entry& entry) const;

  /// Of what was kept. With the entry's lock, as all that takes an entry.
  void rebuild(Entry& entry);

  /// From now on this node alone can write it, and `stored` is as the store has it. Throws
  /// CampaignElsewhere, CampaignGone and StoreError.
  void claim(Entry& entry);
  /// The same for a write that needs no state. Throws Elsewhere, NotFound and CommitFailed.
  void claim_now(Entry& entry);
  /// Whether this node has it, as far as it knows.
  bool is_mine(Entry& entry) {
    const std::lock_guard lock(entry.mutex);
    return entry.live && is_current(entry);
  }
  /// Whether the state is that of the store. With the entry's lock.
  bool is_current(const Entry& entry) const {
    return entry.epoch == committer.epoch(entry.stored.id) && store->holds(entry.stored.id);
  }
  /// Takes over a campaign that was asked for, if the store has other writers. Throws Elsewhere;
  /// false if it was deleted, and is forgotten.
  bool settle(Entry& entry);
  /// Another node has it: gives back its memory.
  void release(Entry& entry);
  /// It was deleted.
  void forget(const Entry& entry);
  template <typename Read>
  auto from_shared_store(Read read) {
    try {
      return read();
    } catch (const StoreError& error) {
      throw unavailable(CommitFailed(error.what(), error.kind()));
    }
  }

  /// The state; where a commit or a change failed, rebuilt first. Throws CommitFailed, and Conflict
  /// if the campaign is archived.
  LiveCampaign& current(Entry& entry);

  /// The same for a change. Throws CommitFailed where a commit failed a moment ago, and Unavailable
  /// while the campaign is being archived.
  LiveCampaign& to_change(Entry& entry);

  /// From now on nobody uses it.
  void set_aside(Entry& entry, const std::string& reason) const;
  /// The same for a call about it.
  [[noreturn]] void quarantine(Entry& entry, const std::string& reason);

  /// Runs what changes the state and keeps the event. Where that fails otherwise than by a refusal,
  /// the state may be ahead of what is kept.
  template <typename Change>
  auto changing(Entry& entry, Change change) {
    try {
      return change();
    } catch (const InvalidInput&) {
      throw;
    } catch (const Conflict&) {
      throw;
    } catch (...) {
      entry.epoch = 0;
      throw;
    }
  }

  /// Counts the rows that the policy keeps for ever to the memory of all campaigns.
  void count_kept(Entry& entry);
  /// All of its memory is for others.
  void give_back(Entry& entry);
  /// Whether there is memory for more of them. Throws Conflict.
  void check_kept(const Entry& entry, const DecisionRequest& request);

  /// Waits for the write, or leaves that to who asked; whether it has waited.
  bool wait_unless(Commit* later, std::uint64_t ticket) {
    if (later != nullptr) {
      *later = {ticket};
    } else {
      committer.wait(ticket);
    }
    return later == nullptr;
  }

  /// Forgets settled decisions whose events are on disk.
  void forget_kept(Entry& entry);

  /// With the name of who asked for it.
  std::uint64_t keep(Entry& entry, Event event, std::string_view by = {});

  /// All in one commit.
  std::uint64_t keep(Entry& entry, std::vector<Event> events, std::string_view by);

  /// Changes a campaign by `change`, which gives the event, or none if there is nothing to do, and
  /// waits until it is on disk.
  void commit(Entry& entry, std::string_view by,
              const std::function<std::optional<Event>(LiveCampaign&)>& change);

  /// What `read` reads of the store about the campaign, which is quarantined if that is damaged.
  template <typename Read>
  auto from_store(Entry& entry, Read read) {
    try {
      return read();
    } catch (const StoreError& error) {
      if (error.kind() != StoreError::Kind::kDamaged) {
        throw unavailable(CommitFailed(error.what(), error.kind()));
      }
      quarantine(entry, error.what());
    }
  }

  /// Where it is time for a snapshot.
  void keep_snapshot_when_due(Entry& entry) {
    keep_snapshot_when_due(entry, entry.live->version() - 1);
  }
  /// After the events since that number.
  void keep_snapshot_when_due(Entry& entry, std::uint64_t before) {
    const std::uint64_t every = options.snapshot_every;
    if (entry.live->version() / every > before / every) keep_snapshot(entry);
  }

  /// Leaves large ones to tend(). Its failure is not that of the event before it.
  void keep_snapshot(Entry& entry);

  /// A state of its own, made of what is on disk, with the chain of the events.
  struct Replica {
    std::unique_ptr<LiveCampaign> live;
    std::int64_t chain = 0;
  };
  /// After event `until`; nothing if it is not there, or if asked to stop.
  std::optional<Replica> replica_of(const Entry& entry, const DefinitionPtr& definition,
                                    std::optional<StoredSnapshot> from, std::uint64_t until,
                                    const std::stop_token& stop);
  void write_due_snapshot(Entry& entry, const std::stop_token& stop);

  /// The snapshot behind which events were dropped; none if there are all. Throws if it is of no
  /// use.
  std::optional<StoredSnapshot> base_of(const Entry& entry, const DefinitionPtr& definition) const;
  /// Plans a cut, makes one that is due, and removes events before it.
  void compact(Entry& entry, const std::stop_token& stop);
  /// Whether the events up to that one give the snapshot after it, bit for bit.
  bool gives_snapshot(const Entry& entry, const DefinitionPtr& definition, std::uint64_t number,
                      const std::stop_token& stop);

  /// A decision wherever it is. Decisions that were settled long ago are only in the store.
  std::optional<LiveDecision> find(Entry& entry, const LiveCampaign& live, std::string_view id);

  /// What call(lock) gives under the lock of the entry, which it may give back.
  template <typename Call>
  static auto answered(Entry& entry, Call call) {
    try {
      std::unique_lock lock(entry.mutex);
      return call(lock);
    } catch (const CommitFailed& failure) {
      throw unavailable(failure);
    }
  }

  /// What `look` sees of a state.
  template <typename Look>
  auto seen(Entry& entry, Look look) {
    return answered(entry, [&](auto&) { return look(current(entry)); });
  }

  /// The campaign in a list; nothing if it is archived, or another node has it. Waits for nobody
  /// who works on the campaign.
  std::optional<nlohmann::json> line_of(Entry& entry);

  /// The decisions of a batch that was made already; empty if it was not. Throws Conflict if one of
  /// its ids is taken.
  std::vector<DecisionAnswer> batch_made(Entry& entry, const LiveCampaign& live,
                                         const DecisionRequest& request);

  /// Counts as lost what has waited for too long, some at a time; whether that was all.
  bool sweep_some(Entry& entry);

  ServiceOptions options;
  ServiceClock clock;  // unless the options have another one
  Clock::rep opened = 0;
  std::unique_ptr<EventStore> store;
  Committer committer;
  mutable std::shared_mutex campaigns_mutex;
  std::map<std::string, EntryPtr, std::less<>> campaigns;
  std::set<std::string, std::less<>> being_made;  // names
  std::uint64_t bytes = 0;                        // of all campaigns, with those being made
  std::int64_t last_id = 0;
  std::atomic<bool> may_purge = true;  // false if there are no dropped events
};

}  // namespace updraft

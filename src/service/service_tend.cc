// What takes long and holds up nobody: snapshots of large states, and cuts.

#include <span>
#include <thread>
#include <utility>

#include "core/checksum.h"
#include "service/replay_events.h"
#include "service/service_parts.h"
#include "store/store_schema.h"
#include "store/store_writer.h"

namespace updraft {
namespace {

constexpr std::size_t kBytesOfPart = std::size_t{1} << 20;
constexpr std::size_t kEventsAtOnce = 256;
/// Of events that one commit removes, before the last: to remove large ones takes long.
constexpr std::size_t kBytesRemovedAtOnce = std::size_t{4} << 20;
/// Times what the commit of a part takes, before the next one: so the disk is there for others.
constexpr int kRestOfDisk = 2;
constexpr std::chrono::minutes kPauseAfterTrouble{10};

/// The payoffs of no other request can come to it.
bool is_settled(std::span<const Event> events, std::uint64_t cut, LostPayoffs lost) {
  return std::any_of(events.begin(), events.end(), [&](const Event& event) {
    if (event.number > cut) return false;
    if (event.kind == EventKind::kLost) return lost == LostPayoffs::kZeros;
    return event.kind == EventKind::kPayoffs && decode_payoffs(event.body).complete;
  });
}

}  // namespace

void Service::tend(const std::stop_token& stop) {
  for (const EntryPtr& entry : parts_->entries()) {
    if (stop.stop_requested()) return;
    if (!entry->reason().empty() || entry->archived() || Clock::now() < entry->tend_after) continue;
    const auto put_off = [&](const std::exception& error) {
      parts_->log(fmt::format("campaign {}: {}", entry->stored.name, error.what()));
      entry->tend_after = Clock::now() + kPauseAfterTrouble;  // it may take long to come so far
    };
    if (parts_->store->is_shared() && !parts_->is_mine(*entry)) continue;
    try {
      parts_->write_due_snapshot(*entry, stop);
      parts_->compact(*entry, stop);
    } catch (const CommitFailed&) {
      // All is as before; the next one tries again.
    } catch (const StoreError& error) {
      if (error.kind() == StoreError::Kind::kDamaged) {
        parts_->set_aside(*entry, error.what());
      } else {
        put_off(error);
      }
    } catch (const std::exception& error) {  // of this campaign alone
      put_off(error);
    }
  }
}

std::optional<Service::Parts::Replica> Service::Parts::replica_of(
    const Entry& entry, const DefinitionPtr& definition, std::optional<StoredSnapshot> from,
    std::uint64_t until, const std::stop_token& stop) {
  Replica replica = {std::make_unique<LiveCampaign>(definition), 0};
  if (from) {
    replica.live->restore(from->body);
    replica.chain = from->chain;
    from.reset();  // it may be large
  }
  const auto find_lost = [&](const Event& event) {
    return decision_from(store->events_of(entry.stored, event.decision), event.number);
  };
  while (replica.live->version() < until) {
    const std::vector<Event> events =
        store->events_after(entry.stored, replica.live->version(), kEventsAtOnce);
    if (events.empty() || stop.stop_requested()) return std::nullopt;
    for (const Event& event : events) {
      if (event.number > until) break;
      replica.live->replay(event, find_lost);
      replica.chain = chained(replica.chain, checksum_of(entry.stored.id, event));
    }
  }
  return replica;
}

void Service::Parts::write_due_snapshot(Entry& entry, const std::stop_token& stop) {
  std::uint64_t due = 0;
  std::uint64_t ticket = 0;
  {
    const std::lock_guard lock(entry.mutex);
    std::swap(due, entry.snapshot_due);
    ticket = entry.last_ticket;
  }
  const DefinitionPtr definition = entry.definition();  // none once it is archived
  if (due == 0 || !definition) return;
  committer.wait(ticket);
  std::optional<StoredSnapshot> from = whole_snapshot(entry);
  if (from && from->number >= due) return;  // a later one was small enough to be written at once
  if (from && !LiveCampaign(definition).made(from->body)) from.reset();
  if (!from) from = base_of(entry, definition);
  std::optional<Replica> replica = replica_of(entry, definition, std::move(from), due, stop);
  if (!replica) return;
  const StoredSnapshot snapshot = {due, replica->live->snapshot()};
  replica->live.reset();
  if (snapshot.body.size() > kLargestSnapshot) {
    const std::lock_guard lock(entry.mutex);
    return entry.put_snapshots_off(due);
  }
  const auto keep_now = [&](StoreWrite write) {
    committer.wait(committer.add(std::move(write), committer.epoch(entry.stored.id)));
  };
  std::int64_t part = 0;
  for (std::size_t at = 0; at < snapshot.body.size(); at += kBytesOfPart) {
    if (stop.stop_requested()) return;
    const Clock::time_point begin = Clock::now();
    keep_now(
        SnapshotPartWrite{entry.stored.id, due, ++part, snapshot.body.substr(at, kBytesOfPart)});
    std::this_thread::sleep_for(kRestOfDisk * (Clock::now() - begin));
  }
  keep_now(SnapshotEndWrite{entry.stored.id, due, part, replica->chain,
                            checksum_of(entry.stored.id, snapshot, replica->chain)});
  may_purge = true;
}

std::optional<StoredSnapshot> Service::Parts::base_of(const Entry& entry,
                                                      const DefinitionPtr& definition) const {
  auto cut = store->cut_of(entry.stored);
  if (!cut) return std::nullopt;
  auto base = store->snapshot_at(entry.stored, cut->number);
  while (!base) {  // a later cut drops the snapshot of the one before
    const auto later = store->cut_of(entry.stored);
    if (!later || later->number == cut->number) break;
    cut = later;
    base = store->snapshot_at(entry.stored, cut->number);
  }
  if (!base || !LiveCampaign(definition).made(base->body)) {
    throw std::runtime_error(
        fmt::format("its events up to {} were dropped, and {}; restore a backup, or use the "
                    "program that wrote it",
                    cut->number,
                    base ? "another revision of the policy made the snapshot after them"
                         : "the snapshot after them is missing"));
  }
  return base;
}

void Service::Parts::compact(Entry& entry, const std::stop_token& stop) {
  if (!options.compact_after_ms) return;
  const DefinitionPtr definition = entry.definition();
  if (!definition) return;
  const auto keep_now = [&](StoreWrite write) {
    committer.wait(committer.add(std::move(write), committer.epoch(entry.stored.id)));
  };
  const std::int64_t now = options.clock();
  const auto planned = store->planned_cut(entry.stored);
  auto made = store->cut_of(entry.stored);
  if (planned && now - planned->time_ms >= *options.compact_after_ms) {
    StoredCut cut;  // none: a later snapshot will do
    if (gives_snapshot(entry, definition, planned->number, stop)) {
      cut = *planned;
      cut.made = true;
      if (made) {
        cut.dropped = made->dropped;
        cut.dropped_sum = made->dropped_sum;
      }
    } else if (stop.stop_requested()) {
      return;
    }
    keep_now(CutWrite{entry.stored.id, cut});
    if (cut.made) {
      made = cut;
      const std::lock_guard lock(entry.mutex);
      entry.has_cut = true;
    }
  }
  const std::uint64_t last = store->last_snapshot_number(entry.stored);
  if (!planned && last > (made ? made->number : 0)) {
    keep_now(CutWrite{entry.stored.id, {.number = last, .time_ms = now}});
  }
  if (!made) return;
  while (made->purged < made->number && !stop.stop_requested()) {
    const std::vector<Event> events =
        store->events_between(entry.stored, made->purged, made->number, kEventsAtOnce);
    CompactWrite write = {entry.stored.id, {}, {}, {}};
    std::size_t removed = 0;  // bytes
    const auto remove = [&] {
      write.cut = *made;
      keep_now(std::exchange(write, {entry.stored.id, {}, {}, {}}));
      removed = 0;
    };
    for (const Event& event : events) {
      made->purged = event.number;
      if (event.kind != EventKind::kDecided) continue;
      const std::vector<Event> about = store->events_of(entry.stored, event.decision);
      if (!is_settled(about, made->number, definition->lost)) continue;
      for (const Event& one : about) {
        write.events.push_back(one.number);
        removed += one.body.size();
      }
      write.decisions.push_back(event.decision);
      ++made->dropped;
      made->dropped_sum += checksum(event.decision);
      if (removed >= kBytesRemovedAtOnce) remove();
    }
    if (events.empty()) made->purged = made->number;
    remove();
  }
}

bool Service::Parts::gives_snapshot(const Entry& entry, const DefinitionPtr& definition,
                                    std::uint64_t number, const std::stop_token& stop) {
  std::optional<StoredSnapshot> snapshot;
  try {
    snapshot = store->snapshot_at(entry.stored, number);
  } catch (const StoreError& error) {
    if (error.kind() != StoreError::Kind::kDamaged) throw;
  }
  if (!snapshot) return false;
  const std::optional<Replica> replica =
      replica_of(entry, definition, base_of(entry, definition), number, stop);
  if (!replica) return false;
  const bool same =
      replica->chain == snapshot->chain && replica->live->snapshot() == snapshot->body;
  if (!same) {
    log(
        fmt::format("campaign {}: the snapshot after event {} is not what the events give, so no "
                    "events are dropped",
                    entry.stored.name, number));
  }
  return same;
}

}  // namespace updraft

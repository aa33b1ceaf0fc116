#include "service/service_parts.h"

#include <limits>

#include "policies/kept_bytes.h"
#include "service/replay_events.h"

namespace updraft {
namespace {

/// Of states whose snapshots take so long that nobody should wait for them.
constexpr std::uint64_t kLargeState = std::uint64_t{8} << 20;  // bytes
constexpr std::size_t kManyOutstanding = 10'000;
constexpr std::size_t kManyNumbers = 500'000;
constexpr std::size_t kLostAtOnce = 1000;
constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;
constexpr std::uint64_t kBytesPerWaitingNumber = 16;  // once the policy keeps it

/// Whether `live` could be restored; if not, it is of no use any more.
bool restored(LiveCampaign& live, std::string_view snapshot) {
  try {
    live.restore(snapshot);
    return true;
  } catch (const InvalidInput&) {  // of another revision, most likely
    return false;
  }
}

}  // namespace

Unavailable unavailable(const CommitFailed& failure) {
  if (failure.in_doubt()) {
    return {
        "the connection to the database was lost, and it is unknown whether this was kept: ask "
        "again with the same id",
        false};
  }
  if (failure.unknown()) {
    return {"the disk failed, and it is unknown whether this was kept: ask again with the same id",
            false};
  }
  return {failure.disk_full() ? "the disk is full: nothing was changed"
                              : "the store cannot be written now: nothing was changed",
          failure.disk_full()};
}

Service::Parts::Parts(ServiceOptions given, std::unique_ptr<EventStore> given_store)
    : options(std::move(given)),
      store(std::move(given_store)),
      committer(*store, options.group_commits, options.log) {
  if (!options.clock) options.clock = [this] { return clock.now_ms(); };
  opened = Clock::now().time_since_epoch().count();
}

EntryPtr Service::Parts::find_entry(std::string_view name) {
  if (store->is_shared()) return find_shared(name);
  if (EntryPtr known = known_entry(name)) return known;
  throw NotFound(fmt::format("there is no campaign {}", name));
}

EntryPtr Service::Parts::known_entry(std::string_view name) const {
  const std::shared_lock lock(campaigns_mutex);
  const auto found = campaigns.find(name);
  return found == campaigns.end() ? nullptr : found->second;
}

EntryPtr Service::Parts::entry(std::string_view name) {
  EntryPtr entry = find_entry(name);
  if (const std::string reason = entry->reason(); !reason.empty()) throw Quarantined(name, reason);
  return entry;
}

std::vector<EntryPtr> Service::Parts::entries() const {
  const std::shared_lock lock(campaigns_mutex);
  std::vector<EntryPtr> out;
  for (const auto& [name, entry] : campaigns) out.push_back(entry);
  return out;
}

bool Service::Parts::is_there(const Entry& entry) const {
  const std::shared_lock lock(campaigns_mutex);
  const auto found = campaigns.find(entry.stored.name);
  return found != campaigns.end() && found->second.get() == &entry;
}

void Service::Parts::take_in(StoredCampaign stored) {
  auto entry = std::make_shared<Entry>();
  entry->stored = std::move(stored);
  entry->shown.counts.name = entry->stored.name;
  if (entry->stored.archive) {
    entry->set_archived(entry->stored);
    entry->stored.definition.clear();
    campaigns.emplace(entry->stored.name, std::move(entry));
    return;
  }
  try {
    entry->shown.definition = std::make_shared<CampaignDefinition>(
        parse_definition(entry->stored.definition, DefinitionLimits::of_stored()));
    if (store->is_shared()) {  // settle() does the rest
      campaigns.emplace(entry->stored.name, std::move(entry));
      return;
    }
    const std::uint64_t cost = cost_of(*entry->shown.definition).bytes;
    if (cost > options.most_bytes - std::min(bytes, options.most_bytes)) {
      throw std::runtime_error(fmt::format(
          "takes {} MiB of memory, and {} of {} MiB are taken: start with a larger --memory",
          cost >> 20, bytes >> 20, options.most_bytes >> 20));
    }
    entry->bytes = cost;
    bytes += cost;
    rebuild(*entry);
    if (bytes > options.most_bytes) {
      throw std::runtime_error(fmt::format(
          "takes {} MiB of memory with the rows that its policy keeps, and all campaigns then take "
          "{} of {} MiB: start with a larger --memory",
          entry->bytes / kMebibyte, bytes / kMebibyte, options.most_bytes / kMebibyte));
    }
  } catch (const std::bad_alloc&) {
    entry->set_aside("there is not enough memory to rebuild it");
  } catch (const std::exception& error) {
    entry->set_aside(error.what());
  }
  if (const std::string reason = entry->reason(); !reason.empty()) {
    entry->live.reset();
    if (entry->bytes > 0) give_back(*entry);
    log(fmt::format("campaign {} is quarantined: {}", entry->stored.name, reason));
  }
  campaigns.emplace(entry->stored.name, std::move(entry));
}

std::optional<StoredSnapshot> Service::Parts::whole_snapshot(const Entry& entry) const {
  try {
    return store->last_snapshot(entry.stored);
  } catch (const StoreError& error) {
    if (error.kind() != StoreError::Kind::kDamaged) throw;
    log(error.what());
    return std::nullopt;
  }
}

void Service::Parts::rebuild(Entry& entry) {
  const std::uint64_t epoch = committer.epoch(entry.stored.id);
  claim(entry);
  if (entry.archived()) {
    throw Conflict(fmt::format("campaign {} is archived", entry.stored.name));
  }
  auto live = std::make_unique<LiveCampaign>(entry.definition());
  const auto snapshot = whole_snapshot(entry);
  const bool unusable = snapshot && !restored(*live, snapshot->body);
  if (unusable) live = std::make_unique<LiveCampaign>(entry.definition());
  entry.has_cut = store->cut_of(entry.stored).has_value();
  if (entry.has_cut && (unusable || !snapshot))
    live->restore(base_of(entry, entry.definition())->body);
  const std::uint64_t before = live->version();
  replay_events(*store, entry.stored, *live);
  const bool was_long = live->version() - before >= options.snapshot_every;
  entry.live = std::move(live);
  entry.epoch = epoch;
  entry.last_ticket = 0;
  entry.to_forget.clear();
  entry.publish_counts();
  count_kept(entry);
  if (was_long || unusable) keep_snapshot(entry);
}

void Service::Parts::count_kept(Entry& entry) {
  const std::uint64_t now = (kept_bytes(entry.live->policy()) + kMebibyte - 1) / kMebibyte;
  const std::uint64_t more = now * kMebibyte - entry.kept_bytes;  // wraps around where it is less
  if (more == 0) return;
  entry.kept_bytes += more;
  const std::unique_lock lock(campaigns_mutex);
  entry.bytes += more;
  bytes += more;
}

void Service::Parts::give_back(Entry& entry) {
  entry.kept_bytes = 0;
  const std::unique_lock lock(campaigns_mutex);
  bytes -= entry.bytes;
  entry.bytes = 0;
}

void Service::Parts::check_kept(const Entry& entry, const DecisionRequest& request) {
  if (entry.kept_bytes == 0) return;
  const std::uint64_t coming =
      kBytesPerWaitingNumber * (entry.live->waiting_numbers() + numbers_of(request));
  const std::shared_lock lock(campaigns_mutex);
  const auto check = [&](std::string_view who, std::uint64_t taken, std::uint64_t most) {
    if (taken + coming <= most) return;
    throw Conflict(fmt::format(
        "the rows that the policy keeps take {} MiB of memory, and with those of outstanding "
        "decisions {} would take more than the {} MiB that are allowed; a policy with fit=online "
        "keeps no rows",
        entry.kept_bytes / kMebibyte, who, most / kMebibyte));
  };
  check("the campaign", entry.bytes, DefinitionLimits().bytes);
  check("all campaigns", bytes, options.most_bytes);
}

LiveCampaign& Service::Parts::current(Entry& entry) {
  if (entry.archived()) {
    throw Conflict(fmt::format("campaign {} is archived", entry.stored.name));
  }
  if (is_current(entry)) return *entry.live;
  try {
    committer.wait(entry.last_ticket);
  } catch (const CommitFailed&) {  // which is why
  }
  try {
    rebuild(entry);
  } catch (const CampaignGone&) {
    throw;
  } catch (const CampaignElsewhere& error) {
    release(entry);
    throw Elsewhere(error.what(), error.address());
  } catch (const StoreError& error) {
    if (error.kind() != StoreError::Kind::kDamaged) throw CommitFailed(error.what(), error.kind());
    quarantine(entry, error.what());
  } catch (const InvalidInput& error) {  // of what is kept, not of what was asked
    quarantine(entry, error.what());
  } catch (const Conflict&) {  // archived by another node
    throw;
  } catch (const Unavailable&) {  // no room for it
    throw;
  } catch (const std::runtime_error& error) {
    quarantine(entry, error.what());
  }
  return *entry.live;
}

LiveCampaign& Service::Parts::to_change(Entry& entry) {
  committer.check();
  if (entry.closing) {
    throw Unavailable(
        fmt::format("campaign {} is being archived: nothing was changed", entry.stored.name),
        false);
  }
  LiveCampaign& live = current(entry);
  forget_kept(entry);
  return live;
}

void Service::Parts::forget_kept(Entry& entry) {
  if (!entry.live || entry.to_forget.empty()) return;
  const std::uint64_t done = committer.last_done();
  while (!entry.to_forget.empty() && entry.to_forget.front().ticket <= done) {
    const Settled& settled = entry.to_forget.front();
    entry.live->forget(settled.decision, settled.number);
    entry.to_forget.pop_front();
  }
}

void Service::Parts::set_aside(Entry& entry, const std::string& reason) const {
  entry.set_aside(reason);
  log(fmt::format("campaign {} is quarantined: {}", entry.stored.name, reason));
}

void Service::Parts::quarantine(Entry& entry, const std::string& reason) {
  set_aside(entry, reason);
  throw Quarantined(entry.stored.name, reason);
}

std::uint64_t Service::Parts::keep(Entry& entry, Event event, std::string_view by) {
  event.by = by;
  entry.last_ticket = committer.add(EventWrite{entry.stored.id, std::move(event)}, entry.epoch);
  entry.publish_counts();
  count_kept(entry);
  return entry.last_ticket;
}

std::uint64_t Service::Parts::keep(Entry& entry, std::vector<Event> events, std::string_view by) {
  std::vector<StoreWrite> writes;
  for (Event& event : events) {
    event.by = by;
    writes.push_back(EventWrite{entry.stored.id, std::move(event)});
  }
  entry.last_ticket = committer.add(std::move(writes), entry.epoch);
  entry.publish_counts();
  return entry.last_ticket;
}

void Service::Parts::commit(Entry& entry, std::string_view by,
                            const std::function<std::optional<Event>(LiveCampaign&)>& change) {
  answered(entry, [&](auto& lock) {
    LiveCampaign& live = to_change(entry);
    bool changed = false;
    changing(entry, [&] {
      std::optional<Event> event = change(live);
      changed = event.has_value();
      if (changed) keep(entry, std::move(*event), by);
    });
    if (changed) keep_snapshot_when_due(entry);
    const std::uint64_t ticket = entry.last_ticket;
    lock.unlock();
    committer.wait(ticket);
  });
}

void Service::Parts::keep_snapshot(Entry& entry) {
  const std::uint64_t version = entry.live->version();
  if (version < entry.no_snapshot_before) return;
  if (entry.live->counts().outstanding > kManyOutstanding ||
      entry.live->waiting_numbers() > kManyNumbers ||
      cost_of(entry.live->definition()).bytes > kLargeState) {
    entry.snapshot_due = version;
    return;
  }
  try {
    std::string body = entry.live->snapshot();
    if (body.size() > kLargestSnapshot) return entry.put_snapshots_off(version);
    committer.add(SnapshotWrite{entry.stored.id, {version, std::move(body)}}, entry.epoch);
  } catch (const CommitFailed&) {
  } catch (const std::bad_alloc&) {
  }
}

std::optional<LiveDecision> Service::Parts::find(Entry& entry, const LiveCampaign& live,
                                                 std::string_view id) {
  if (const LiveDecision* found = live.find(id)) return *found;
  try {
    auto found = decision_from(store->events_of(entry.stored, id),
                               std::numeric_limits<std::uint64_t>::max());
    if (!found && entry.has_cut && store->was_compacted(entry.stored, id)) {
      throw Conflict(fmt::format(
          "decision {} was made and settled long ago, and its events were dropped", id));
    }
    return found;
  } catch (const StoreError& error) {
    if (error.kind() != StoreError::Kind::kDamaged) throw CommitFailed(error.what(), error.kind());
    quarantine(entry, error.what());
  }
}

std::vector<DecisionAnswer> Service::Parts::batch_made(Entry& entry, const LiveCampaign& live,
                                                       const DecisionRequest& request) {
  std::vector<DecisionAnswer> made;
  if (request.id.empty()) return made;
  for (std::uint32_t position = 1; position <= request.batch.size; ++position) {
    const std::string id = batch_decision(request.id, position);
    const std::optional<LiveDecision> known = find(entry, live, id);
    if (!known && made.empty()) continue;  // the others must be new, too
    if (!known || made.size() + 1 != position) {
      throw Conflict(fmt::format("decision {} was made before", known ? id : made.back().id));
    }
    const std::string_view differs = known->decided.differs_by(request);
    if (!differs.empty() || known->decided.batch.position != position) {
      throw Conflict(fmt::format("decision {} was made for another {}", id,
                                 differs.empty() ? "count" : differs));
    }
    made.push_back(answer_of(id, *known));
  }
  return made;
}

bool Service::Parts::sweep_some(Entry& entry) {
  std::unique_lock lock(entry.mutex);
  if (entry.archived() || entry.closing) return true;
  LiveCampaign& live = to_change(entry);
  std::vector<std::pair<std::string, std::uint64_t>> lost;
  changing(entry, [&] {
    while (lost.size() < kLostAtOnce) {
      std::optional<Event> event = live.lose(options.clock());
      if (!event) break;
      lost.emplace_back(event->decision, event->number);
      keep(entry, std::move(*event));
      keep_snapshot_when_due(entry);
    }
  });
  const std::uint64_t ticket = entry.last_ticket;
  lock.unlock();
  if (lost.empty()) return true;
  committer.wait(ticket);
  lock.lock();
  if (!entry.live) return true;  // archived meanwhile
  for (const auto& [id, number] : lost) entry.live->forget(id, number);
  return lost.size() < kLostAtOnce;
}

}  // namespace updraft

// Campaigns that are over: archived, without their events, deleted.

#include "service/campaign_report.h"
#include "service/service_parts.h"

namespace updraft {
namespace {

using nlohmann::json;

constexpr std::chrono::minutes kPauseElsewhere{1};

/// The campaign as it stays: what GET shows of it later.
ArchiveWrite archive_of(const LiveCampaign& live, const StoredCampaign& stored, std::int64_t now_ms,
                        std::string_view by) {
  const json when = {{"archived_ms", now_ms},
                     {"archived_by", by.empty() ? json(nullptr) : json(by)}};
  const auto archived = [&](json part) {
    part.update(when);
    return part;
  };
  json campaign = described(live);
  put_creation(stored, campaign);
  const json summary = {{"campaign", archived(std::move(campaign))},
                        {"report", archived(campaign_report(live, false))},
                        {"view", archived(campaign_report(live, true))},
                        {"history", campaign_history(live)}};
  const std::string line = archived(brief(live.counts(), live.definition())).dump();
  return {stored.id, {now_ms, std::string(by), line, true}, summary.dump()};
}

/// Gives back the lock and waits until the write is kept that no event may come behind. The entry
/// stays closing, unless the write fails.
template <typename Lock>
void wait_closed(Committer& committer, Entry& entry, std::uint64_t ticket, Lock& lock) {
  entry.closing = true;
  lock.unlock();
  try {
    committer.wait(ticket);
  } catch (...) {
    lock.lock();
    entry.closing = false;
    throw;
  }
}

}  // namespace

std::optional<json> Service::Parts::of_archive(Entry& entry, const char* part) {
  const auto archived = entry.archived();
  if (!archived) return std::nullopt;
  try {
    return json::parse(store->archive_summary(*archived)).at(part);
  } catch (const StoreError& error) {
    if (error.kind() != StoreError::Kind::kDamaged) {
      throw unavailable(CommitFailed(error.what(), error.kind()));
    }
    if (!is_there(entry)) throw NotFound(fmt::format("there is no campaign {}", archived->name));
    quarantine(entry, error.what());
  }
}

void Service::archive(std::string_view campaign, std::string_view by) {
  const EntryPtr kept = parts_->entry(campaign);
  Entry& entry = *kept;
  parts_->answered(entry, [&](auto& lock) {
    if (entry.archived()) return;
    LiveCampaign& live = parts_->to_change(entry);
    const std::int64_t now = parts_->options.clock();
    if (!live.stopped()) {
      parts_->changing(entry, [&] { parts_->keep(entry, live.stop(now), by); });
    }
    ArchiveWrite write = archive_of(live, entry.stored, now, by);
    StoredCampaign left = entry.stored;
    left.archive = write.archive;
    entry.last_ticket = parts_->committer.add(std::move(write), entry.epoch);
    const std::uint64_t ticket = entry.last_ticket;
    wait_closed(parts_->committer, entry, ticket, lock);
    lock.lock();
    entry.closing = false;
    entry.set_archived(std::move(left));
    entry.live.reset();
    entry.to_forget.clear();
    entry.view.reset();
    parts_->give_back(entry);
  });
}

void Service::remove(std::string_view campaign, std::string_view by) {
  const EntryPtr kept = parts_->find_entry(campaign);
  Entry& entry = *kept;
  parts_->answered(entry, [&](auto& lock) {
    if (!entry.archived() && entry.reason().empty()) {
      throw Conflict(
          fmt::format("campaign {} must be archived before it can be deleted", campaign));
    }
    parts_->committer.check();
    if (entry.closing) {
      throw Unavailable(fmt::format("campaign {} is being deleted: nothing was changed", campaign),
                        false);
    }
    parts_->claim_now(entry);
    const std::uint64_t ticket = parts_->committer.add(
        DeleteWrite{entry.stored.id, parts_->options.clock(), std::string(by)},
        parts_->committer.epoch(entry.stored.id));
    wait_closed(parts_->committer, entry, ticket, lock);
  });
  parts_->may_purge = true;
  parts_->log(fmt::format("campaign {} was deleted by {}", campaign, by.empty() ? "-" : by));
  parts_->give_back(entry);
  const std::unique_lock lock(parts_->campaigns_mutex);
  parts_->campaigns.erase(entry.stored.name);
}

void Service::Parts::drop_old_events(Entry& entry) {
  const auto archived = entry.archived();
  if (!archived || !archived->has_events() || !options.keep_events_ms) return;
  if (options.clock() - archived->archive->time_ms < *options.keep_events_ms) return;
  if (store->is_shared() && Clock::now() < entry.drop_after) return;
  const std::unique_lock lock(entry.mutex);
  if (entry.closing || !entry.reason().empty()) return;
  entry.drop_after = Clock::now() + kPauseElsewhere;
  claim_now(entry);
  if (!entry.archived()->has_events()) return;  // another node was faster
  committer.wait(committer.add(DropEventsWrite{entry.stored.id}, committer.epoch(entry.stored.id)));
  StoredCampaign left = *archived;
  left.archive->has_events = false;
  entry.set_archived(std::move(left));
  may_purge = true;
}

void Service::Parts::purge_some() {
  if (!may_purge) return;
  may_purge = store->has_dropped();
  if (may_purge) committer.wait(committer.add(PurgeWrite{}, committer.epoch(0)));
}

}  // namespace updraft

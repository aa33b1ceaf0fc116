// What is done now and then, and for those who watch.

#include <exception>

#include "service/service_parts.h"

namespace updraft {

void Service::sweep() {
  if (const auto step = parts_->clock.step()) {
    parts_->log(
        fmt::format("the system's clock was set by {} ms; the service goes on by its own "
                    "clock until it is started again",
                    *step));
  }
  std::exception_ptr failure;
  const auto attempt = [&](const auto& work) {
    try {
      work();
    } catch (const CommitFailed&) {
      // All is as before; the next sweep tries again.
    } catch (const Elsewhere&) {  // since a moment ago
    } catch (...) {
      failure = std::current_exception();
    }
  };
  for (const EntryPtr& entry : parts_->entries()) {
    if (!entry->reason().empty()) continue;
    attempt([&] { parts_->drop_old_events(*entry); });
    const auto definition = entry->definition();
    if (!definition || !definition->wait_seconds) continue;
    if (parts_->store->is_shared() && !parts_->is_mine(*entry)) continue;
    attempt([&] {
      while (!parts_->sweep_some(*entry)) {
      }
    });
  }
  attempt([&] { parts_->purge_some(); });
  if (failure) std::rethrow_exception(failure);
}

void Service::scrub() {
  std::vector<std::string> defects = parts_->store->defects();
  const std::string of_file =
      defects.empty() ? "" : "the file of the store is damaged: " + defects.front();
  for (const EntryPtr& entry : parts_->entries()) {
    if (!entry->reason().empty()) continue;
    std::string reason = of_file;
    try {
      const auto archived = entry->archived();
      if (archived) parts_->store->archive_summary(*archived);
      if (reason.empty() && (!archived || archived->has_events())) {
        parts_->store->for_each_event(entry->stored, 0, [](const Event&) {});
        if (const DefinitionPtr definition = entry->definition()) {
          parts_->base_of(*entry, definition);
        }
        parts_->store->check_compacted(entry->stored);
      }
    } catch (const StoreError& error) {
      if (error.kind() == StoreError::Kind::kDamaged) reason = error.what();
    } catch (const std::runtime_error& error) {  // its events were dropped, and it has no base
      reason = error.what();
    }
    if (reason.empty() || !parts_->is_there(*entry)) continue;
    if (const auto now = entry->archived(); now && !now->has_events() && of_file.empty()) {
      continue;  // its events were dropped meanwhile; the next scrub reads its summary
    }
    parts_->set_aside(*entry, reason);
  }
}

void Service::adopt() {
  constexpr std::int64_t kAtOnce = 16;
  if (!parts_->store->is_shared()) return;
  const std::vector<std::int64_t> orphans = parts_->store->orphans(kAtOnce);
  std::set<std::int64_t> nameless(orphans.begin(), orphans.end());
  std::vector<std::string> names;
  const auto name = [&](const StoredCampaign& one) {
    if (nameless.erase(one.id) > 0) names.push_back(one.name);
  };
  for (const EntryPtr& entry : parts_->entries()) name(entry->stored);
  if (!nameless.empty()) {  // made by others since this node was started
    for (const StoredCampaign& one : parts_->store->campaigns()) name(one);
  }
  for (const std::string& one : names) {
    try {
      parts_->entry(one);
    } catch (const std::exception& error) {  // another node may have been faster
      parts_->log(fmt::format("campaign {} was not taken over: {}", one, error.what()));
    }
  }
}

bool Service::trusts_store() const { return parts_->committer.trusted(); }

ServiceGauges Service::gauges() const {
  const CommitterCounts counts = parts_->committer.counts();
  ServiceGauges out = {.commits = counts.commits,
                       .writes = counts.writes,
                       .failed_commits = counts.failed_commits,
                       .queued = counts.queued,
                       .commit_seconds = counts.seconds,
                       .quarantined = 0,
                       .archived = 0,
                       .bytes = 0,
                       .campaigns = {}};
  {
    const std::shared_lock lock(parts_->campaigns_mutex);
    out.bytes = parts_->bytes;
  }
  for (const EntryPtr& entry : parts_->entries()) {
    Published seen = entry->published();
    out.quarantined += seen.quarantine.empty() ? 0 : 1;
    if (seen.archived) {
      ++out.archived;
    } else {
      out.campaigns.push_back(std::move(seen.counts));
    }
  }
  return out;
}

std::vector<std::pair<std::string, std::string>> Service::quarantined() const {
  std::vector<std::pair<std::string, std::string>> out;
  for (const EntryPtr& entry : parts_->entries()) {
    if (std::string reason = entry->reason(); !reason.empty()) {
      out.emplace_back(entry->stored.name, std::move(reason));
    }
  }
  return out;
}

}  // namespace updraft

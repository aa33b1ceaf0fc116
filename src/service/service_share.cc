// What is different if several nodes share a store.

#include "service/service_parts.h"
#include "store/postgres_schema.h"

namespace updraft {

void Service::Parts::claim(Entry& entry) {
  if (!store->is_shared()) return;
  try {
    store->claim(entry.stored);
  } catch (const TablesAreNewer& error) {
    throw Unavailable(error.what(), false);
  }
  std::optional<StoredCampaign> now = store->find_campaign(entry.stored.name);
  if (!now || now->id != entry.stored.id) {
    throw CampaignGone(fmt::format("campaign {} was deleted", entry.stored.name));
  }
  if (now->archive) {
    release(entry);
    entry.set_archived(*now);
    return;
  }
  if (entry.bytes > 0) return;
  const DefinitionPtr definition = entry.definition();
  const std::uint64_t cost = definition ? cost_of(*definition).bytes : 0;
  std::unique_lock lock(campaigns_mutex);
  if (cost <= options.most_bytes - std::min(bytes, options.most_bytes)) {
    entry.bytes = cost;
    bytes += cost;
    return;
  }
  const std::string why = fmt::format(
      "campaign {} takes {} MiB of memory, and {} of {} MiB are taken: start with a larger "
      "--memory, or more nodes",
      entry.stored.name, cost >> 20, bytes >> 20, options.most_bytes >> 20);
  lock.unlock();
  store->give_up(entry.stored);  // another node may have room for it
  throw Unavailable(why, false);
}

void Service::Parts::claim_now(Entry& entry) {
  try {
    claim(entry);
  } catch (const CampaignElsewhere& error) {
    throw Elsewhere(error.what(), error.address());
  } catch (const CampaignGone& error) {
    throw NotFound(error.what());
  } catch (const StoreError& error) {
    throw CommitFailed(error.what(), error.kind());
  }
}

void Service::Parts::release(Entry& entry) {
  entry.live.reset();
  entry.epoch = 0;
  entry.unpublish_counts();
  entry.to_forget.clear();
  entry.view.reset();
  give_back(entry);
}

bool Service::Parts::settle(Entry& entry) {
  return answered(entry, [&](auto&) {
    if (entry.archived() || !entry.reason().empty()) return true;
    try {
      current(entry);
    } catch (const Conflict&) {     // it is archived
    } catch (const Quarantined&) {  // which the caller finds, too
    } catch (const CampaignGone&) {
      release(entry);
      return false;
    }
    return true;
  });
}

EntryPtr Service::Parts::find_shared(std::string_view name) {
  constexpr int kMostTries = 3;  // of names that are made and deleted meanwhile
  for (int tries = 0; tries < kMostTries; ++tries) {
    EntryPtr entry = known_entry(name);
    if (entry && entry->archived()) {
      // Another node may have deleted it, or dropped its events.
      const auto now = from_shared_store([&] { return store->find_campaign(name); });
      if (now && now->id == entry->stored.id) return entry;
      forget(*entry);
      entry.reset();
    }
    if (!entry) {
      auto stored = from_shared_store([&] { return store->find_campaign(name); });
      if (!stored) break;
      const std::unique_lock lock(campaigns_mutex);
      if (campaigns.find(name) == campaigns.end()) take_in(std::move(*stored));
      entry = campaigns.find(name)->second;
    }
    if (settle(*entry)) return entry;
    forget(*entry);
  }
  throw NotFound(fmt::format("there is no campaign {}", name));
}

std::vector<std::pair<std::string, std::string>> Service::other_nodes() const {
  return parts_->from_shared_store([&] { return parts_->store->other_nodes(); });
}

void Service::Parts::forget(const Entry& entry) {
  const std::unique_lock lock(campaigns_mutex);
  const auto found = campaigns.find(entry.stored.name);
  if (found != campaigns.end() && found->second.get() == &entry) campaigns.erase(found);
}

}  // namespace updraft

#include "store/open_store.h"

#include "store/campaign_store.h"
#include "store/postgres_store.h"

namespace updraft {

std::unique_ptr<EventStore> open_store(const std::string& store) {
  if (is_postgres(store)) return std::make_unique<PostgresStore>(store);
  return std::make_unique<CampaignStore>(store, CampaignStore::Mode::kRead);
}

std::unique_ptr<EventStore> open_store_to_write(const std::string& store, StoreNode node,
                                                std::function<void(const std::string&)> log) {
  if (is_postgres(store)) {
    return std::make_unique<PostgresStore>(store, std::move(node), std::move(log));
  }
  return std::make_unique<CampaignStore>(store, CampaignStore::Mode::kWrite);
}

}  // namespace updraft

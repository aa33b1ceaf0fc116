#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>

#include "fuzz/entry_points.h"
#include "service/campaign_log.h"
#include "store/campaign_store.h"
#include "support/folder.h"
#include "updraft/error.h"

namespace updraft::fuzz {

bool import(std::string_view input) {
  static const testing::TemporaryFolder folder;
  const std::string path = folder.path("import.db");
  for (const char* end : {"", "-wal", "-shm", "-head"}) std::filesystem::remove(path + end);
  CampaignStore store(path, CampaignStore::Mode::kWrite);
  std::istringstream in{std::string(input)};
  try {
    import_campaign(store, in);
  } catch (const InvalidInput&) {
    if (!store.campaigns().empty()) std::abort();
    return false;
  }
  if (store.campaigns().size() != 1) std::abort();
  return true;
}

}  // namespace updraft::fuzz

#include "experiments/claim_folder.h"

#include <fmt/format.h>

#include "experiments/folder.h"
#include "experiments/folder_lock.h"
#include "updraft/error.h"

namespace updraft {
namespace {

std::string shard_text(const std::optional<Shard>& shard) {
  return shard ? fmt::format("{}/{}", shard->index, shard->of) : "none";
}

}  // namespace

Manifest claim_folder(const Manifest& fresh, const std::filesystem::path& folder) {
  auto existing = read_manifest(folder);
  if (!existing) {
    check_empty(folder, {FolderLock::kFile, "manifest.json.partial"});
    write_manifest(fresh, folder);
    return fresh;
  }
  auto difference = first_difference(*existing, fresh);
  if (!difference && existing->shard != fresh.shard) {
    difference = {"shard", shard_text(existing->shard), shard_text(fresh.shard)};
  }
  if (difference) {
    throw InvalidInput(folder.string(),
                       fmt::format("contains results of another run: {} is {} there and {} here; "
                                   "give another folder with --out, or remove this one",
                                   difference->what, difference->there, difference->here));
  }
  existing->experiment = fresh.experiment;  // title, claims and figure may have changed
  write_manifest(*existing, folder);
  return *existing;
}

}  // namespace updraft

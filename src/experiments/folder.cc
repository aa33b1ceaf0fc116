#include "experiments/folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <system_error>

#include "updraft/error.h"

namespace updraft {

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error || !std::filesystem::is_directory(folder)) {
    throw std::runtime_error(fmt::format("cannot make the folder {}: {}", folder.string(),
                                         error ? error.message() : "a file has this name"));
  }
}

void check_empty(const std::filesystem::path& folder, const std::vector<std::string>& ours) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (std::find(ours.begin(), ours.end(), name) != ours.end()) continue;
    throw InvalidInput(folder.string(), fmt::format("is neither a results folder nor empty (it "
                                                    "contains {}); give another folder with --out",
                                                    name));
  }
}

}  // namespace updraft

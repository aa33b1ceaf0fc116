#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "support/source_folder.h"

namespace updraft::testing {

/// A published data set that is not part of the project: in the folder $UPDRAFT_DATA, else in
/// shared/data beside the source folder. Empty where it is in neither.
inline std::string real_data(const std::string& file) {
  const char* folder = std::getenv("UPDRAFT_DATA");
  const std::filesystem::path source = source_folder();
  for (const std::filesystem::path& path :
       {std::filesystem::path(folder != nullptr ? folder : "") / file,
        source.parent_path() / "shared" / "data" / file}) {
    std::error_code error;
    if (std::filesystem::is_regular_file(path, error)) return path.string();
  }
  return "";
}

}  // namespace updraft::testing

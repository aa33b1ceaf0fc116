#include "find_data.h"

#include <fmt/format.h>

#include <cstdlib>
#include <system_error>

#include "updraft/customer_table.h"
#include "updraft/error.h"

namespace updraft::cli {
namespace {

std::filesystem::path in_folder(const std::filesystem::path& folder, const std::string& data) {
  for (const std::string& name : table_files(data)) {
    std::error_code error;
    if (std::filesystem::is_regular_file(folder / name, error)) return folder / name;
  }
  return {};
}

}  // namespace

std::filesystem::path find_data(const std::string& data, const std::optional<std::string>& given) {
  if (!is_table_preset(data)) return {};
  if (!given) {
    const char* folder = std::getenv("UPDRAFT_DATA");
    return folder == nullptr || *folder == '\0' ? std::filesystem::path() : in_folder(folder, data);
  }
  std::error_code error;
  if (!std::filesystem::exists(*given, error)) {
    throw InvalidInput("--data", *given, "no such file or folder");
  }
  if (!std::filesystem::is_directory(*given, error))
    return *given;  // reading refuses it if it is not a table
  const std::filesystem::path found = in_folder(*given, data);
  if (found.empty()) {
    throw InvalidInput("--data", *given,
                       fmt::format("must contain one of {}", fmt::join(table_files(data), ", ")));
  }
  return found;
}

}  // namespace updraft::cli

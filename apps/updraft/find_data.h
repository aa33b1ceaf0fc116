#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace updraft::cli {

/// The table of a published data set: `given` with --data, or under one of its usual names in the
/// folder that is given, else in $UPDRAFT_DATA. Empty where it is in neither, and for other data.
/// Throws InvalidInput where what was given with --data does not have it.
std::filesystem::path find_data(const std::string& data, const std::optional<std::string>& given);

}  // namespace updraft::cli

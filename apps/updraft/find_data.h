#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace updraft::cli {

/// The table of a published data set. `given` with --data is the table, or a folder that holds it
/// under one of its usual names; without --data, $UPDRAFT_DATA is that folder. Empty if the folder
/// does not hold it, and for other data. Throws InvalidInput if --data was given and lacks it.
std::filesystem::path find_data(const std::string& data, const std::optional<std::string>& given);

}  // namespace updraft::cli

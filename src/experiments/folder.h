#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace updraft {

/// Creates a results folder if there is none. Throws std::runtime_error if it cannot.
void make_folder(const std::filesystem::path& folder);

/// Throws InvalidInput if a folder that has no manifest holds anything but `ours`.
void check_empty(const std::filesystem::path& folder, const std::vector<std::string>& ours);

}  // namespace updraft

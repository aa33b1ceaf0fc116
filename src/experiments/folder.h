#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace updraft {

/// Makes a results folder where there is none. Throws std::runtime_error where it cannot.
void make_folder(const std::filesystem::path& folder);

/// Throws InvalidInput where a folder that has no manifest holds anything but `ours`.
void check_empty(const std::filesystem::path& folder, const std::vector<std::string>& ours);

}  // namespace updraft

#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace updraft {

/// Writes a file beside its target, syncs it and renames it over the target: there is always a
/// whole file, the old or the new. Throws std::runtime_error if it cannot be written.
void replace_file(const std::filesystem::path& path, std::string_view bytes);

/// All bytes of a file. Throws std::runtime_error if it cannot be read.
std::string read_file(const std::filesystem::path& path);

/// Throws std::runtime_error `cannot WHAT PATH: reason`, the reason from errno.
[[noreturn]] void fail_on(std::string_view what, const std::filesystem::path& path);

}  // namespace updraft

#pragma once

#include <filesystem>
#include <iosfwd>
#include <memory>

#include "updraft/policy.h"

namespace updraft {

/// Saves a policy with its spec, its knowledge and its statistics. Format:
/// docs/formats/policy-state.md. The file is replaced as a whole or not at all.
/// Throws std::runtime_error if it cannot be written.
void save_policy(const Policy& policy, const std::filesystem::path& path);
void save_policy(const Policy& policy, std::ostream& out);

/// The policy as it was saved: it makes the same next choices, bit for bit. Throws InvalidInput if
/// the file has another format, is damaged or truncated, or has a newer version; std::runtime_error
/// if it cannot be read.
std::unique_ptr<Policy> load_policy(const std::filesystem::path& path);
std::unique_ptr<Policy> load_policy(std::istream& in);

}  // namespace updraft

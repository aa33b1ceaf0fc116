#pragma once

#include <filesystem>

#include "experiments/manifest.h"

namespace updraft {

inline constexpr const char* kJournalFile = "runs.journal";

/// The manifest to go on with. The folder must be new, empty, or of the same run; else throws
/// InvalidInput that names the first difference.
Manifest claim_folder(const Manifest& fresh, const std::filesystem::path& folder);

}  // namespace updraft

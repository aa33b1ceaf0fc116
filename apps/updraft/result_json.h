#pragma once

#include <filesystem>

#include "output.h"
#include "updraft/report.h"

namespace updraft::cli {

/// The objects that `updraft run --json` prints.
Json result_json(const ExperimentResult& result, const std::filesystem::path& folder);
Json result_json(const SuiteResult& suite, const std::filesystem::path& folder);

}  // namespace updraft::cli

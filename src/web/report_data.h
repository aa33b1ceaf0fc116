#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "updraft/results.h"

namespace updraft {

/// What a report page shows of an experiment: web/src/report/data.ts describes it, field by field.
/// Throws InvalidInput if the manifest is not JSON, or a curve has not a point for each round.
nlohmann::json experiment_data(const ExperimentResult& result, std::string_view manifest);

}  // namespace updraft

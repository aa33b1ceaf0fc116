#pragma once

#include <optional>
#include <span>

#include "updraft/response_models.h"

namespace updraft {

/// The probability that a row with outcome 1 scores higher than one with outcome 0, ties counting
/// half; none if there is only one of the two. Cost: O(n log n).
std::optional<double> area_under_curve(std::span<const double> scores,
                                       std::span<const double> outcomes);

/// What the predictions of held-out rows are worth: everything but `rows` and `mean_outcome`.
/// For logistic responses `scores` are log-odds, else expected outcomes. Cost: O(n log n).
ResponseQuality judge_predictions(ResponseKind response, std::span<const double> scores,
                                  std::span<const double> outcomes);

}  // namespace updraft

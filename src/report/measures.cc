#include "report/measures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "updraft/error.h"
#include "updraft/registry.h"

namespace updraft {
namespace {

constexpr std::array<Measure, 1> kInstanceMeasures = {{
    {"regret (expected reward lost)",
     [](const GridPoint& point) -> const std::vector<Summary>& { return point.curve; }, true, true},
}};

constexpr std::array<Measure, 3> kTargetingMeasures = {{
    {"regret (predicted uplift lost)", kInstanceMeasures[0].curve, true, false},
    {"regret of the payoffs that came",
     [](const GridPoint& point) -> const std::vector<Summary>& {
       return point.targeting->realised;
     },
     true, false},
    {"mean predicted uplift of those treated",
     [](const GridPoint& point) -> const std::vector<Summary>& { return point.targeting->uplift; },
     false, true},
}};

}  // namespace

std::span<const Measure> measures_of(const Experiment& experiment) {
  if (experiment.targeting) return kTargetingMeasures;
  return kInstanceMeasures;
}

std::vector<Curve> curves_of(const ExperimentResult& result, const Measure& measure) {
  std::vector<Curve> curves;
  for (std::size_t p = 0; p < result.experiment.policies.size(); ++p) {
    const PolicyGrid& grid = result.experiment.policies[p];
    const bool yardstick = policy_info(grid.spec.name()).traits.learns_nothing;
    if (yardstick && !measure.with_yardsticks) continue;
    const GridPoint& point = result.best(p);
    const std::vector<Summary>& means = measure.curve(point);
    if (means.empty() || means.size() != result.curve_rounds.size()) {
      throw InvalidInput("curve", grid.label, "must have one point for each of the curve's rounds");
    }
    const bool tuned = !grid.parameter.empty() && point.value.has_value();
    curves.push_back(
        {p, &means,
         tuned ? fmt::format("{} = {}", grid.parameter, number_text(*point.value)) : ""});
  }
  std::stable_sort(curves.begin(), curves.end(), [](const Curve& a, const Curve& b) {
    return a.means->back().mean > b.means->back().mean;
  });
  return curves;
}

}  // namespace updraft

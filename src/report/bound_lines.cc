#include "report/bound_lines.h"

#include <fmt/format.h>

#include <algorithm>

#include "updraft/theory.h"

namespace updraft {
namespace {

constexpr double kDelta = 0.05;

bool plays(const Experiment& experiment, std::string_view policy) {
  return std::any_of(experiment.policies.begin(), experiment.policies.end(),
                     [&](const PolicyGrid& grid) { return grid.spec.name() == policy; });
}

}  // namespace

std::vector<BoundLine> bound_lines(const ExperimentResult& result) {
  const auto instance = load_instance(result.experiment.instance);
  BoundInputs in = BoundInputs::of(*instance, 1.0, kDelta);
  const double largest_gap = *std::max_element(in.gaps.begin(), in.gaps.end());
  std::vector<BoundLine> lines;
  for (const BoundInfo& bound : bounds()) {
    const bool wanted =
        bound.upper ? plays(result.experiment, bound.name) : bound.name == "lower_affected";
    if (!wanted || !applies(bound, in)) continue;
    BoundLine line;
    line.label =
        bound.upper ? fmt::format("upper bound, {}", bound.name) : "lower bound, worst case";
    for (const std::uint32_t rounds : result.curve_rounds) {
      in.rounds = rounds;
      const double value = bound.evaluate(in);
      if (!(value < in.rounds * largest_gap)) continue;
      line.rounds.push_back(in.rounds);
      line.values.push_back(value);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace updraft

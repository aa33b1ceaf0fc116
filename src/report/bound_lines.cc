#include "report/bound_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "updraft/registry.h"
#include "updraft/theory.h"

namespace updraft {
namespace {

constexpr double kDelta = 0.05;

/// Only how much it explores.
bool is_exploration(std::string_view parameter) {
  constexpr std::array<std::string_view, 3> kNames = {"alpha", "delta", "horizon"};
  return parameter.empty() || std::find(kNames.begin(), kNames.end(), parameter) != kNames.end();
}

/// Whether the theorem is about this policy. A variant of its index has no theorem or another
/// bound; so has a policy that is told another L or Delta than the true one.
bool as_in_theorem(const PolicyGrid& grid) {
  if (!is_exploration(grid.parameter)) return false;
  const auto& parameters = policy_info(grid.spec.name()).parameters;
  return std::all_of(parameters.begin(), parameters.end(), [&](const ParameterInfo& parameter) {
    if (is_exploration(parameter.name)) return true;
    if (grid.spec.number(parameter.name) || grid.spec.list(parameter.name)) return false;
    const auto word = grid.spec.word(parameter.name);
    return !word || *word == parameter.otherwise.words;
  });
}

bool plays(const Experiment& experiment, std::string_view policy) {
  return std::any_of(
      experiment.policies.begin(), experiment.policies.end(),
      [&](const PolicyGrid& grid) { return grid.spec.name() == policy && as_in_theorem(grid); });
}

/// Says so if the bound is not that of a policy that is given delta.
std::string upper_label(const BoundInfo& bound, const BoundInputs& in) {
  const double scale = alpha_scale(bound, in);
  return fmt::format("upper bound, {}", bound.name) +
         (scale > 1.0 ? fmt::format(" (alpha x {:.3g})", scale) : "");
}

}  // namespace

std::vector<BoundLine> bound_lines(const ExperimentResult& result) {
  const auto instance = load_instance(result.experiment.instance);
  if (std::isinf(instance->variance_proxy())) return {};
  BoundInputs in = BoundInputs::of(*instance, 1.0, kDelta);
  const double largest_gap = *std::max_element(in.gaps.begin(), in.gaps.end());
  std::vector<BoundLine> lines;
  for (const BoundInfo& bound : bounds()) {
    const bool wanted =
        bound.upper ? plays(result.experiment, bound.name) : bound.name == "lower_affected";
    if (!wanted || !applies(bound, in)) continue;
    BoundLine line;
    line.label = bound.upper ? upper_label(bound, in) : "lower bound, worst case";
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

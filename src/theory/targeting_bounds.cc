#include <fmt/format.h>

#include <array>
#include <cmath>

#include "updraft/error.h"
#include "updraft/theory.h"

namespace updraft {
namespace {

constexpr std::array<TargetingBoundInfo, 1> kTargetingBounds = {{
    {"c2_up_ucb",
     "4 sqrt(d L (Z+1) T log(1 + L T/(d lambda))) * (sqrt(lambda) B + sqrt(2 log((Z+1)/delta) + "
     "d log(1 + m T/(d lambda))))",
     "hsieh22, Thm 5", bound_c2_up_ucb},
}};

}  // namespace

double bound_c2_up_ucb(const TargetingBoundInputs& in) {
  if (in.features < 1) throw InvalidInput("features", 0.0, "must be at least 1");
  if (in.individuals < 1) throw InvalidInput("individuals", 0.0, "must be at least 1");
  if (in.budget < 1 || in.budget > in.individuals) {
    throw InvalidInput(
        "budget", std::to_string(in.budget),
        fmt::format("must be from 1 to the number of individuals, {}", in.individuals));
  }
  if (in.treatments < 1) throw InvalidInput("treatments", 0.0, "must be at least 1");
  if (!(in.ridge >= static_cast<double>(in.budget)) || !std::isfinite(in.ridge)) {
    throw InvalidInput("ridge", in.ridge,
                       fmt::format("must be at least the budget, {}", in.budget));
  }
  check_positive("norm_bound", in.norm_bound);
  if (!(in.rounds >= 1.0) || !std::isfinite(in.rounds)) {
    throw InvalidInput("rounds", in.rounds, "must be at least 1");
  }
  check_probability("delta", in.delta);

  const auto d = static_cast<double>(in.features);
  const auto budget = static_cast<double>(in.budget);
  const auto models = static_cast<double>(in.treatments) + 1.0;
  const double per_round = in.rounds / (d * in.ridge);
  const double radius = std::sqrt(in.ridge) * in.norm_bound +
                        std::sqrt(2.0 * std::log(models / in.delta) +
                                  d * std::log1p(static_cast<double>(in.individuals) * per_round));
  return 4.0 * std::sqrt(d * budget * models * in.rounds * std::log1p(budget * per_round)) * radius;
}

std::span<const TargetingBoundInfo> targeting_bounds() { return kTargetingBounds; }

}  // namespace updraft

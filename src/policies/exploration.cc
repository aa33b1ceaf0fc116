#include "policies/exploration.h"

#include <cmath>
#include <limits>

#include "updraft/error.h"

namespace updraft {

double exploration_alpha(const PolicySpec& spec, const Knowledge& knowledge, ErrorSplit split) {
  const auto alpha = spec.number("alpha");
  const auto delta = spec.number("delta");
  if (alpha && delta) {
    throw InvalidInput(spec.name() + ".delta", *delta, "give alpha or delta, not both");
  }
  if (alpha) return *alpha;
  if (!delta) {
    throw InvalidInput(
        spec.name() + ".alpha",
        "missing: give alpha (> 0), or delta (in (0, 1)) with a horizon; auto picks a "
        "policy that needs neither");
  }
  if (!knowledge.horizon()) {
    throw InvalidInput(spec.name() + ".horizon", "missing: delta needs the number of rounds");
  }
  const double events =
      static_cast<double>(knowledge.actions()) * static_cast<double>(*knowledge.horizon());
  switch (split) {
    case ErrorSplit::kRewards:
      return std::log(2.0 * events / *delta);
    case ErrorSplit::kAffectedVariables:
      return std::log(4.0 * events * static_cast<double>(*knowledge.max_affected()) / *delta);
    case ErrorSplit::kAllVariables:
      return std::log(2.0 * events * static_cast<double>(knowledge.variables()) / *delta);
    case ErrorSplit::kAllVariablesAndBaselines:
      return std::log(4.0 * events * static_cast<double>(knowledge.variables()) / *delta);
  }
  return 0.0;
}

std::uint64_t identification_pulls(double factor, double distance, double alpha) {
  const double pulls = std::ceil(factor / (distance * distance) * alpha);
  constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
  if (!(pulls < 0x1p63)) return kMost;
  return static_cast<std::uint64_t>(pulls);
}

}  // namespace updraft

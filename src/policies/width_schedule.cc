#include "policies/width_schedule.h"

#include <cmath>

#include "updraft/error.h"

namespace updraft {

double WidthSchedule::beta(const Growth& growth) const {
  if (!delta) return constant;
  const auto d = static_cast<double>(growth.features);
  return std::sqrt(growth.lambda) * bound +
         std::sqrt(2.0 * std::log(static_cast<double>(growth.models) / *delta) +
                   d * std::log(1.0 + growth.rows / (d * growth.lambda)));
}

WidthSchedule read_width_schedule(const PolicySpec& spec) {
  const auto beta = spec.number("beta");
  const WidthSchedule schedule{.constant = beta.value_or(0.0),
                               .delta = spec.number("delta"),
                               .bound = spec.number_or_default("bound")};
  if (beta && schedule.delta) {
    throw InvalidInput(spec.name() + ".delta", *schedule.delta, "give beta or delta, not both");
  }
  if (!beta && !schedule.delta) {
    throw InvalidInput(spec.name() + ".beta",
                       "missing: give beta (> 0), or delta (in (0, 1)) for the theorem's");
  }
  return schedule;
}

double ridge_of(const PolicySpec& spec, std::size_t budget) {
  const bool by_theorem = spec.number("delta") && !spec.number("lambda");
  return by_theorem ? static_cast<double>(budget) : spec.number_or_default("lambda");
}

void check_needs_no_rows(const PolicySpec& spec) {
  if (!spec.number("delta")) return;
  throw InvalidInput("policy state: version", "1",
                     "does not say how many rows were learned from, and with delta beta depends on "
                     "it: make the policy anew and let it observe its rows again, or load the "
                     "state with the release that saved it");
}

}  // namespace updraft

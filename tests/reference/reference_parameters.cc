#include "reference/reference_parameters.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>

#include "reference/reference_policy.h"

namespace updraft::testing {

namespace {

[[noreturn]] void missing(std::string_view what) {
  throw std::invalid_argument("the reference needs " + std::string(what));
}

std::optional<double> as_number(std::optional<std::uint64_t> value) {
  if (!value) return std::nullopt;
  return static_cast<double>(*value);
}

}  // namespace

double given_number(const PolicySpec& spec, std::string_view parameter,
                    std::optional<double> known) {
  if (const std::optional<double> value = spec.number(parameter)) return *value;
  if (known) return *known;
  missing(parameter);
}

std::vector<std::size_t> given_max_affected(const PolicySpec& spec, const Knowledge& knowledge) {
  if (const std::optional<std::vector<double>> list = spec.list("max_affected")) {
    return std::vector<std::size_t>(list->begin(), list->end());
  }
  if (const std::optional<double> value = spec.number("max_affected")) {
    return std::vector<std::size_t>(knowledge.actions(), static_cast<std::size_t>(*value));
  }
  if (knowledge.max_affected_per_action() != nullptr) return *knowledge.max_affected_per_action();
  if (const std::optional<std::size_t> value = knowledge.max_affected()) {
    return std::vector<std::size_t>(knowledge.actions(), *value);
  }
  missing("max_affected");
}

double given_min_uplift(const PolicySpec& spec, const Knowledge& knowledge) {
  return given_number(spec, "min_uplift", knowledge.min_uplift());
}

double given_effect_gap(const PolicySpec& spec, const Knowledge& knowledge) {
  return given_number(spec, "effect_gap", knowledge.effect_gap());
}

const std::vector<double>& given_baseline(const Knowledge& knowledge) {
  if (knowledge.baseline() == nullptr) missing("baseline");
  return *knowledge.baseline();
}

const AffectedSets& given_affected(const Knowledge& knowledge) {
  if (knowledge.affected() == nullptr) missing("affected");
  return *knowledge.affected();
}

const BaselineObservations& given_observations(const Knowledge& knowledge) {
  if (knowledge.observations() == nullptr) missing("observations");
  return *knowledge.observations();
}

double reference_alpha(const PolicySpec& spec, const Knowledge& knowledge) {
  if (const std::optional<double> alpha = spec.number("alpha")) return *alpha;
  const double delta = given_number(spec, "delta");
  const double horizon = given_number(spec, "horizon", as_number(knowledge.horizon()));
  const double actions = static_cast<double>(knowledge.actions());
  const double variables = static_cast<double>(knowledge.variables());

  const std::string& name = spec.name();
  double delta_prime = 0.0;
  if (name == "ucb" || name == "up_ucb_bl") {
    delta_prime = delta / (2.0 * actions * horizon);
  } else if (name == "up_ucb" || name == "up_ucb_obs") {
    const std::size_t largest =
        std::max<std::size_t>(1, given_affected(knowledge).largest());  // L = max |V(a)|
    delta_prime = delta / (4.0 * actions * static_cast<double>(largest) * horizon);
  } else if (spec.word("baseline_estimate") == "aggregated") {
    delta_prime = delta / (4.0 * actions * variables * horizon);
  } else {
    delta_prime = delta / (2.0 * actions * variables * horizon);
  }
  return std::log(1.0 / delta_prime);
}

}  // namespace updraft::testing

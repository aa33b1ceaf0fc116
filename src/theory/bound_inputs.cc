#include "theory/bound_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "theory/divergences.h"
#include "updraft/error.h"

namespace updraft {
namespace {

void check_scale(std::string_view field, double value) {
  if (!(value >= 0.0) || !std::isfinite(value)) {
    throw InvalidInput(field, value, "must be finite and >= 0");
  }
}

void check_actions(const BoundInputs& in) {
  if (in.gaps.empty()) throw InvalidInput("gaps", "must have at least one action");
  if (in.affected.size() != in.gaps.size()) {
    throw InvalidInput("affected", fmt::format("has {} numbers; must have one for each of {} gaps",
                                               in.affected.size(), in.gaps.size()));
  }
}

/// Needs check_actions().
void check_max_affected(const BoundInputs& in, const std::vector<std::size_t>& per_action,
                        std::string_view field) {
  if (per_action.size() != in.affected.size()) {
    throw InvalidInput(field, fmt::format("{} numbers", per_action.size()),
                       fmt::format("must have one for each of the {} actions", in.affected.size()));
  }
  for (std::size_t a = 0; a < per_action.size(); ++a) {
    if (per_action[a] < in.affected[a] || per_action[a] > in.variables) {
      throw InvalidInput(
          fmt::format("{}[{}]", field, a), std::to_string(per_action[a]),
          fmt::format(
              "must be from {}, as many as action {} affects, to the number of variables, {}",
              in.affected[a], a, in.variables));
    }
  }
  if (*std::max_element(per_action.begin(), per_action.end()) == 0) {
    throw InvalidInput(field, "must not be 0 for all actions");
  }
}

/// `own`: that of the instance, 0 if it has none.
void check_delta(double value, double own, const BoundInputs& in, std::string_view field) {
  check_positive(field, value);
  const auto& affected = in.affected;
  if (std::all_of(affected.begin(), affected.end(), [](std::size_t n) { return n == 0; })) return;
  if (!above_delta(value, own)) return;
  throw InvalidInput(field, value,
                     own > 0.0 ? fmt::format("must be at most that of the instance, {}: no theorem "
                                             "holds for more",
                                             own)
                               : "must be left out: the instance has none, so no theorem holds");
}

}  // namespace

bool above_delta(double value, double own) { return value > own * (1.0 + 1e-9); }

void check_rounds(double rounds) {
  if (!(rounds >= 1.0) || !std::isfinite(rounds)) {
    throw InvalidInput("rounds", rounds, "must be at least 1");
  }
}

void check(const BoundInputs& in) {
  check_actions(in);
  if (in.variables < 1) throw InvalidInput("variables", 0.0, "must be at least 1");
  for (std::size_t a = 0; a < in.gaps.size(); ++a) {
    if (!(in.gaps[a] >= 0.0) || !std::isfinite(in.gaps[a])) {
      throw InvalidInput(fmt::format("gaps[{}]", a), in.gaps[a], "must be finite and >= 0");
    }
    if (in.affected[a] > in.variables) {
      throw InvalidInput(fmt::format("affected[{}]", a), std::to_string(in.affected[a]),
                         fmt::format("must be at most the number of variables, {}", in.variables));
    }
  }
  const double least_gap = *std::min_element(in.gaps.begin(), in.gaps.end());
  if (least_gap != 0.0)
    throw InvalidInput("gaps", number_text(least_gap), "the smallest must be 0");
  check_max_affected(in, in.max_affected, "max_affected");
  check_scale("variance_proxy", in.variance_proxy);
  if (in.reward_variance_proxy) check_scale("reward_variance_proxy", *in.reward_variance_proxy);
  check_rounds(in.rounds);
  check_probability("delta", in.delta);
}

BoundInputs BoundInputs::of(const Instance& instance, double rounds, double delta) {
  if (std::isinf(instance.variance_proxy())) {
    throw InvalidInput("instance", instance.name(),
                       "has noise with heavy tails, which is not sub-Gaussian: no bound holds");
  }
  if (instance.changes()) {
    throw InvalidInput("instance", instance.name(),
                       "changes with the rounds; the theorems are for means that stay");
  }
  BoundInputs in;
  in.gaps.assign(instance.gaps().begin(), instance.gaps().end());
  for (ActionId a = 0; a < instance.actions(); ++a) {
    in.affected.push_back(instance.affected()->of(a).size());
  }
  in.variables = instance.variables();
  in.max_affected.assign(in.affected.size(), std::max<std::size_t>(1, instance.max_affected()));
  in.min_uplift = instance.min_uplift();
  in.effect_gap = instance.effect_gap();
  in.variance_proxy = instance.variance_proxy();
  in.reward_variance_proxy = instance.reward_variance_proxy();
  in.divergences = least_divergences(instance);
  in.rounds = rounds;
  in.delta = delta;
  return in;
}

void BoundInputs::set_max_affected(std::size_t for_all, std::string_view field) {
  check_actions(*this);
  const std::size_t least =
      std::max<std::size_t>(1, *std::max_element(affected.begin(), affected.end()));
  if (for_all < least || for_all > variables) {
    throw InvalidInput(field, std::to_string(for_all),
                       fmt::format("must be from {}, the most that an action affects, to the "
                                   "number of variables, {}",
                                   least, variables));
  }
  max_affected.assign(affected.size(), for_all);
}

void BoundInputs::set_max_affected(std::vector<std::size_t> per_action, std::string_view field) {
  check_actions(*this);
  check_max_affected(*this, per_action, field);
  max_affected = std::move(per_action);
}

void BoundInputs::set_min_uplift(double value, std::string_view field) {
  check_delta(value, min_uplift, *this, field);
  min_uplift = value;
}

void BoundInputs::set_effect_gap(double value, std::string_view field) {
  check_delta(value, effect_gap, *this, field);
  effect_gap = value;
}

}  // namespace updraft

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "updraft/error.h"
#include "updraft/theory.h"

namespace updraft {
namespace {

void check_rounds(double rounds) {
  if (!(rounds >= 1.0) || !std::isfinite(rounds)) {
    throw InvalidInput("rounds", rounds, "must be at least 1");
  }
}

void check(const BoundInputs& in) {
  if (in.gaps.empty()) throw InvalidInput("gaps", "must have at least one action");
  if (in.affected.size() != in.gaps.size()) {
    throw InvalidInput("affected", fmt::format("has {} numbers; must have one for each of {} gaps",
                                               in.affected.size(), in.gaps.size()));
  }
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
  const std::size_t least =
      std::max<std::size_t>(1, *std::max_element(in.affected.begin(), in.affected.end()));
  if (in.max_affected < least || in.max_affected > in.variables) {
    throw InvalidInput(
        "max_affected", std::to_string(in.max_affected),
        fmt::format("must be from the largest of affected, {}, to the number of variables, {}",
                    least, in.variables));
  }
  check_rounds(in.rounds);
  check_probability("delta", in.delta);
}

void check_with_min_uplift(const BoundInputs& in) {
  check(in);
  check_positive("min_uplift", in.min_uplift);
}

void check_with_effect_gap(const BoundInputs& in) {
  check(in);
  check_positive("effect_gap", in.effect_gap);
}

/// log(1/delta') for delta' = delta / (factor * K * T).
double log_term(const BoundInputs& in, double factor) {
  return std::log(factor * static_cast<double>(in.gaps.size()) * in.rounds / in.delta);
}

/// L(a*): the smallest among the best actions.
double best_affected(const BoundInputs& in) {
  std::size_t least = in.variables;
  for (std::size_t a = 0; a < in.gaps.size(); ++a) {
    if (in.gaps[a] == 0.0) least = std::min(least, in.affected[a]);
  }
  return static_cast<double>(least);
}

/// sum of coefficient * width(a)^2 / gap + gap over the actions with a gap > 0.
template <typename Width>
double upper_bound(const BoundInputs& in, double coefficient, Width width) {
  double total = 0.0;
  for (std::size_t a = 0; a < in.gaps.size(); ++a) {
    if (!(in.gaps[a] > 0.0)) continue;
    const double w = width(a);
    total += coefficient * w * w / in.gaps[a] + in.gaps[a];
  }
  return total;
}

/// sum of 2 width(a)^2 / gap * log T.
template <typename Width>
double lower_bound(const BoundInputs& in, Width width) {
  double total = 0.0;
  for (std::size_t a = 0; a < in.gaps.size(); ++a) {
    if (in.gaps[a] > 0.0) total += 2.0 * width(a) * width(a) / in.gaps[a];
  }
  return total * std::log(in.rounds);
}

constexpr std::array<BoundInfo, 10> kBounds = {{
    {"ucb", "sum 8 m^2 log(2KT/delta) / gap + gap", "auer02", true, {}, bound_ucb},
    {"up_ucb_bl",
     "sum 8 L(a)^2 log(2KT/delta) / gap + gap",
     "hsieh22, Prop. 1",
     true,
     {},
     bound_up_ucb_bl},
    {"up_ucb",
     "sum 8 (L(a) + L(a*))^2 log(4KLT/delta) / gap + gap",
     "hsieh22, Thm 1",
     true,
     {},
     bound_up_ucb},
    {"up_ucb_l_bl",
     "sum 32 L^2 log(2KmT/delta) / gap + gap",
     "hsieh22, Thm 2",
     true,
     {},
     bound_up_ucb_l_bl},
    {"up_ucb_l",
     "sum 512 L^2 log(2KmT/delta) / gap + gap",
     "hsieh22, Thm 2",
     true,
     {},
     bound_up_ucb_l},
    {"up_ucb_ilift_bl", "sum 8 clip(gap/Delta, L(a), m)^2 log(2KmT/delta) / gap + gap",
     "hsieh22, Thm 3", true, Need::kMinUplift, bound_up_ucb_ilift_bl},
    {"up_ucb_ilift", "sum 8 clip(2 gap/Delta, L(a) + L(a*), 2m)^2 log(2KmT/delta) / gap + gap",
     "hsieh22, Thm 4", true, Need::kEffectGap, bound_up_ucb_ilift},
    {"up_ucb_l_ilift_bl", "sum 8 clip(gap/Delta, L(a), L)^2 log(2KmT/delta) / gap + gap",
     "hsieh22, remark after Thm 3", true, Need::kMinUplift, bound_up_ucb_l_ilift_bl},
    {"lower_affected",
     "sum 2 L(a)^2 / gap * log T",
     "hsieh22, Prop. 3",
     false,
     {},
     lower_bound_affected},
    {"lower_reward", "sum 2 m^2 / gap * log T", "hsieh22, Prop. 2", false, {}, lower_bound_reward},
}};

}  // namespace

BoundInputs BoundInputs::of(const Instance& instance, double rounds, double delta) {
  BoundInputs in;
  in.gaps.assign(instance.gaps().begin(), instance.gaps().end());
  for (ActionId a = 0; a < instance.actions(); ++a) {
    in.affected.push_back(instance.affected()->of(a).size());
  }
  in.variables = instance.variables();
  in.max_affected = std::max<std::size_t>(1, instance.max_affected());
  in.min_uplift = instance.min_uplift();
  in.effect_gap = instance.effect_gap();
  in.rounds = rounds;
  in.delta = delta;
  return in;
}

double bound_ucb(const BoundInputs& in) {
  check(in);
  const auto m = static_cast<double>(in.variables);
  return upper_bound(in, 8.0 * log_term(in, 2.0), [&](std::size_t) { return m; });
}

double bound_up_ucb_bl(const BoundInputs& in) {
  check(in);
  return upper_bound(in, 8.0 * log_term(in, 2.0),
                     [&](std::size_t a) { return static_cast<double>(in.affected[a]); });
}

double bound_up_ucb(const BoundInputs& in) {
  check(in);
  const double best = best_affected(in);
  return upper_bound(in, 8.0 * log_term(in, 4.0 * static_cast<double>(in.max_affected)),
                     [&](std::size_t a) { return static_cast<double>(in.affected[a]) + best; });
}

double bound_up_ucb_l_bl(const BoundInputs& in) {
  check(in);
  const auto most = static_cast<double>(in.max_affected);
  return upper_bound(in, 32.0 * log_term(in, 2.0 * static_cast<double>(in.variables)),
                     [&](std::size_t) { return most; });
}

double bound_up_ucb_l(const BoundInputs& in) {
  check(in);
  const auto most = static_cast<double>(in.max_affected);
  return upper_bound(in, 512.0 * log_term(in, 2.0 * static_cast<double>(in.variables)),
                     [&](std::size_t) { return most; });
}

double bound_up_ucb_ilift_bl(const BoundInputs& in) {
  check_with_min_uplift(in);
  const auto m = static_cast<double>(in.variables);
  return upper_bound(in, 8.0 * log_term(in, 2.0 * m), [&](std::size_t a) {
    return std::clamp(in.gaps[a] / in.min_uplift, static_cast<double>(in.affected[a]), m);
  });
}

double bound_up_ucb_ilift(const BoundInputs& in) {
  check_with_effect_gap(in);
  const auto m = static_cast<double>(in.variables);
  const double best = best_affected(in);
  return upper_bound(in, 8.0 * log_term(in, 2.0 * m), [&](std::size_t a) {
    return std::clamp(2.0 * in.gaps[a] / in.effect_gap, static_cast<double>(in.affected[a]) + best,
                      2.0 * m);
  });
}

double bound_up_ucb_l_ilift_bl(const BoundInputs& in) {
  check_with_min_uplift(in);
  const auto most = static_cast<double>(in.max_affected);
  return upper_bound(
      in, 8.0 * log_term(in, 2.0 * static_cast<double>(in.variables)), [&](std::size_t a) {
        return std::clamp(in.gaps[a] / in.min_uplift, static_cast<double>(in.affected[a]), most);
      });
}

double lower_bound_affected(const BoundInputs& in) {
  check(in);
  return lower_bound(in, [&](std::size_t a) { return static_cast<double>(in.affected[a]); });
}

double lower_bound_reward(const BoundInputs& in) {
  check(in);
  const auto m = static_cast<double>(in.variables);
  return lower_bound(in, [&](std::size_t) { return m; });
}

double bound_c2_up_ucb(const CampaignBoundInputs& in) {
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
  check_rounds(in.rounds);
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

std::span<const BoundInfo> bounds() { return kBounds; }

bool applies(const BoundInfo& bound, const BoundInputs& in) {
  return (!bound.needs.contains(Need::kMinUplift) || in.min_uplift > 0.0) &&
         (!bound.needs.contains(Need::kEffectGap) || in.effect_gap > 0.0);
}

}  // namespace updraft

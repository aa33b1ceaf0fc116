#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "theory/bound_inputs.h"
#include "updraft/error.h"
#include "updraft/theory.h"

namespace updraft {
namespace {

/// Infinite is fine: then no law is close.
void check_divergence(double value, std::size_t action) {
  if (!(value > 0.0)) {
    throw InvalidInput(fmt::format("divergences[{}]", action), value, "must be > 0");
  }
}

double largest(const std::vector<std::size_t>& counts) {
  std::size_t most = 0;
  for (const std::size_t count : counts) most = std::max(most, count);
  return static_cast<double>(most);
}

// alpha = s^2 log(1/delta') with the theorems' delta' = delta / (factor K T).

double alpha_with(const BoundInputs& in, double scale, double factor) {
  check(in);
  return std::max(1.0, scale) *
         std::log(factor * static_cast<double>(in.gaps.size()) * in.rounds / in.delta);
}

/// For the sum of all payoffs, which must be m-sub-Gaussian.
double alpha_of_reward(const BoundInputs& in) {
  const auto m = static_cast<double>(in.variables);
  const double scale =
      in.reward_variance_proxy ? *in.reward_variance_proxy / (m * m) : in.variance_proxy;
  return alpha_with(in, scale, 2.0);
}

/// For the sums over V(a).
double alpha_of_sums(const BoundInputs& in) { return alpha_with(in, in.variance_proxy, 2.0); }

/// For affected variables and their baselines. The policies know the sets, so no L(a) matters.
double alpha_of_affected(const BoundInputs& in) {
  return alpha_with(in, in.variance_proxy, 4.0 * std::max(1.0, largest(in.affected)));
}

/// For every variable of every action.
double alpha_of_all(const BoundInputs& in) {
  return alpha_with(in, in.variance_proxy, 2.0 * static_cast<double>(in.variables));
}

/// Of `counts`, one per action, the smallest among the best actions.
double least_of_best(const BoundInputs& in, const std::vector<std::size_t>& counts) {
  std::size_t least = in.variables;
  for (std::size_t a = 0; a < in.gaps.size(); ++a) {
    if (in.gaps[a] == 0.0) least = std::min(least, counts[a]);
  }
  return static_cast<double>(least);
}

/// The sum of term(a) over the actions with a gap > 0.
template <typename Term>
double sum_over_gaps(const BoundInputs& in, Term term) {
  double total = 0.0;
  for (std::size_t a = 0; a < in.gaps.size(); ++a) {
    if (in.gaps[a] > 0.0) total += term(a);
  }
  return total;
}

/// sum of coefficient * width(a)^2 / gap + gap.
template <typename Width>
double upper_bound(const BoundInputs& in, double coefficient, Width width) {
  return sum_over_gaps(in, [&](std::size_t a) {
    const double w = width(a);
    return coefficient * w * w / in.gaps[a] + in.gaps[a];
  });
}

/// sum of 2 sigma^2 width(a)^2 / gap * log T.
template <typename Width>
double lower_bound(const BoundInputs& in, Width width) {
  const double sum = sum_over_gaps(in, [&](std::size_t a) {
    return 2.0 * in.variance_proxy * width(a) * width(a) / in.gaps[a];
  });
  return sum * std::log(in.rounds);
}

constexpr Need kMinUplift = Need::kMinUplift;
constexpr Need kEffectGap = Need::kEffectGap;

constexpr std::array<BoundInfo, 13> kBounds = {{
    {"ucb",
     "sum 8 s^2 m^2 log(2KT/delta) / gap + gap",
     "auer02",
     true,
     {},
     bound_ucb,
     alpha_of_reward},
    {"up_ucb_bl",
     "sum 8 s^2 |V(a)|^2 log(2KT/delta) / gap + gap",
     "hsieh22, Prop. 1",
     true,
     {},
     bound_up_ucb_bl,
     alpha_of_sums},
    {"up_ucb",
     "sum 8 s^2 (|V(a)| + |V(a*)|)^2 log(4K max|V| T/delta) / gap + gap",
     "hsieh22, Thm 1",
     true,
     {},
     bound_up_ucb,
     alpha_of_affected},
    {"comb_ucb",
     "32 s^2 m (m / least gap + sum |V(a)| / gap) log(4K max|V| T/delta) + sum gap",
     "kveton15; hsieh22, section 9",
     true,
     {},
     bound_comb_ucb,
     alpha_of_affected},
    {"up_ucb_l_bl",
     "sum 32 s^2 L(a)^2 log(2KmT/delta) / gap + gap",
     "hsieh22, Thm 2",
     true,
     {},
     bound_up_ucb_l_bl,
     alpha_of_all},
    {"up_ucb_l",
     "sum 2 s^2 (6L(a) + 2L(a*) + 8L)^2 log(2KmT/delta) / gap + gap",
     "hsieh22, Thm 2",
     true,
     {},
     bound_up_ucb_l,
     alpha_of_all},
    {"up_ucb_ilift_bl", "sum 8 s^2 clip(gap/D, |V(a)|, m)^2 log(2KmT/delta) / gap + gap",
     "hsieh22, Thm 3", true, kMinUplift, bound_up_ucb_ilift_bl, alpha_of_all},
    {"up_ucb_ilift",
     "sum 8 s^2 clip(2 gap/effect gap, |V(a)| + |V(a*)|, 2m)^2 log(2KmT/delta) / gap + gap",
     "hsieh22, Thm 4", true, kEffectGap, bound_up_ucb_ilift, alpha_of_all},
    {"up_ucb_l_ilift_bl", "sum 8 s^2 clip(gap/D, |V(a)|, 2L(a))^2 log(2KmT/delta) / gap + gap",
     "hsieh22, proofs of Thms 2, 3", true, kMinUplift, bound_up_ucb_l_ilift_bl, alpha_of_all},
    {"up_ucb_explore_bl", "sum 8 s^2 max(gap/Delta, |V(a)|)^2 log(2KmT/delta) / gap + gap",
     "hsieh22, proof of Thm 3", true, kMinUplift, bound_up_ucb_explore_bl, alpha_of_all},
    {"lower_affected",
     "sum 2 sigma^2 |V(a)|^2 / gap * log T",
     "hsieh22, Prop. 3",
     false,
     {},
     lower_bound_affected,
     nullptr},
    {"lower_reward",
     "sum 2 sigma^2 m^2 / gap * log T",
     "hsieh22, Prop. 2",
     false,
     {},
     lower_bound_reward,
     nullptr},
    {"lower_covariance",
     "sum gap / divergence(a) * log T; normal noise: sum 2 v(a) / gap * log T",
     "hsieh22, Remark 1",
     false,
     {},
     lower_bound_covariance,
     nullptr},
}};

}  // namespace

double bound_ucb(const BoundInputs& in) {
  const auto m = static_cast<double>(in.variables);
  return upper_bound(in, 8.0 * alpha_of_reward(in), [&](std::size_t) { return m; });
}

double bound_up_ucb_bl(const BoundInputs& in) {
  return upper_bound(in, 8.0 * alpha_of_sums(in),
                     [&](std::size_t a) { return static_cast<double>(in.affected[a]); });
}

double bound_up_ucb(const BoundInputs& in) {
  const double best = least_of_best(in, in.affected);
  return upper_bound(in, 8.0 * alpha_of_affected(in),
                     [&](std::size_t a) { return static_cast<double>(in.affected[a]) + best; });
}

double bound_comb_ucb(const BoundInputs& in) {
  const double alpha = alpha_of_affected(in);
  const auto m = static_cast<double>(in.variables);
  double least_gap = std::numeric_limits<double>::infinity();
  const double items = sum_over_gaps(in, [&](std::size_t a) {
    least_gap = std::min(least_gap, in.gaps[a]);
    return static_cast<double>(in.affected[a]) / in.gaps[a];
  });
  return 32.0 * alpha * m * (m / least_gap + items) +
         sum_over_gaps(in, [&](std::size_t a) { return in.gaps[a]; });
}

double bound_up_ucb_l_bl(const BoundInputs& in) {
  return upper_bound(in, 32.0 * alpha_of_all(in),
                     [&](std::size_t a) { return static_cast<double>(in.max_affected[a]); });
}

double bound_up_ucb_l(const BoundInputs& in) {
  const double alpha = alpha_of_all(in);
  const double others = 2.0 * least_of_best(in, in.max_affected) + 8.0 * largest(in.max_affected);
  return upper_bound(in, 2.0 * alpha, [&](std::size_t a) {
    return 6.0 * static_cast<double>(in.max_affected[a]) + others;
  });
}

/// Thm 3 counts n0 = ceil(8 alpha / Delta^2) pulls before the set is found. The first K rounds find
/// none, so that it takes two pulls even if n0 = 1: as if Delta were sqrt(8 alpha) at most.
double identifying_uplift(const BoundInputs& in, double alpha) {
  check_positive("min_uplift", in.min_uplift);
  return std::min(in.min_uplift, std::sqrt(8.0 * alpha));
}

double bound_up_ucb_ilift_bl(const BoundInputs& in) {
  const double alpha = alpha_of_all(in);
  const double least = identifying_uplift(in, alpha);
  const auto m = static_cast<double>(in.variables);
  return upper_bound(in, 8.0 * alpha, [&](std::size_t a) {
    return std::clamp(in.gaps[a] / least, static_cast<double>(in.affected[a]), m);
  });
}

double bound_up_ucb_ilift(const BoundInputs& in) {
  const double alpha = alpha_of_all(in);
  check_positive("effect_gap", in.effect_gap);
  const auto m = static_cast<double>(in.variables);
  const double best = least_of_best(in, in.affected);
  return upper_bound(in, 8.0 * alpha, [&](std::size_t a) {
    return std::clamp(2.0 * in.gaps[a] / in.effect_gap, static_cast<double>(in.affected[a]) + best,
                      2.0 * m);
  });
}

double bound_up_ucb_l_ilift_bl(const BoundInputs& in) {
  const double alpha = alpha_of_all(in);
  const double least = identifying_uplift(in, alpha);
  return upper_bound(in, 8.0 * alpha, [&](std::size_t a) {
    return std::clamp(in.gaps[a] / least, static_cast<double>(in.affected[a]),
                      2.0 * static_cast<double>(in.max_affected[a]));
  });
}

double bound_up_ucb_explore_bl(const BoundInputs& in) {
  const double alpha = alpha_of_all(in);
  check_positive("min_uplift", in.min_uplift);
  return upper_bound(in, 8.0 * alpha, [&](std::size_t a) {
    return std::max(in.gaps[a] / in.min_uplift, static_cast<double>(in.affected[a]));
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

double lower_bound_covariance(const BoundInputs& in) {
  check(in);
  if (in.divergences.size() != in.gaps.size()) {
    throw InvalidInput("divergences",
                       fmt::format("has {} numbers; must have one for each of {} gaps",
                                   in.divergences.size(), in.gaps.size()));
  }
  const double sum = sum_over_gaps(in, [&](std::size_t a) {
    check_divergence(in.divergences[a], a);
    return in.gaps[a] / in.divergences[a];
  });
  return sum * std::log(in.rounds);
}

std::span<const BoundInfo> bounds() { return kBounds; }

bool applies(const BoundInfo& bound, const BoundInputs& in) {
  return (!bound.needs.contains(Need::kMinUplift) || in.min_uplift > 0.0) &&
         (!bound.needs.contains(Need::kEffectGap) || in.effect_gap > 0.0);
}

double alpha_scale(const BoundInfo& bound, const BoundInputs& in) {
  if (!bound.upper) throw InvalidInput(std::string(bound.name), "is not an upper bound");
  BoundInputs narrow = in;
  narrow.variance_proxy = 1.0;
  narrow.reward_variance_proxy.reset();
  return bound.alpha(in) / bound.alpha(narrow);
}

ExpectedBound expected_bound(const BoundInfo& bound, BoundInputs in) {
  if (!bound.upper) throw InvalidInput(std::string(bound.name), "is not an upper bound");
  check_rounds(in.rounds);
  in.delta = 1.0 / std::max(2.0, in.rounds);
  const double value = bound.evaluate(in);
  const double largest_gap = *std::max_element(in.gaps.begin(), in.gaps.end());
  return {value + in.delta * in.rounds * largest_gap, in.delta, bound.alpha(in)};
}

}  // namespace updraft

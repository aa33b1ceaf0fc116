#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "updraft/instance.h"

namespace updraft {

/// What regret bounds depend on.
struct BoundInputs {
  std::vector<double> gaps;           ///< per action; 0 for the best
  std::vector<std::size_t> affected;  ///< L(a) = |V(a)|
  std::size_t variables = 0;          ///< m
  std::size_t max_affected = 0;       ///< L
  double min_uplift = 0.0;            ///< Delta of the policies with a known baseline
  double effect_gap = 0.0;            ///< Delta of up_ucb_ilift, Assumption 1
  double rounds = 0.0;                ///< T
  double delta = 0.05;                ///< upper bounds hold with probability 1 - delta

  /// The true values of an instance.
  static BoundInputs of(const Instance& instance, double rounds, double delta);
};

// Upper bounds on the regret after T rounds, each with probability at least 1 - delta when the
// policy uses the alpha that delta gives. Sums run over the actions with a gap > 0. L(a*) is
// that of the best action (the smallest, where several are best). All throw InvalidInput for
// rounds < 1, delta outside (0, 1) or lengths that differ; those with Delta if theirs is not > 0:
// the effect gap for up_ucb_ilift, the least individual uplift for the others.

/// sum 8 m^2 log(2KT/delta) / gap + gap. [auer02, noise of the reward m-sub-Gaussian]
double bound_ucb(const BoundInputs& in);
/// sum 8 L(a)^2 log(2KT/delta) / gap + gap. [hsieh22, Prop. 1]
double bound_up_ucb_bl(const BoundInputs& in);
/// sum 8 (L(a) + L(a*))^2 log(4KLT/delta) / gap + gap. [hsieh22, Thm 1]
double bound_up_ucb(const BoundInputs& in);
/// sum 32 L^2 log(2KmT/delta) / gap + gap. [hsieh22, Thm 2]
double bound_up_ucb_l_bl(const BoundInputs& in);
/// sum 512 L^2 log(2KmT/delta) / gap + gap. [hsieh22, Thm 2]
double bound_up_ucb_l(const BoundInputs& in);
/// sum 8 clip(gap/Delta, L(a), m)^2 log(2KmT/delta) / gap + gap. [hsieh22, Thm 3]
double bound_up_ucb_ilift_bl(const BoundInputs& in);
/// sum 8 clip(2 gap/Delta, L(a) + L(a*), 2m)^2 log(2KmT/delta) / gap + gap. [hsieh22, Thm 4]
double bound_up_ucb_ilift(const BoundInputs& in);
/// sum 8 clip(gap/Delta, L(a), L)^2 log(2KmT/delta) / gap + gap. [hsieh22, remark after Thm 3]
double bound_up_ucb_l_ilift_bl(const BoundInputs& in);

/// What no consistent policy can beat on the worst instance with these parameters, to first
/// order in log T: sum 2 L(a)^2 / gap * log T. [hsieh22, Prop. 3]
double lower_bound_affected(const BoundInputs& in);
/// sum 2 m^2 / gap * log T for who sees only the reward, or knows nothing of the affected sets.
/// [hsieh22, Prop. 2]
double lower_bound_reward(const BoundInputs& in);

/// Targeted campaigns with linear payoffs. [hsieh22, Thm 5]
struct CampaignBoundInputs {
  std::size_t features = 0;     ///< d
  std::size_t individuals = 0;  ///< m
  std::size_t budget = 0;       ///< L
  std::size_t treatments = 1;   ///< Z
  double ridge = 1.0;           ///< lambda >= L
  double norm_bound = 1.0;      ///< B
  double rounds = 0.0;          ///< T
  double delta = 0.05;
};

/// 4 sqrt(d L (Z+1) T log(1 + L T/(d lambda)))
///   * (sqrt(lambda) B + sqrt(2 log((Z+1)/delta) + d log(1 + m T/(d lambda))))
double bound_c2_up_ucb(const CampaignBoundInputs& in);

/// The bounds on non-contextual policies, by the name of the policy they hold for.
struct BoundInfo {
  std::string_view name;  ///< a policy's name, or lower_affected, lower_reward
  std::string_view formula;
  std::string_view reference;
  bool upper = true;
  Needs needs = {};  ///< the Delta that must be > 0: kMinUplift or kEffectGap
  double (*evaluate)(const BoundInputs&) = nullptr;
};

std::span<const BoundInfo> bounds();

/// Whether `in` has the Delta that the bound needs.
bool applies(const BoundInfo& bound, const BoundInputs& in);

}  // namespace updraft

#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "updraft/instance.h"
#include "updraft/linear_contexts.h"
#include "updraft/policy_spec.h"

namespace updraft {

/// What regret bounds depend on.
struct BoundInputs {
  std::vector<double> gaps;           ///< per action; 0 for the best
  std::vector<std::size_t> affected;  ///< |V(a)|, per action
  std::size_t variables = 0;          ///< m
  /// L(a), per action: the bound on |V(a)| that policies know. L is the largest.
  std::vector<std::size_t> max_affected;
  double min_uplift = 0.0;      ///< Delta of the policies with a known baseline; 0: none
  double effect_gap = 0.0;      ///< Delta of up_ucb_ilift, Assumption 1; 0: none
  double variance_proxy = 1.0;  ///< sigma^2 of the payoffs, Instance::variance_proxy()
  /// The variance proxy of the reward; if absent, m^2 sigma^2, its largest possible value.
  std::optional<double> reward_variance_proxy = {};
  /// Per action, the least divergence of its distribution from one of the same kind (the same
  /// noise, the same V(a)) under which it is better than the best; infinite if there is none.
  /// Empty: not known.
  std::vector<double> divergences = {};
  double rounds = 0.0;  ///< T
  double delta = 0.05;  ///< upper bounds hold with probability 1 - delta

  /// The true values of an instance, and one L for all actions: the largest |V(a)|, at least 1.
  /// Cost: O(m^3) if the covariance is a matrix.
  static BoundInputs of(const Instance& instance, double rounds, double delta);

  /// Sets another L(a): one number for all actions, or one for each, of which some may be 0. Throws
  /// InvalidInput that names `field` if one is less than its |V(a)|, since then no theorem holds;
  /// if one is above m; if all are 0; or if there is not one per action.
  void set_max_affected(std::size_t for_all, std::string_view field = "max_affected");
  void set_max_affected(std::vector<std::size_t> per_action,
                        std::string_view field = "max_affected");

  /// Sets a smaller Delta than that of the instance. Throws InvalidInput that names `field` if it
  /// is not > 0, or above the instance's, since then no theorem holds. If no action affects
  /// anything, every Delta is right.
  void set_min_uplift(double value, std::string_view field = "min_uplift");
  void set_effect_gap(double value, std::string_view field = "effect_gap");
};

// Upper bounds on the regret after T rounds, each with probability at least 1 - delta if the policy
// uses the alpha that its BoundInfo gives, s^2 log(1/delta') with the delta' of the theorem, and
// knows the L(a) of the inputs. Sums are over the actions with a gap > 0. |V(a*)| and L(a*) are
// those of the best action (the smallest, if several are best).
//
// s^2 = max(1, sigma^2). The theorems require sigma^2 <= 1; alpha is then the one that the policy
// uses if it is given delta. Payoffs divided by sigma have sigma^2 = 1, gaps and Deltas that are
// smaller by the factor sigma, and the radii of alpha / sigma^2. So a policy with sigma^2 times the
// alpha makes the same decisions on the payoffs as one with the theorem's alpha on the divided
// payoffs, and its regret is sigma times as large. For ucb only the reward matters, and its noise
// must be m-sub-Gaussian: there sigma^2 is the variance proxy of the reward over m^2.
//
// All throw InvalidInput for rounds < 1, delta outside (0, 1), a negative scale or lengths that
// differ. Those with a Delta also throw if their Delta is not > 0: the effect gap for up_ucb_ilift,
// the least individual uplift for the others.

/// sum 8 s^2 m^2 log(2KT/delta) / gap + gap. [auer02, noise of the reward m-sub-Gaussian]
double bound_ucb(const BoundInputs& in);
/// sum 8 s^2 |V(a)|^2 log(2KT/delta) / gap + gap. [hsieh22, Prop. 1]
double bound_up_ucb_bl(const BoundInputs& in);
/// sum 8 s^2 (|V(a)| + |V(a*)|)^2 log(4K max|V| T/delta) / gap + gap, with max|V| at least 1. The
/// policy knows the sets, so max|V| is the L of the theorem. [hsieh22, Thm 1]
double bound_up_ucb(const BoundInputs& in);
/// The regret of up_ucb by the general analysis of CombUCB. up_ucb is CombUCB on the semi-bandit
/// with an item for the baseline of each variable and one for each affected variable of each
/// action, of which m are taken in a round: [kveton15; hsieh22, section 9]
///   32 s^2 m (m / least gap + sum |V(a)| / gap) log(4K max|V| T/delta) + sum gap.
/// Derivation, with c(n) = sqrt(2 alpha / n): if all intervals hold, action a is taken after the
/// first K rounds only if gap(a) <= 2 sum of c(n(e)) over its items e, seen n(e) times; so gap(a)
/// <= sum of (4 c(n(e)) - gap(a)/m). Over the rounds in which item e is taken, its terms add up to
/// at most sum over n of max(0, 4 c(n) - g/m) <= 32 alpha m / g, g the least gap of the actions
/// with e. The items of a have g = gap(a); for the m baselines, g is the least gap of all. Items
/// that all actions share need no interval, since they cancel.
double bound_comb_ucb(const BoundInputs& in);
/// sum 32 s^2 L(a)^2 log(2KmT/delta) / gap + gap. [hsieh22, Thm 2; Appendix A.3 for L(a)]
double bound_up_ucb_l_bl(const BoundInputs& in);
/// sum 2 s^2 (6L(a) + 2L(a*) + 8L)^2 log(2KmT/delta) / gap + gap, which is Theorem 2's
/// 512 s^2 L^2 if all L(a) are L; docs/bounds.md has the proof. [hsieh22, Thm 2, Appendix A.3]
double bound_up_ucb_l(const BoundInputs& in);
/// sum 8 s^2 clip(gap/D, |V(a)|, m)^2 log(2KmT/delta) / gap + gap with D = min(Delta, sqrt(8
/// alpha)). Deviation: the paper has Delta for D, which is too much if one pull would find the set
/// (docs/bounds.md). [hsieh22, Thm 3]
double bound_up_ucb_ilift_bl(const BoundInputs& in);
/// sum 8 s^2 clip(2 gap/Delta, |V(a)| + |V(a*)|, 2m)^2 log(2KmT/delta) / gap + gap. [hsieh22,
/// Thm 4]
double bound_up_ucb_ilift(const BoundInputs& in);
/// sum 8 s^2 clip(gap/D, |V(a)|, 2L(a))^2 log(2KmT/delta) / gap + gap. The remark after Thm 3
/// has L in place of 2L(a) and no proof; docs/bounds.md has the proof for 2L(a). [hsieh22, remark
/// after Thm 3, proofs of Thms 2 and 3]
double bound_up_ucb_l_ilift_bl(const BoundInputs& in);
/// sum 8 s^2 max(gap/Delta, |V(a)|)^2 log(2KmT/delta) / gap + gap. The paper has no such bound;
/// docs/bounds.md has the proof. [hsieh22, Section 6.2, proof of Thm 3]
double bound_up_ucb_explore_bl(const BoundInputs& in);

// Lower bounds: what no consistent policy can beat, to first order in log T. The first two are for
// the worst instance of this size whose payoffs have sub-Gaussian scale sigma^2.

/// sum 2 sigma^2 |V(a)|^2 / gap * log T. [hsieh22, Prop. 3]
double lower_bound_affected(const BoundInputs& in);
/// sum 2 sigma^2 m^2 / gap * log T for a learner that sees only the reward, or knows nothing about
/// the affected sets. [hsieh22, Prop. 2]
double lower_bound_reward(const BoundInputs& in);
/// sum gap / divergence(a) * log T: for this very instance, and a learner that knows the affected
/// sets, the baseline and the distribution of the noise. Normal noise: sum 2 v(a) / gap * log T,
/// where v(a) is the variance of the sum over V(a) given all other payoffs; linear in |V(a)| if the
/// payoffs are independent. [hsieh22, Remark 1 and Lemma 4] Throws InvalidInput if divergences are
/// not known.
double lower_bound_covariance(const BoundInputs& in);

/// A bound for non-contextual policies.
struct BoundInfo {
  std::string_view name;  ///< the policy's, or comb_ucb, lower_affected, ...
  std::string_view formula;
  std::string_view reference;
  bool upper = true;
  Needs needs = {};  ///< the Delta that must be > 0: kMinUplift or kEffectGap
  double (*evaluate)(const BoundInputs&) = nullptr;
  double (*alpha)(const BoundInputs&) = nullptr;  ///< for which it holds; null for lower bounds
};

std::span<const BoundInfo> bounds();

/// Whether `in` has the Delta that the bound needs.
bool applies(const BoundInfo& bound, const BoundInputs& in);

/// s^2 of an upper bound: the ratio of the alpha that the bound needs to the alpha that follows
/// from delta. 1 if the noise is no wider than its theorem allows.
double alpha_scale(const BoundInfo& bound, const BoundInputs& in);

/// An upper bound on the expected regret. It ignores in.delta: the policy is given delta = 1/T, and
/// with probability delta it loses at most T times the largest gap. [hsieh22, paragraph 'About
/// Expected and Gap-Free Bounds']
struct ExpectedBound {
  double value = 0.0;  ///< evaluate() at delta, plus delta T times the largest gap
  double delta = 0.0;  ///< 1/T; 1/2 for one round
  double alpha = 0.0;
};
ExpectedBound expected_bound(const BoundInfo& bound, BoundInputs in);

/// A warning for users of a policy made with `delta`: the noise of the instance is wider than its
/// theorem allows, and by how much. Absent if it is not wider, or if the spec has no delta.
std::optional<std::string> noise_warning(const PolicySpec& spec, const Instance& instance);
/// The same on a contextual bandit, for the beta that follows from delta.
std::optional<std::string> noise_warning(const PolicySpec& spec, const LinearContexts& contexts);

/// A warning for users of a policy whose parameters are not true of the instance, so that its
/// theorem does not hold: a max_affected below what an action affects, or a min_uplift or
/// effect_gap above the instance's own by more than a share of 1e-9. Absent if they are true, or if
/// nothing is affected. Throws InvalidInput if the policy cannot be made with these parameters.
std::optional<std::string> knowledge_warning(const PolicySpec& spec, const Instance& instance);

/// Targeting with linear payoffs: features of length at most 1, independent 1-sub-Gaussian
/// noise, coefficients of length at most B. [hsieh22, Thm 5]
struct TargetingBoundInputs {
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
double bound_c2_up_ucb(const TargetingBoundInputs& in);

/// A bound for targeting policies.
struct TargetingBoundInfo {
  std::string_view name;  ///< the policy's
  std::string_view formula;
  std::string_view reference;
  double (*evaluate)(const TargetingBoundInputs&) = nullptr;
};

std::span<const TargetingBoundInfo> targeting_bounds();

}  // namespace updraft

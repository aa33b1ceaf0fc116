#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "updraft/explanation.h"
#include "updraft/ids.h"
#include "updraft/knowledge.h"
#include "updraft/policy_spec.h"
#include "updraft/stream.h"

namespace updraft::testing {

/// The variables whose individual indices add up to the index of an action, for policies that
/// are not told V(a).
struct CountedSets {
  std::vector<VariableId> identified;  ///< surely affected, in increasing order
  std::vector<VariableId> padding;     ///< may be affected, in increasing order
};

/// What the policies that learn the noise have made of it.
struct LearnedNoise {
  double shrinkage = 1.0;                       ///< of correlations, 1 if they count for nothing
  std::uint64_t degrees_of_freedom = 1;         ///< of the fit
  std::vector<std::vector<double>> sds;         ///< of one round's sum: [action][atom]
  std::vector<std::vector<double>> weights;     ///< [action][atom]
  std::vector<double> standard_errors;          ///< of the estimate, per action
  std::vector<double> reaches;                  ///< from estimate to end of interval, per action
  std::vector<std::vector<double>> covariance;  ///< of the estimates: [action][action]
  std::vector<double> difference_errors;        ///< of the estimate less that of action 0
  std::vector<double> difference_reaches;       ///< from that difference to end of interval
  std::vector<bool> identified;                 ///< whether the estimate is one of the uplift
};

/// A policy written straight from its source, to judge the fast ones: [hsieh22], or the comment
/// above the class.
///
/// It keeps the sum of payoffs of every (action, variable), or all payoffs, and recomputes
/// everything from these at each call, in loops over actions and variables. It is slow, trusts its
/// arguments, and takes dense payoffs only.
///   N(a)      = observations of a                    pulls(a)
///   mean(a,i) = sum of y_i over them / max(1, N(a))   mean(a, i)
class ReferencePolicy {
 public:
  ReferencePolicy(std::size_t actions, std::size_t variables);
  virtual ~ReferencePolicy() = default;

  /// The index of every action now: +infinity where it must be taken first, -infinity where it
  /// may not be taken. For those that sample, draws out of `stream` at round decisions().
  virtual std::vector<double> indices(const Stream& stream) const = 0;

  /// The lowest id among the largest indices; among those at +infinity, the lowest id among the
  /// least often offered.
  ActionId choose(const Stream& stream) const;

  /// What the next choices are among: ids increasing, empty for all. Indices are asked for only of
  /// these.
  void allow(std::vector<ActionId> allowed) { allowed_ = std::move(allowed); }

  /// How many decisions of each action come before the next choices in their batch; empty for none.
  /// docs/changing-world.md: every count below a radius grows by those that would add to it. Means,
  /// sets and the action that plays baseline stay.
  void put_ahead(std::vector<std::uint64_t> ahead) { ahead_ = std::move(ahead); }

  /// Counts `action` as offered. A judge that follows the choices of another policy calls
  /// choose() and then offer() with the other's choice.
  void offer(ActionId action);

  /// choose() and offer().
  ActionId select(const Stream& stream);

  /// One payoff per variable of a round in which `action` was taken.
  void observe(ActionId action, std::span<const double> dense_payoffs);

  std::size_t actions() const { return pulls_.size(); }
  std::size_t variables() const { return variables_; }
  std::uint64_t decisions() const { return decisions_; }
  std::uint64_t pulls(ActionId action) const { return pulls_[action]; }
  std::uint64_t offers(ActionId action) const { return offers_[action]; }

  double mean(ActionId action, VariableId variable) const;
  double mean_reward(ActionId action) const;

  /// The most pulled action, lowest id among equals.
  ActionId most_pulled() const;

  /// What Policy::explain() must show of an action as index and radius; absent where that is not
  /// determined (actions that are not compared by an index).
  virtual std::optional<double> explained_index(ActionId action) const = 0;
  virtual std::optional<double> explained_radius(ActionId action) const = 0;

  /// What an index of `action` is made of, up to sign: |mean reward| + m radius (ts: |posterior
  /// mean| + posterior sd; learnt noise: weighted |means| + standard errors), 0 for a UCB without
  /// observations. Rounding errors scale with it, not with the index, which may be a small
  /// difference of large terms.
  virtual double magnitude(ActionId action) const = 0;

  /// Policies that are not told V(a), once they count variables for this action: which ones.
  virtual std::optional<CountedSets> counted_sets(ActionId action) const;

  /// The same policies: what `variable` adds to the index of `action` where it is counted.
  virtual double individual_index(ActionId action, VariableId variable) const;

  /// Policies that learn the noise, once they have fitted it.
  virtual std::optional<LearnedNoise> learned_noise() const;

  /// Policies that look for changes (forgetting = auto): all that were found, oldest first.
  virtual std::vector<FoundChange> changes() const;

  /// Not eliminated.
  virtual bool active(ActionId action) const;

 protected:
  double sum(ActionId action, VariableId variable) const;

  /// Of put_ahead().
  double ahead(ActionId action) const {
    return ahead_.empty() ? 0.0 : static_cast<double>(ahead_[action]);
  }

  /// The actions that may be chosen now, ids increasing.
  std::vector<ActionId> allowed() const;

  /// The actions of all observations, first to last.
  const std::vector<ActionId>& observed_actions() const { return observed_actions_; }

  /// Called at the end of observe().
  virtual void after_observe(ActionId /*action*/, std::span<const double> /*dense_payoffs*/) {}

 private:
  std::size_t variables_;
  std::vector<ActionId> allowed_;
  std::vector<std::uint64_t> ahead_;
  std::vector<std::uint64_t> pulls_;
  std::vector<std::uint64_t> offers_;
  std::uint64_t decisions_ = 0;
  std::vector<ActionId> observed_actions_;
  std::vector<std::vector<double>> sums_;  // [action][variable]
};

/// The reference of the policy that `spec` names. Throws std::invalid_argument where there is no
/// such reference or something it needs is missing.
std::unique_ptr<ReferencePolicy> make_reference(const PolicySpec& spec, const Knowledge& knowledge);

/// alpha = log(1/delta'), given, or derived from delta and the horizon T by
///   delta' = delta / (2KT)    ucb, up_ucb_bl        [hsieh22, Prop. 1]
///   delta' = delta / (4KLT)   up_ucb, up_ucb_obs    [hsieh22, Thm of UpUCB], L = max |V(a)| >= 1
///   delta' = delta / (2KmT)   the others            [hsieh22, Thms of UpUCB-L and iLift]
double reference_alpha(const PolicySpec& spec, const Knowledge& knowledge);

}  // namespace updraft::testing

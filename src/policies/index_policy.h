#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "policies/estimates.h"
#include "stats/reciprocals.h"
#include "updraft/policy.h"

namespace updraft {

/// A policy that takes the action with the largest index, the lowest id among equals. An action
/// without feedback counts as +infinity (Policy::untried).
///
/// In a batch, each count below a radius is that of the pulls plus that of the decisions ahead that
/// would add to it; means, sets and the action that plays baseline are those without them.
/// [desautels14, GP-BUCB: hallucinated payoffs leave the mean and narrow the width]
///
/// Derived classes say when an index may have changed (stale) and how it is computed. A stale index
/// is computed anew, unless upper_bound() says that it cannot be the largest.
class IndexPolicy : public Policy {
 public:
  Explanation explain(Detail detail) const override;
  double index(ActionId action) const override;

 protected:
  IndexPolicy(PolicySpec spec, Knowledge knowledge, Resolution resolution, double alpha);

  double alpha() const { return alpha_; }

  /// As in Policy, for actions that are known to be valid: loops over actions ask for it.
  using Policy::pulls;
  std::uint64_t pulls(ActionId action) const { return pulls()[action]; }

  /// sqrt(2 alpha / pulls(action)); 1 / pulls(action). The action must have feedback.
  double radius(ActionId action) const { return radius_after(pulls(action)); }
  double radius_after(std::uint64_t count) const {
    return root_two_alpha_ * reciprocals_(count).root;
  }
  double inverse_pulls(ActionId action) const { return reciprocals_(pulls(action)).inverse; }
  const Reciprocals& reciprocals() const { return reciprocals_; }

  /// The index of an action with feedback: a function of the statistics alone.
  virtual double index_of(ActionId action) const = 0;

  /// Adds what the policy knows of an action with feedback beyond pulls, index and radius.
  virtual void describe(ActionId action, ActionExplanation& explanation) const = 0;

  /// What the estimates are of.
  virtual Quantity quantity() const { return quantity_known(knowledge()); }

  /// How far the confidence bounds are from the reward, or from the uplift, that describe() gave;
  /// infinite if there are none.
  virtual double reward_reach(ActionId, const ActionExplanation&) const { return kNoBounds; }
  virtual double uplift_reach(ActionId, const ActionExplanation&) const { return kNoBounds; }
  static constexpr double kNoBounds = std::numeric_limits<double>::infinity();

  /// The action, with feedback, that describe() gives differences to, if any.
  virtual std::optional<ActionId> reference() const { return std::nullopt; }

  /// kReferenceAction, once it has feedback.
  std::optional<ActionId> fixed_reference() const {
    return pulls(kReferenceAction) > 0 ? std::optional(kReferenceAction) : std::nullopt;
  }

  /// How many of its radii the index of an action with feedback has: they shrink with its pulls.
  virtual double own_radii(ActionId action) const = 0;

  /// By how much the index grows if the radii of what it is held against shrink as with ahead();
  /// `own` is own_radii(action). The action must have feedback.
  virtual double baseline_shrinkage(ActionId /*action*/, double /*own*/) const { return 0.0; }

  /// By how much radius(action) is larger than after the decisions of ahead().
  double shrinkage(ActionId action) const {
    return radius(action) - radius_after(pulls(action) + ahead()[action]);
  }

  /// A number that the index of an action with feedback surely does not exceed. Asked for only by
  /// policies that set prune_by_bounds().
  virtual double upper_bound(ActionId) const { return std::numeric_limits<double>::infinity(); }
  void prune_by_bounds() { bounded_ = true; }

  /// Computes the stale indices, where they are not pruned: by default each by index_of().
  virtual void refresh();
  void set_index(ActionId action, double index) {
    index_[action] = index;
    stale_[action] = 0;
  }

  void mark_stale(ActionId action) { stale_[action] = 1; }
  void mark_all_stale() {
    stale_.assign(stale_.size(), 1);
    radii_at_ = kNever;
  }

  ActionId choose(const Stream& stream) override;
  ActionId choose_among(AllowedActions allowed, const Stream& stream) override;

 private:
  void compute(ActionId action);
  ActionId choose_in_batch(AllowedActions allowed);
  IntervalEstimate estimate(Quantity quantity, ActionId action,
                            const ActionExplanation& about) const;
  ActionId largest_computed() const;

  double alpha_;
  double root_two_alpha_;
  const Reciprocals& reciprocals_;
  bool bounded_ = false;
  std::vector<double> index_;        // as last computed
  std::vector<std::uint8_t> stale_;  // 1 where index_ may be out of date
  std::vector<double> own_radii_;    // in a batch, of the statistics at its start
  std::uint64_t radii_at_ = kNever;  // observations() then
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
};

}  // namespace updraft

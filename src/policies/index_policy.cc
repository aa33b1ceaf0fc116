#include "policies/index_policy.h"

#include <algorithm>
#include <cmath>

namespace updraft {

IndexPolicy::IndexPolicy(PolicySpec spec, Knowledge knowledge, Resolution resolution, double alpha)
    : Policy(std::move(spec), std::move(knowledge), std::move(resolution)),
      alpha_(alpha),
      root_two_alpha_(std::sqrt(2.0 * alpha)),
      reciprocals_(Reciprocals::shared()),
      index_(actions(), 0.0),
      stale_(actions(), 1) {}

ActionId IndexPolicy::choose(const Stream&) {
  if (!all_have_feedback()) return untried();
  if (!bounded_) {
    refresh();
    return largest_computed();
  }
  ActionId best = largest_computed();
  compute(best);
  for (ActionId action = 0; action < actions(); ++action) {
    if (stale_[action]) {
      if (upper_bound(action) < index_[best]) continue;
      compute(action);
    }
    if (index_[action] > index_[best] || (index_[action] == index_[best] && action < best)) {
      best = action;
    }
  }
  return best;
}

ActionId IndexPolicy::choose_among(AllowedActions allowed, const Stream& stream) {
  if (allowed.all() && ahead().empty()) return IndexPolicy::choose(stream);
  if (!all_have_feedback(allowed)) return untried(allowed);
  if (!ahead().empty()) return choose_in_batch(allowed);
  return allowed.largest(actions(), [&](ActionId action) {
    compute(action);
    return index_[action];
  });
}

ActionId IndexPolicy::choose_in_batch(AllowedActions allowed) {
  if (radii_at_ != observations()) {
    own_radii_.assign(actions(), std::numeric_limits<double>::quiet_NaN());
    radii_at_ = observations();
  }
  return allowed.largest(actions(), [&](ActionId action) {
    compute(action);
    if (!std::isfinite(index_[action])) return index_[action];
    double& own = own_radii_[action];
    if (std::isnan(own)) own = own_radii(action);
    return index_[action] - own * shrinkage(action) + baseline_shrinkage(action, own);
  });
}

void IndexPolicy::compute(ActionId action) {
  if (stale_[action]) set_index(action, index_of(action));
}

/// The largest index as last computed, the lowest id among equals.
ActionId IndexPolicy::largest_computed() const {
  return static_cast<ActionId>(std::max_element(index_.begin(), index_.end()) - index_.begin());
}

void IndexPolicy::refresh() {
  for (ActionId action = 0; action < actions(); ++action) {
    if (stale_[action]) compute(action);  // few are: this spares a call for each of the others
  }
}

double IndexPolicy::index(ActionId action) const {
  if (pulls(action) == 0) return std::numeric_limits<double>::infinity();
  return stale_[action] ? index_of(action) : index_[action];
}

IntervalEstimate IndexPolicy::estimate(Quantity quantity, ActionId action,
                                       const ActionExplanation& about) const {
  switch (quantity) {
    case Quantity::kUplift:
      return about.uplift ? around(*about.uplift, uplift_reach(action, about)) : IntervalEstimate();
    case Quantity::kDifference:
      return estimate_of(about.difference);
    case Quantity::kReward:
      return about.reward ? around(*about.reward, reward_reach(action, about)) : IntervalEstimate();
  }
  return {};
}

Explanation IndexPolicy::explain(Detail) const {
  Explanation explanation;
  explanation.quantity = quantity();
  explanation.actions.resize(actions());
  explanation.reference_action = reference();
  for (ActionId action = 0; action < actions(); ++action) {
    ActionExplanation& about = explanation.actions[action];
    about.pulls = pulls(action);
    about.radius = std::numeric_limits<double>::infinity();
    about.index = std::numeric_limits<double>::infinity();
    if (about.pulls > 0) {
      about.radius = radius(action);
      about.index = index_of(action);
      describe(action, about);
      about.estimate = estimate(explanation.quantity, action, about);
    }
  }
  return explanation;
}

}  // namespace updraft

#pragma once

#include <optional>
#include <vector>

#include "updraft/policy.h"

namespace updraft {

/// A policy that takes the action with the largest index, the lowest id among equals. An action
/// without feedback counts as +infinity; among these the one offered least often comes first, so
/// that the first K selections offer every action once, in order, whatever feedback came.
///
/// Derived classes say when an index may have changed (stale) and how it is computed; only stale
/// indices are computed anew.
class IndexPolicy : public Policy {
 public:
  Explanation explain() const override;

 protected:
  IndexPolicy(PolicySpec spec, Knowledge knowledge, Resolution resolution, double alpha);

  double alpha() const { return alpha_; }

  /// sqrt(2 alpha / pulls(action)).
  double radius(ActionId action) const;

  /// The index of an action with feedback: a function of the statistics alone.
  virtual double index_of(ActionId action) const = 0;

  /// Adds what the policy knows of an action with feedback beyond pulls, index and radius.
  virtual void describe(ActionId action, ActionExplanation& explanation) const = 0;

  void mark_stale(ActionId action) { stale_[action] = true; }
  void mark_all_stale() { stale_.assign(stale_.size(), true); }

  ActionId choose(const Stream& stream) override;

  /// An action without feedback, as above; none where all have some.
  std::optional<ActionId> untried() const;

 private:
  double alpha_;
  std::vector<double> index_;
  std::vector<bool> stale_;
};

}  // namespace updraft

#include "policies/index_policy.h"

#include <cmath>
#include <optional>

namespace updraft {

IndexPolicy::IndexPolicy(PolicySpec spec, Knowledge knowledge, Resolution resolution, double alpha)
    : Policy(std::move(spec), std::move(knowledge), std::move(resolution)),
      alpha_(alpha),
      root_two_alpha_(std::sqrt(2.0 * alpha)),
      reciprocals_(Reciprocals::shared()),
      index_(actions(), 0.0),
      stale_(actions(), 1) {}

ActionId IndexPolicy::untried() const {
  std::optional<ActionId> found;
  for (ActionId action = 0; action < actions(); ++action) {
    if (pulls(action) == 0 && (!found || offers()[action] < offers()[*found])) found = action;
  }
  return *found;
}

ActionId IndexPolicy::choose(const Stream&) {
  if (!all_have_feedback()) return untried();
  if (!bounded_) refresh();
  const auto count = static_cast<ActionId>(actions());
  const double* index = index_.data();
  const std::uint8_t* stale = stale_.data();
  ActionId best = count;
  double best_index = -std::numeric_limits<double>::infinity();
  for (ActionId action = 0; action < count; ++action) {
    if (!stale[action] && (best == count || index[action] > best_index)) {
      best = action;
      best_index = index[action];
    }
  }
  if (!bounded_) return best;
  for (ActionId action = 0; action < count; ++action) {
    if (!stale_[action] || upper_bound(action) < best_index) continue;
    index_[action] = index_of(action);
    stale_[action] = 0;
    if (index_[action] > best_index || (index_[action] == best_index && action < best)) {
      best = action;
      best_index = index_[action];
    }
  }
  return best;
}

void IndexPolicy::refresh() {
  for (ActionId action = 0; action < actions(); ++action) {
    if (stale_[action]) set_index(action, index_of(action));
  }
}

Explanation IndexPolicy::explain() const {
  Explanation explanation;
  explanation.actions.resize(actions());
  for (ActionId action = 0; action < actions(); ++action) {
    ActionExplanation& about = explanation.actions[action];
    about.pulls = pulls(action);
    about.radius = std::numeric_limits<double>::infinity();
    about.index = std::numeric_limits<double>::infinity();
    if (about.pulls > 0) {
      about.radius = radius(action);
      about.index = index_of(action);
      describe(action, about);
    }
  }
  return explanation;
}

}  // namespace updraft

#include "policies/index_policy.h"

#include <limits>

#include "stats/confidence.h"

namespace updraft {

IndexPolicy::IndexPolicy(PolicySpec spec, Knowledge knowledge, Resolution resolution, double alpha)
    : Policy(std::move(spec), std::move(knowledge), std::move(resolution)),
      alpha_(alpha),
      index_(actions(), 0.0),
      stale_(actions(), true) {}

double IndexPolicy::radius(ActionId action) const {
  return confidence_radius(alpha_, pulls(action));
}

std::optional<ActionId> IndexPolicy::untried() const {
  if (observations() >= actions()) {  // usually all have feedback by then
    bool all = true;
    for (const std::uint64_t count : Policy::pulls()) all = all && count > 0;
    if (all) return std::nullopt;
  }
  std::optional<ActionId> found;
  for (ActionId action = 0; action < actions(); ++action) {
    if (pulls(action) == 0 && (!found || offers()[action] < offers()[*found])) found = action;
  }
  return found;
}

ActionId IndexPolicy::choose(const Stream&) {
  if (const auto action = untried()) return *action;
  ActionId best = 0;
  for (ActionId action = 0; action < actions(); ++action) {
    if (stale_[action]) {
      index_[action] = index_of(action);
      stale_[action] = false;
    }
    if (index_[action] > index_[best]) best = action;
  }
  return best;
}

Explanation IndexPolicy::explain() const {
  Explanation explanation;
  explanation.actions.resize(actions());
  for (ActionId action = 0; action < actions(); ++action) {
    ActionExplanation& about = explanation.actions[action];
    about.pulls = pulls(action);
    about.radius = radius(action);
    about.index = std::numeric_limits<double>::infinity();
    if (about.pulls > 0) {
      about.index = index_of(action);
      describe(action, about);
    }
  }
  return explanation;
}

}  // namespace updraft

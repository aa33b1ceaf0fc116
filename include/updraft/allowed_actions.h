#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "updraft/ids.h"

namespace updraft {

/// The actions among which a decision chooses: those of Round::allowed, or all. A view: it must not
/// outlive the ids, which increase.
class AllowedActions {
 public:
  AllowedActions() = default;
  explicit AllowedActions(std::span<const ActionId> ids) : ids_(ids) {}

  bool all() const { return ids_.empty(); }
  bool contains(ActionId action) const {
    return all() || std::binary_search(ids_.begin(), ids_.end(), action);
  }

  /// Calls visit(action) for each of them, of a policy with so many actions, ids increasing.
  template <typename Visit>
  void for_each(std::size_t actions, Visit visit) const {
    if (all()) {
      for (ActionId action = 0; action < actions; ++action) visit(action);
    } else {
      for (const ActionId action : ids_) visit(action);
    }
  }

  /// The one with the largest value(action), which is called once for each, ids increasing; the
  /// lowest id among equals.
  template <typename Value>
  ActionId largest(std::size_t actions, Value value) const {
    ActionId best = all() ? 0 : ids_.front();
    double most = 0.0;
    bool first = true;
    for_each(actions, [&](ActionId action) {
      const double own = value(action);
      if (!first && !(own > most)) return;
      best = action;
      most = own;
      first = false;
    });
    return best;
  }

 private:
  std::span<const ActionId> ids_;  // empty: all
};

}  // namespace updraft

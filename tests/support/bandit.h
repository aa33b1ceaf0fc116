#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "updraft/ids.h"
#include "updraft/knowledge.h"
#include "updraft/stream.h"
#include "updraft/variable_set.h"

namespace updraft::testing {

inline const Stream kPolicyStream(11, 0, Purpose::kPolicy);
inline const Stream kNoise(11, 0, Purpose::kTest);

inline VariableSet ids(std::vector<VariableId> list) { return VariableSet::from_ids(list); }

/// What a learner is told and what it is paid: baseline, uplift where affected, and noise, which
/// is the same for all actions.
struct Bandit {
  std::vector<double> baseline;
  std::vector<VariableSet> affected;
  std::function<double(ActionId, VariableId)> uplift = [](ActionId a, VariableId) {
    return 0.25 * (1.0 + a);
  };
  std::function<double(std::uint32_t, VariableId)> noise = [](std::uint32_t round, VariableId i) {
    return kNoise.normal(round, i);
  };

  std::size_t actions() const { return affected.size(); }
  std::size_t variables() const { return baseline.size(); }

  Knowledge knowledge() const {
    Knowledge result(actions(), variables());
    result.set_baseline(baseline);
    result.set_affected(affected);
    return result;
  }

  std::vector<double> payoffs(std::uint32_t round, ActionId action) const {
    std::vector<double> result;
    for (VariableId i = 0; i < variables(); ++i) {
      const double own = affected[action].contains(i) ? uplift(action, i) : 0.0;
      result.push_back(baseline[i] + own + noise(round, i));
    }
    return result;
  }

  /// The uplift of an action.
  double truth(ActionId action) const {
    double total = 0.0;
    for (const VariableId i : affected[action].ids()) total += uplift(action, i);
    return total;
  }
};

/// Actions 0 and 1 share variable 1 and have one of their own; action 2 affects nothing, and no
/// action affects variable 3. Four atoms.
inline Bandit overlapping() {
  return {.baseline = {0.5, -1.0, 2.0, 0.25}, .affected = {ids({0, 1}), ids({1, 2}), ids({})}};
}

}  // namespace updraft::testing

#pragma once

#include <cstdint>
#include <vector>

#include "updraft/knowledge.h"
#include "updraft/stream.h"

namespace updraft::testing {

/// Three actions, eight variables around 10 with sd sqrt(2): half of it is shared by all. Action a
/// moves the variables 2 a and 2 a + 1, which the knowledge says, and nothing moves 6 and 7.
struct MadeBandit {
  static constexpr std::size_t kActions = 3, kVariables = 8;

  std::vector<double> effects = {0.0, 0.0, 0.0};  ///< on each of its two variables
  double trend = 0.0;                             ///< of every variable, per round
  std::uint64_t seed = 1;

  static Knowledge knowledge() {
    Knowledge knowledge(kActions, kVariables);
    std::vector<VariableSet> sets;
    for (VariableId a = 0; a < kActions; ++a) {
      sets.push_back(VariableSet::from_ids(std::vector<VariableId>{2 * a, 2 * a + 1}));
    }
    knowledge.set_affected(std::move(sets));
    return knowledge;
  }

  double reward(ActionId action) const { return 80.0 + 2.0 * effects[action]; }

  std::vector<double> pay(std::uint32_t run, std::uint32_t round, ActionId action) const {
    std::vector<double> payoffs(kVariables);
    const Stream stream(seed, run, Purpose::kTest);
    stream.normals(round, 0, payoffs);
    const double shared = stream.normal(round, 100);
    for (double& paid : payoffs) paid += 10.0 + shared + trend * round;
    for (int j = 0; j < 2; ++j) payoffs[2 * action + j] += effects[action];
    return payoffs;
  }
};

}  // namespace updraft::testing

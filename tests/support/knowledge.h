#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "updraft/knowledge.h"
#include "updraft/registry.h"

namespace updraft::testing {

/// Everything there is to know of a small bandit: 4 actions, 12 variables, overlapping sets.
inline Knowledge full_knowledge() {
  const auto ids = [](std::vector<VariableId> list) { return VariableSet::from_ids(list); };
  Knowledge knowledge(4, 12);
  knowledge.set_baseline({0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.1, 0.2, 0.3});
  knowledge.set_affected({ids({0, 1, 2}), ids({2, 3, 4}), ids({5, 11}), ids({2, 8, 9, 10})});
  knowledge.set_max_affected(4);
  knowledge.set_min_uplift(0.5);
  knowledge.set_effect_gap(0.4);
  knowledge.set_horizon(1000);
  knowledge.set_reward_prior({5.0, 2.0});
  knowledge.set_observations({std::vector<double>(12, 20.0), std::vector<double>(12, 0.4)});
  return knowledge;
}

/// A spec with which a policy can start.
inline std::string usable_spec(const PolicyInfo& info) {
  return std::string(info.name) + (info.has_parameter("alpha")    ? "(alpha=0.3)"
                                   : info.has_parameter("sigma2") ? "(sigma2=0.1)"
                                                                  : "");
}

/// Whether a plain reference (tests/reference) must decide as the policy does: the status promises
/// one unless it is experimental (updraft/registry.h). auto becomes another policy, and what only a
/// simulation can make is the truth itself.
inline bool must_have_a_reference(const PolicyInfo& info) {
  return info.status != PolicyStatus::kExperimental && info.make != nullptr && info.name != "auto";
}

}  // namespace updraft::testing

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

/// Whether a policy learns the noise, and so needs no parameter.
inline bool learns_noise(std::string_view policy) {
  return policy == "up_ts" || policy == "up_ts_bl" || policy == "up_ucb_cv" ||
         policy == "up_ucb_cv_bl";
}

/// Whether a policy draws at random, so that what explain() shows as its index does not decide.
inline bool draws_at_random(std::string_view policy) {
  return policy == "ts" || policy == "up_ts" || policy == "up_ts_bl";
}

/// A spec with which a policy can start.
inline std::string usable_spec(const PolicyInfo& info) {
  if (learns_noise(info.name)) return std::string(info.name);
  return std::string(info.name) + (info.name == "ts" ? "(sigma2=0.1)" : "(alpha=0.3)");
}

}  // namespace updraft::testing

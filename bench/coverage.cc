// How often the 95 % interval of an action's uplift holds the truth, for policies that learn the
// noise: with a fixed design (all actions in rotation), and under the policy's own choices.
//
//   coverage [INSTANCE [RUNS]]

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "updraft/environment.h"
#include "updraft/registry.h"

namespace updraft {
namespace {

/// The share of runs whose interval holds the truth, per action.
std::vector<double> coverage(const std::shared_ptr<const Instance>& instance,
                             const std::string& spec, std::uint32_t rounds, bool rotation,
                             std::uint32_t runs) {
  const auto law = prepare_payoffs(instance);
  const auto actions = static_cast<std::uint32_t>(instance->actions());
  std::vector<double> share(actions, 0.0);
  for (std::uint32_t run = 0; run < runs; ++run) {
    const auto policy = make_policy(spec, instance->knowledge(rounds));
    Environment environment(law, 1, run);
    const Stream stream(1, run, Purpose::kPolicy);
    for (std::uint32_t round = 0; round < rounds; ++round) {
      const ActionId action = rotation ? round % actions : policy->select(stream);
      policy->observe(action, environment.draw(round, action, policy->resolution()));
    }
    const Explanation explanation = policy->explain();
    for (ActionId a = 0; a < actions; ++a) {
      const Interval interval = *explanation.actions[a].interval;
      const double truth = instance->uplifts()[a];
      if (interval.low <= truth && truth <= interval.high) share[a] += 1.0 / runs;
    }
  }
  return share;
}

void print(const std::shared_ptr<const Instance>& instance, std::uint32_t runs) {
  const auto actions = static_cast<std::uint32_t>(instance->actions());
  fmt::print("{}: 95 % intervals that hold the true uplift, {} runs\n", instance->name(), runs);
  fmt::print("{:<32} {:>9} {:>7} {:>7} {:>7} {:>12}\n", "policy, rounds", "design", "mean", "least",
             "most", "best action");
  for (const char* spec : {"up_ts_bl", "up_ts", "up_ucb_cv_bl", "up_ucb_cv"}) {
    for (const std::uint32_t rounds : {20 * actions, 2000u}) {
      for (const bool rotation : {true, false}) {
        const std::vector<double> share = coverage(instance, spec, rounds, rotation, runs);
        double mean = 0.0;
        for (const double one : share) mean += one / actions;
        const auto [least, most] = std::minmax_element(share.begin(), share.end());
        fmt::print("{:<32} {:>9} {:>6.1f}% {:>6.1f}% {:>6.1f}% {:>11.1f}%\n",
                   fmt::format("{}, {}", spec, rounds), rotation ? "rotation" : "adaptive",
                   100.0 * mean, 100.0 * *least, 100.0 * *most,
                   100.0 * share[instance->best_action()]);
      }
    }
  }
}

}  // namespace
}  // namespace updraft

int main(int count, char** arguments) {
  const std::string name = count > 1 ? arguments[1] : "gaussian";
  const int runs = count > 2 ? std::atoi(arguments[2]) : 1000;
  if (runs < 1) {
    fmt::print(stderr, "coverage: RUNS = {}: must be at least 1\n", arguments[2]);
    return 2;
  }
  try {
    updraft::print(updraft::load_instance(name), static_cast<std::uint32_t>(runs));
  } catch (const std::exception& refused) {
    fmt::print(stderr, "coverage: {}\n", refused.what());
    return 2;
  }
}

// How often the 95 % interval of an action's uplift holds the truth after 20 rounds per action, for
// policies that learn the noise: with a fixed design (all actions in rotation), and under the
// policy's own choices; and how often the 95 % of the posterior that the policy draws from do.
//
//   coverage [INSTANCE [RUNS]]

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "stats/student.h"
#include "updraft/environment.h"
#include "updraft/registry.h"

namespace updraft {
namespace {

/// Shares of runs that hold the truth, per action.
struct Coverage {
  std::vector<double> interval;   ///< of explain()
  std::vector<double> posterior;  ///< the 95 % in the middle of what the policy draws from
};

Coverage coverage(const std::shared_ptr<const Instance>& instance, const std::string& spec,
                  bool rotation, std::uint32_t runs) {
  const auto law = prepare_payoffs(instance);
  const auto actions = static_cast<std::uint32_t>(instance->actions());
  const std::uint32_t rounds = 20 * actions;
  Coverage share{std::vector<double>(actions, 0.0), std::vector<double>(actions, 0.0)};
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
      const ActionExplanation& about = explanation.actions[a];
      const double truth = instance->uplifts()[a];
      const double reach = student_95(*explanation.degrees_of_freedom) * *about.standard_error;
      if (about.interval->low <= truth && truth <= about.interval->high) {
        share.interval[a] += 1.0 / runs;
      }
      if (std::abs(truth - *about.uplift) <= reach) share.posterior[a] += 1.0 / runs;
    }
  }
  return share;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

void print(const std::shared_ptr<const Instance>& instance, std::uint32_t runs) {
  fmt::print("{}, 20 rounds per action, {} runs: 95 % intervals that hold the true uplift\n",
             instance->name(), runs);
  fmt::print("{:<14} {:>9} {:>7} {:>7} {:>7} {:>12} {:>16}\n", "policy", "design", "mean", "least",
             "most", "best action", "posterior, mean");
  for (const char* spec : {"up_ts_bl", "up_ts", "up_ucb_cv_bl", "up_ucb_cv"}) {
    for (const bool rotation : {true, false}) {
      const Coverage share = coverage(instance, spec, rotation, runs);
      const auto [least, most] = std::minmax_element(share.interval.begin(), share.interval.end());
      fmt::print("{:<14} {:>9} {:>6.1f}% {:>6.1f}% {:>6.1f}% {:>11.1f}% {:>15.1f}%\n", spec,
                 rotation ? "rotation" : "adaptive", 100.0 * mean_of(share.interval),
                 100.0 * *least, 100.0 * *most, 100.0 * share.interval[instance->best_action()],
                 100.0 * mean_of(share.posterior));
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

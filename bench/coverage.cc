// How often the 95 % interval of an action's uplift holds the truth after 20 rounds per action, for
// policies that learn the noise: with a fixed design (all actions in rotation), and under the
// policy's own choices. Besides, how often the 95 % of the posterior that the policy draws from do,
// and how often the interval does with sqrt(2 log t) in place of Student's quantile, t rounds.
// Where no feedback tells the uplift, the same of the difference to the reference action.
//
// With `unequal` in place of an instance: normal payoffs whose standard deviation depends on the
// action, after 4 to 40 rounds per action in rotation.
//
//   coverage [INSTANCE|unequal [RUNS [POLICY ...]]]

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "stats/student.h"
#include "updraft/instance_environment.h"
#include "updraft/registry.h"

namespace updraft {
namespace {

/// Shares of runs that hold the truth, per action.
struct Coverage {
  std::vector<double> interval;   ///< of explain()
  std::vector<double> posterior;  ///< the 95 % in the middle of what the policy draws from
  std::vector<double> wide;       ///< the interval, stretched by sqrt(2 log t) / quantile
  bool differences = false;       ///< of differences, as uplifts are not known
};

/// An estimate with its truth.
struct Shown {
  double truth;
  double estimate;
  double standard_error;
  Interval interval;
};

/// The uplift, or the difference to the reference action if the uplift is not known.
Shown shown_of(const Instance& instance, const Explanation& explanation, ActionId action) {
  const ActionExplanation& about = explanation.actions[action];
  const double truth = instance.uplifts()[action];
  if (about.uplift) return {truth, *about.uplift, *about.standard_error, *about.interval};
  const RewardDifference& difference = *about.difference;
  return {truth - instance.uplifts()[*explanation.reference_action], difference.estimate,
          *difference.standard_error, difference.interval};
}

Coverage coverage(const std::shared_ptr<const Instance>& instance, const std::string& spec,
                  bool rotation, std::uint32_t runs) {
  const auto law = prepare_payoffs(instance);
  const auto actions = static_cast<std::uint32_t>(instance->actions());
  const std::uint32_t rounds = 20 * actions;
  const std::vector<double> none(actions, 0.0);
  Coverage share{.interval = none, .posterior = none, .wide = none};
  for (std::uint32_t run = 0; run < runs; ++run) {
    const auto policy = make_policy(spec, instance->knowledge(rounds));
    InstanceEnvironment environment(law, 1, run);
    const Stream stream(1, run, Purpose::kPolicy);
    for (std::uint32_t round = 0; round < rounds; ++round) {
      const ActionId action = rotation ? round % actions : policy->select(stream);
      policy->observe(action, environment.draw(round, action, policy->resolution()));
    }
    const Explanation explanation = policy->explain();
    const double quantile = student_95(*explanation.degrees_of_freedom);
    const double wide = std::sqrt(2.0 * std::log(static_cast<double>(rounds))) / quantile;
    for (ActionId a = 0; a < actions; ++a) {
      const Shown shown = shown_of(*instance, explanation, a);
      share.differences = share.differences || !explanation.actions[a].uplift;
      const double off = std::abs(shown.truth - shown.estimate);
      const double reach = (shown.interval.high - shown.interval.low) / 2.0;
      if (off <= reach) share.interval[a] += 1.0 / runs;
      if (off <= quantile * shown.standard_error) share.posterior[a] += 1.0 / runs;
      if (off <= std::max(1.0, wide) * reach) share.wide[a] += 1.0 / runs;
    }
  }
  return share;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

void print(const std::shared_ptr<const Instance>& instance, std::uint32_t runs,
           const std::vector<std::string>& specs) {
  fmt::print("{}, 20 rounds per action, {} runs: 95 % intervals that hold the true uplift\n",
             instance->name(), runs);
  fmt::print("{:<14} {:>9} {:>7} {:>12} {:>12} {:>12} {:>16} {:>12}\n", "policy", "design", "mean",
             "least (of)", "most (of)", "best action", "posterior, mean", "wide, least");
  std::string of_differences;
  for (const std::string& spec : specs) {
    for (const bool rotation : {true, false}) {
      const Coverage share = coverage(instance, spec, rotation, runs);
      if (share.differences && rotation) of_differences += " " + spec;
      const auto [least, most] = std::minmax_element(share.interval.begin(), share.interval.end());
      const auto one = [&](auto place) {
        return fmt::format("{:.1f}% ({})", 100.0 * *place, place - share.interval.begin());
      };
      fmt::print("{:<14} {:>9} {:>6.1f}% {:>12} {:>12} {:>11.1f}% {:>15.1f}% {:>11.1f}%\n", spec,
                 rotation ? "rotation" : "adaptive", 100.0 * mean_of(share.interval), one(least),
                 one(most), 100.0 * share.interval[instance->best_action()],
                 100.0 * mean_of(share.posterior),
                 100.0 * *std::min_element(share.wide.begin(), share.wide.end()));
    }
  }
  if (of_differences.empty()) return;
  fmt::print("differences to action {}, whose own is exact, in place of uplifts:{}\n",
             kReferenceAction, of_differences);
}

/// Shares of runs whose interval holds the uplift, 0, per action. Action a moves variable a alone
/// and multiplies its standard deviation by factors[a]; another variable is left alone by all.
std::vector<double> unequal_coverage(const std::string& spec, std::span<const double> factors,
                                     std::uint32_t rounds_per_action, std::uint32_t runs) {
  const std::size_t actions = factors.size();
  Knowledge knowledge(actions, actions + 1);
  std::vector<VariableSet> sets;
  for (VariableId i = 0; i < actions; ++i) sets.push_back(VariableSet::from_ids(std::vector{i}));
  knowledge.set_affected(std::move(sets));
  knowledge.set_baseline(std::vector<double>(actions + 1, 0.0));
  std::vector<double> share(actions, 0.0);
  std::vector<double> payoffs(actions + 1);
  for (std::uint32_t run = 0; run < runs; ++run) {
    const auto policy = make_policy(spec, knowledge);
    const Stream stream(1, run, Purpose::kTest);
    for (std::uint32_t round = 0; round < rounds_per_action * actions; ++round) {
      const auto action = static_cast<ActionId>(round % actions);
      stream.normals(round, 0, payoffs);
      payoffs[action] *= factors[action];
      policy->observe(action, Payoffs::dense(payoffs));
    }
    const Explanation explanation = policy->explain();
    for (ActionId a = 0; a < actions; ++a) {
      const Interval& interval = *explanation.actions[a].interval;
      if (interval.low <= 0.0 && 0.0 <= interval.high) share[a] += 1.0 / runs;
    }
  }
  return share;
}

void print_unequal(std::uint32_t runs, const std::vector<std::string>& specs) {
  const std::vector<std::vector<double>> all_factors = {
      {1, 2, 3, 4}, {1, 10, 100, 1000}, {1, 4, 16, 64, 256, 1024, 4096, 16384}};
  fmt::print(
      "unequal standard deviations, rotation, {} runs: 95 % intervals that hold the uplift\n",
      runs);
  fmt::print("{:<14} {:>7} {:>7} {:>12}  sd of an action's variable, times\n", "policy", "rounds",
             "mean", "least (of)");
  for (const std::string& spec : specs) {
    for (const std::vector<double>& factors : all_factors) {
      for (const std::uint32_t rounds : {4, 8, 20, 40}) {
        const std::vector<double> share = unequal_coverage(spec, factors, rounds, runs);
        const auto least = std::min_element(share.begin(), share.end());
        fmt::print("{:<14} {:>7} {:>6.1f}% {:>12}  {}\n", spec, rounds, 100.0 * mean_of(share),
                   fmt::format("{:.1f}% ({})", 100.0 * *least, least - share.begin()),
                   fmt::join(factors, ", "));
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
  std::vector<std::string> specs(arguments + std::min(count, 3), arguments + count);
  if (specs.empty()) specs = {"up_ts_bl", "up_ts", "up_ucb_cv_bl", "up_ucb_cv"};
  try {
    if (name == "unequal") {
      updraft::print_unequal(static_cast<std::uint32_t>(runs), specs);
      return 0;
    }
    updraft::print(updraft::load_instance(name), static_cast<std::uint32_t>(runs), specs);
  } catch (const std::exception& refused) {
    fmt::print(stderr, "coverage: {}\n", refused.what());
    return 2;
  }
}

// What up_ts and up_ts_bl with forgetting=auto take for changes, and what that costs beside the
// same policies that never forget. On instances that do not change, each change is a false alarm.
//
//   changes_found RUNS SEED INSTANCE ROUNDS [INSTANCE ROUNDS ...]
//
// Prints the share of runs in which a change of an effect was found, and one of the baseline; of
// the first change of an effect the action that most runs name, in how many of these runs, and the
// mean round in which it was found; and the mean regrets and their ratio, with the standard error
// of the differences run by run.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <string>
#include <vector>

#include "updraft/instance_environment.h"
#include "updraft/registry.h"

namespace updraft {
namespace {

/// The regret of a run, after which the policy has seen it.
double play_run(const std::shared_ptr<const PayoffLaw>& law, Policy& policy, std::uint64_t seed,
                std::uint32_t run, std::uint32_t rounds) {
  InstanceEnvironment environment(law, seed, run);
  const Stream stream(seed, run, Purpose::kPolicy);
  double lost = 0.0;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const ActionId action = policy.select(stream);
    policy.observe(action, environment.draw(round, action, policy.resolution()));
    lost += environment.gaps_in(round)[action];
  }
  return lost;
}

/// Of all runs of an instance.
struct ChangesFound {
  std::uint32_t of_effect = 0;                           // runs
  std::uint32_t of_baseline = 0;                         // runs
  std::map<ActionId, std::vector<std::uint64_t>> first;  // by action, rounds in which found

  void add(const std::vector<FoundChange>& changes) {
    bool effect = false;
    bool baseline = false;
    for (const FoundChange& change : changes) {
      if (change.of_baseline) {
        baseline = true;
      } else if (!effect) {
        effect = true;
        first[change.action].push_back(change.found);
      }
    }
    of_effect += effect ? 1 : 0;
    of_baseline += baseline ? 1 : 0;
  }

  std::string most_named(const Instance& instance) const {
    if (first.empty()) return "";
    auto most = first.begin();
    for (auto each = first.begin(); each != first.end(); ++each) {
      if (each->second.size() > most->second.size()) most = each;
    }
    double sum = 0.0;
    for (const std::uint64_t round : most->second) sum += static_cast<double>(round);
    const std::vector<std::string>& names = instance.definition().action_names;
    return fmt::format("{} in {}, round {:.0f}",
                       names.empty() ? std::to_string(most->first) : names[most->first],
                       most->second.size(), sum / static_cast<double>(most->second.size()));
  }
};

void count_changes(const char* name, std::uint32_t rounds, std::uint32_t runs, std::uint64_t seed) {
  const auto instance = load_instance(name);
  const auto law = prepare_payoffs(instance);
  for (const std::string text : {"up_ts", "up_ts_bl"}) {
    const PolicySpec spec = PolicySpec::parse(text);
    const PolicySpec forgetful = PolicySpec::parse(text + "(forgetting=auto)");
    const Knowledge knowledge = knowledge_for(spec, instance->knowledge(rounds));
    double never = 0.0;
    double more = 0.0;
    double squares = 0.0;
    ChangesFound found;
    for (std::uint32_t run = 0; run < runs; ++run) {
      const double plain = play_run(law, *make_policy(spec, knowledge), seed, run, rounds);
      const auto policy = make_policy(forgetful, knowledge);
      const double extra = play_run(law, *policy, seed, run, rounds) - plain;
      never += plain / runs;
      more += extra / runs;
      squares += extra * extra / runs;
      found.add(policy->explain(Detail::kCheap).changes);
    }
    const double error = std::sqrt(std::max(0.0, squares - more * more) / (runs - 1.0));
    fmt::print("{:13} {:6} {:9} {:7.0f} % {:7.0f} %  {:24} {:11.1f} {:11.1f} {:6.2f} ± {:4.2f}\n",
               name, rounds, text, 100.0 * found.of_effect / runs, 100.0 * found.of_baseline / runs,
               found.most_named(*instance), never, never + more, 1.0 + more / never, error / never);
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace updraft

int main(int argc, char** argv) {
  if (argc < 5 || argc % 2 == 0 || std::atoi(argv[1]) < 2) {
    fmt::print(stderr, "Usage: changes_found RUNS SEED INSTANCE ROUNDS [INSTANCE ROUNDS ...]\n");
    return 2;
  }
  try {
    const auto runs = static_cast<std::uint32_t>(std::atoi(argv[1]));
    const std::uint64_t seed = std::strtoull(argv[2], nullptr, 10);
    fmt::print("{} runs, seed {}\n{:13} {:>6} {:9} {:>9} {:>9}  {:24} {:>11} {:>11} {:>6}\n", runs,
               seed, "instance", "rounds", "policy", "effect", "baseline", "first change of",
               "never", "forgetting", "ratio");
    for (int i = 3; i < argc; i += 2) {
      updraft::count_changes(argv[i], static_cast<std::uint32_t>(std::atoi(argv[i + 1])), runs,
                             seed);
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "changes_found: {}\n", error.what());
    return 1;
  }
}

// The regret of policies with nothing, and after a log of random decisions, a new log in each run:
// docs/evaluation.md.
//
//   warm_start INSTANCE RUNS LOGGED ROUNDS POLICY ...
//
// A run draws LOGGED rounds whose actions are all equally likely, lets the policy learn from them
// as fit() does, and plays ROUNDS more; the policy knows what updraft simulate tells it. "Less" is
// the mean of the differences between the two regrets of a run, with its standard error.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "updraft/instance.h"
#include "updraft/instance_environment.h"
#include "updraft/registry.h"
#include "updraft/simulate.h"

namespace updraft {
namespace {

struct Asked {
  std::uint32_t runs;
  std::uint32_t logged;
  std::uint32_t rounds;
};

/// Logs have the rounds of this seed, and what is played the rounds of the next.
constexpr std::uint64_t kSeed = 1;

class WarmStarts {
 public:
  WarmStarts(const std::string& instance, const Asked& asked)
      : instance_(load_instance(instance)),
        asked_(asked),
        law_(prepare_payoffs(instance_)),
        knowledge_(instance_->knowledge(asked_.rounds, std::nullopt)) {}

  void measure(const std::string& spec) const {
    std::vector<double> cold, warm, less;
    for (std::uint32_t run = 0; run < asked_.runs; ++run) {
      cold.push_back(regret(*policy(spec), run));
      const auto learned = policy(spec);
      learn(*learned, run);
      warm.push_back(regret(*learned, run));
      less.push_back(cold.back() - warm.back());
    }
    const Summary without = summarize(cold), with = summarize(warm), gain = summarize(less);
    fmt::print("{:<16} {:>10.0f} +- {:<7.0f} {:>10.0f} +- {:<7.0f} {:>10.0f} +- {:<7.0f}\n", spec,
               without.mean, without.stderr_, with.mean, with.stderr_, gain.mean, gain.stderr_);
    std::fflush(stdout);
  }

 private:
  std::unique_ptr<Policy> policy(const std::string& spec) const {
    return make_policy(spec, knowledge_for(PolicySpec::parse(spec), knowledge_));
  }

  void learn(Policy& policy, std::uint32_t run) const {
    InstanceEnvironment environment(law_, kSeed, run);
    const Stream stream(kSeed, run, Purpose::kTest);
    const auto actions = static_cast<double>(instance_->actions());
    for (std::uint32_t round = 0; round < asked_.logged; ++round) {
      const auto action = static_cast<ActionId>(actions * stream.uniform(round, 0));
      policy.take(action);
      policy.observe(action, environment.draw(round, action, policy.resolution()));
    }
  }

  double regret(Policy& policy, std::uint32_t run) const {
    InstanceEnvironment environment(law_, kSeed + 1, run);
    const Stream stream(kSeed + 1, run, Purpose::kPolicy);
    const auto rewards = instance_->rewards();
    const double top = *std::max_element(rewards.begin(), rewards.end());
    double sum = 0.0;
    for (std::uint32_t round = 0; round < asked_.rounds; ++round) {
      const ActionId action = policy.select(stream);
      sum += top - rewards[action];
      policy.observe(action, environment.draw(round, action, policy.resolution()));
    }
    return sum;
  }

  std::shared_ptr<const Instance> instance_;
  Asked asked_;
  std::shared_ptr<const PayoffLaw> law_;
  Knowledge knowledge_;
};

}  // namespace
}  // namespace updraft

int main(int count, char** arguments) {
  if (count < 6) {
    fmt::print(stderr, "warm_start: see the first lines of bench/warm_start.cc\n");
    return 2;
  }
  const auto number = [&](int place) {
    return static_cast<std::uint32_t>(std::atoi(arguments[place]));
  };
  try {
    const updraft::WarmStarts starts(arguments[1],
                                     {.runs = number(2), .logged = number(3), .rounds = number(4)});
    fmt::print("{}: regret of {} rounds, {} runs\n{:<16} {:>19} {:>21} {:>21}\n", arguments[1],
               number(4), number(2), "policy", "with nothing", "after the log", "less");
    for (int place = 5; place < count; ++place) starts.measure(arguments[place]);
  } catch (const std::exception& refused) {
    fmt::print(stderr, "warm_start: {}\n", refused.what());
    return 2;
  }
}

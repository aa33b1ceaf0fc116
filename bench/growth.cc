// How the time of a round grows with the number of variables m and of actions K.
//
//   growth > growth.csv
//
// Lines: policy, axis (m or K), size, nanoseconds of a round (policy and environment, one thread).
// Payoffs are 0/1, about one in twenty is 1; each action moves a K-th of the variables. Along m
// there are 10 actions, along K 10,000 variables. Measured after every action was taken and 20
// rounds more.

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "made_instance.h"
#include "updraft/instance_environment.h"
#include "updraft/policy.h"
#include "updraft/registry.h"

namespace updraft {
namespace {

constexpr double kSeconds = 0.25;  // at least, for each number

double nanoseconds_per_round(const std::string& spec,
                             const std::shared_ptr<const Instance>& instance,
                             const std::shared_ptr<const PayoffLaw>& law) {
  using Clock = std::chrono::steady_clock;
  InstanceEnvironment environment(law, 1, 0);
  const auto policy = make_policy(PolicySpec::parse(spec), instance->knowledge(1000000));
  const Stream stream(1, 0, Purpose::kPolicy);
  std::uint32_t round = 0;
  const auto play = [&](std::uint32_t rounds) {
    for (std::uint32_t j = 0; j < rounds; ++j, ++round) {
      const ActionId action = policy->select(stream);
      policy->observe(action, environment.draw(round, action, policy->resolution()));
    }
  };
  play(static_cast<std::uint32_t>(instance->actions()) + 20);
  const std::uint32_t first = round;
  const auto begin = Clock::now();
  double seconds = 0.0;
  do {
    play(16);
    seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  } while (seconds < kSeconds);
  return 1e9 * seconds / (round - first);
}

void measure(const char* axis, std::size_t size, std::size_t actions, std::size_t variables) {
  const auto instance = made_instance(actions, variables, BernoulliNoise{});
  const auto law = prepare_payoffs(instance);
  for (const char* spec :
       {"ucb(alpha=1e-6)", "ts(sigma2=1e-6)", "up_ucb_bl(alpha=1e-5)", "up_ucb(alpha=1e-5)",
        "up_ucb_l_bl(alpha=1e-5)", "up_ucb_l(alpha=1e-5)"}) {
    fmt::print("{},{},{},{:.1f}\n", PolicySpec::parse(spec).name(), axis, size,
               nanoseconds_per_round(spec, instance, law));
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace updraft

int main() {
  fmt::print("policy,axis,size,nanoseconds\n");
  for (const std::size_t m : {100, 1000, 10000, 100000, 1000000, 10000000}) {
    updraft::measure("m", m, 10, m);
  }
  for (const std::size_t k : {2, 5, 10, 20, 50, 100, 200, 500, 1000}) {
    updraft::measure("K", k, k, 10000);
  }
}

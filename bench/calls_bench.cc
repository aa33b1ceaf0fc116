// calls/POLICY: one select() and one observe() of 100 dense payoffs on the instance gaussian,
// without the environment, on average over the first 100,000 rounds. What bench/measure.py --only
// python sets the same calls from Python against.

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "updraft/instance.h"
#include "updraft/instance_environment.h"
#include "updraft/registry.h"

namespace updraft {
namespace {

constexpr std::uint32_t kRounds = 1000;  // whose payoffs come again and again
constexpr std::int64_t kCalls = 100'000;

void calls(benchmark::State& state, const std::string& spec) {
  const auto instance = load_instance("gaussian");
  InstanceEnvironment environment(prepare_payoffs(instance), 1, 0);
  std::vector<std::vector<double>> rounds;
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    const auto drawn = environment.draw(round, 0, Resolution::variables()).values();
    rounds.emplace_back(drawn.begin(), drawn.end());
  }
  const auto policy = make_policy(spec, instance->knowledge(kRounds));
  const Stream stream(1, 0, Purpose::kPolicy);
  std::size_t round = 0;
  for (auto _ : state) {
    policy->observe(policy->select(stream), Payoffs::dense(rounds[round++ % kRounds]));
  }
}

const bool kRegistered = [] {
  for (const std::string spec : {"ucb(alpha=2)", "up_ucb(alpha=3)", "up_ucb_l(alpha=3)"}) {
    benchmark::RegisterBenchmark(("calls/" + spec).c_str(), [spec](benchmark::State& state) {
      calls(state, spec);
    })->Iterations(kCalls);
  }
  return true;
}();

}  // namespace
}  // namespace updraft

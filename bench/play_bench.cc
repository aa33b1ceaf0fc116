// play/INSTANCE/POLICY: rounds a second of one policy with its environment on one thread, with the
// parameter that the paper chose. One iteration is a whole run.

#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

#include "experiments/run_policies.h"
#include "updraft/instance.h"

namespace updraft {
namespace {

struct Case {
  std::string name;
  std::string instance;
  std::vector<std::string> specs;
  std::uint32_t rounds;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const char* spec : {"ucb(alpha=2)", "ts(sigma2=0.08)", "up_ucb_bl(alpha=5)",
                           "up_ucb(alpha=3)", "up_ucb_l_bl(alpha=5)", "up_ucb_l(alpha=3)"}) {
    all.push_back({"play", "gaussian", {spec}, 20000});
  }
  for (const char* spec :
       {"ucb(alpha=7e-7)", "ts(sigma2=2e-7)", "up_ucb_bl(alpha=8e-5)", "up_ucb(alpha=8e-5)"}) {
    all.push_back({"play", "criteo", {spec}, 5000});
  }
  for (const char* spec : {"up_ucb_l_bl(alpha=5e-7)", "up_ucb_l(alpha=2e-6)"}) {
    all.push_back({"play", "criteo", {spec}, 2000});
  }
  return all;
}

void run_case(benchmark::State& state, const Case& one) {
  const auto instance = load_instance(one.instance);
  const auto workload = make_workload(instance, {.rounds = one.rounds, .curve_points = 1});
  std::vector<PolicySpec> specs;
  for (const std::string& spec : one.specs) specs.push_back(PolicySpec::parse(spec));
  TaskControl control;
  std::uint32_t run = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(run_policies(*workload, specs, run++, control));
  };
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(one.rounds) *
                          static_cast<std::int64_t>(specs.size()));
}

const bool kRegistered = [] {
  for (const Case& one : cases()) {
    const std::string name =
        one.name + "/" + one.instance + "/" + PolicySpec::parse(one.specs.front()).name();
    benchmark::RegisterBenchmark(name.c_str(), [one](benchmark::State& state) {
      run_case(state, one);
    })->Unit(benchmark::kMillisecond);
  }
  return true;
}();

}  // namespace
}  // namespace updraft

// steps/STEP/{before,after}: what each step of doing less work gains, measured side by side.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "experiments/run_policies.h"
#include "stats/top_sum.h"
#include "updraft/instance.h"
#include "updraft/instance_environment.h"
#include "updraft/policy.h"
#include "updraft/registry.h"

namespace updraft {
namespace {

constexpr std::uint32_t kRounds = 300;

/// Plays kRounds rounds of one run; `resolution` and `change` say what the policy is given.
void play_rounds(benchmark::State& state, const std::string& instance_name,
                 const std::string& spec_text, const Knowledge& knowledge,
                 std::optional<Resolution> resolution,
                 const std::function<Payoffs(const Payoffs&)>& change = {}) {
  const auto instance = load_instance(instance_name);
  const auto law = prepare_payoffs(instance);
  const PolicySpec spec = PolicySpec::parse(spec_text);
  for (auto _ : state) {
    InstanceEnvironment environment(law, 1, 0);
    const auto policy = make_policy(spec, knowledge);
    const Stream stream(1, 0, Purpose::kPolicy);
    for (std::uint32_t round = 0; round < kRounds; ++round) {
      const ActionId action = policy->select(stream);
      const Payoffs payoffs =
          environment.draw(round, action, resolution.value_or(policy->resolution()));
      policy->observe(action, change ? change(payoffs) : payoffs);
    }
  }
  state.SetItemsProcessed(state.iterations() * kRounds);
}

Knowledge known(const std::string& instance) { return load_instance(instance)->knowledge(kRounds); }

/// Each a little different, so that the baseline has as many levels as variables.
Knowledge with_many_levels(Knowledge knowledge) {
  std::vector<double> baseline = *knowledge.baseline();
  for (std::size_t i = 0; i < baseline.size(); ++i) {
    baseline[i] += 1e-12 * static_cast<double>(i);
  }
  knowledge.set_baseline(baseline);
  return knowledge;
}

void play_grid(benchmark::State& state, const std::string& instance_name, const std::string& name,
               const std::vector<double>& alphas, bool together) {
  const auto workload =
      make_workload(load_instance(instance_name), {.rounds = 1024, .curve_points = 1});
  std::vector<PolicySpec> specs;
  for (const double alpha : alphas) specs.push_back(PolicySpec::parse(name).with("alpha", alpha));
  TaskControl control;
  for (auto _ : state) {
    if (together) {
      benchmark::DoNotOptimize(run_policies(*workload, specs, 0, control));
    } else {
      for (const PolicySpec& spec : specs) {
        benchmark::DoNotOptimize(run_policies(*workload, {&spec, 1}, 0, control));
      }
    }
  }
  state.SetItemsProcessed(state.iterations() * 1024 * static_cast<std::int64_t>(specs.size()));
}

std::vector<double> random_values(std::size_t count) {
  std::vector<double> values(count);
  Stream(1, 0, Purpose::kTest).normals(0, 0, values);
  return values;
}

void select_by_sorting(benchmark::State& state) {
  const std::vector<double> values = random_values(static_cast<std::size_t>(state.range(0)));
  std::vector<double> copy;
  for (auto _ : state) {
    copy = values;
    const auto middle = copy.begin() + static_cast<std::ptrdiff_t>(copy.size() / 8);
    std::nth_element(copy.begin(), middle, copy.end(), std::greater<>());
    benchmark::DoNotOptimize(std::accumulate(copy.begin(), middle, 0.0));
  }
}

void select_by_ranks(benchmark::State& state) {
  const std::vector<double> values = random_values(static_cast<std::size_t>(state.range(0)));
  std::vector<double> scratch;
  for (auto _ : state) benchmark::DoNotOptimize(top_sum(values, values.size() / 8, scratch));
}

const bool kRegistered = [] {
  const auto add = [](const char* name, std::function<void(benchmark::State&)> work) {
    benchmark::RegisterBenchmark(name, std::move(work))->Unit(benchmark::kMicrosecond);
  };
  // 1. Sums over atoms.
  add("steps/1-sums-over-atoms/before", [](benchmark::State& state) {
    play_rounds(state, "criteo", "up_ucb(alpha=8e-5)", known("criteo"), Resolution::variables());
  });
  add("steps/1-sums-over-atoms/after", [](benchmark::State& state) {
    play_rounds(state, "criteo", "up_ucb(alpha=8e-5)", known("criteo"), {});
  });
  // 2. Noise drawn once per run for all values of a parameter.
  add("steps/2-noise-shared-by-a-grid/gaussian/before", [](benchmark::State& state) {
    play_grid(state, "gaussian", "up_ucb_bl", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, false);
  });
  add("steps/2-noise-shared-by-a-grid/gaussian/after", [](benchmark::State& state) {
    play_grid(state, "gaussian", "up_ucb_bl", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, true);
  });
  const std::vector<double> few = {1e-7, 5e-7, 1e-6, 5e-6, 1e-5, 5e-5, 1e-4};
  add("steps/2-noise-shared-by-a-grid/criteo/before",
      [few](benchmark::State& state) { play_grid(state, "criteo", "up_ucb_l_bl", few, false); });
  add("steps/2-noise-shared-by-a-grid/criteo/after",
      [few](benchmark::State& state) { play_grid(state, "criteo", "up_ucb_l_bl", few, true); });
  // 3. Sparse payoffs end to end.
  add("steps/3-sparse-payoffs/before", [](benchmark::State& state) {
    std::vector<double> dense(100000);
    play_rounds(state, "criteo", "up_ucb_l_bl(alpha=5e-7)", known("criteo"), {},
                [&dense](const Payoffs& sparse) {
                  std::fill(dense.begin(), dense.end(), 0.0);
                  for (const VariableId id : sparse.ids()) dense[id] = 1.0;
                  return Payoffs::dense(dense);
                });
  });
  add("steps/3-sparse-payoffs/after", [](benchmark::State& state) {
    play_rounds(state, "criteo", "up_ucb_l_bl(alpha=5e-7)", known("criteo"), {});
  });
  // 4. Whole-number counts: the same payoffs halved have to be kept as doubles.
  for (const bool whole : {false, true}) {
    add(whole ? "steps/4-counts/up_ucb_l/after" : "steps/4-counts/up_ucb_l/before",
        [whole](benchmark::State& state) {
          std::vector<double> halves(100000, 0.5);
          const auto halve = [&halves](const Payoffs& sparse) {
            return Payoffs::sparse(sparse.ids(), std::span(halves).first(sparse.ids().size()));
          };
          play_rounds(state, "criteo", "up_ucb_l(alpha=2e-6)", known("criteo"), {},
                      whole ? std::function<Payoffs(const Payoffs&)>() : halve);
        });
  }
  // 5. Counts by baseline level in place of one individual index per variable.
  add("steps/5-levels-of-the-baseline/before", [](benchmark::State& state) {
    play_rounds(state, "criteo", "up_ucb_l_bl(alpha=5e-7)", with_many_levels(known("criteo")), {});
  });
  add("steps/5-levels-of-the-baseline/after", [](benchmark::State& state) {
    play_rounds(state, "criteo", "up_ucb_l_bl(alpha=5e-7)", known("criteo"), {});
  });
  // 6. Selection by ranks in place of nth_element.
  benchmark::RegisterBenchmark("steps/6-selection/before", select_by_sorting)
      ->Arg(100)
      ->Arg(100000);
  benchmark::RegisterBenchmark("steps/6-selection/after", select_by_ranks)->Arg(100)->Arg(100000);
  return true;
}();

}  // namespace
}  // namespace updraft

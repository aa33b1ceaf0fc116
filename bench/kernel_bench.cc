// kernel/NAME/VECTORS: the vector kernels with every kind of vector of this machine, and
// observe/..., which is to be compared with memory/read.

#include <benchmark/benchmark.h>
#include <hwy/highway.h>
#include <hwy/targets.h>

#include <cstring>
#include <string>
#include <vector>

#include "core/dense.h"
#include "stats/count_scan.h"
#include "stats/padding_scan.h"
#include "stats/top_sum.h"
#include "updraft/instance.h"
#include "updraft/policy.h"
#include "updraft/registry.h"
#include "updraft/stream.h"

namespace updraft {
namespace {

constexpr std::size_t kVariables = 100000;
constexpr std::size_t kVectors = 128;  // of payoffs, together far larger than any cache

std::vector<double> normals(std::size_t count, std::uint32_t round = 0) {
  std::vector<double> values(count);
  Stream(1, 0, Purpose::kTest).normals(round, 0, values);
  return values;
}

std::vector<std::vector<double>> payoff_vectors() {
  std::vector<std::vector<double>> all;
  for (std::uint32_t j = 0; j < kVectors; ++j) all.push_back(normals(kVariables, j));
  return all;
}

/// How fast one thread can read payoffs: the C library looks for a byte that is not there.
void read_memory(benchmark::State& state) {
  std::vector<std::vector<unsigned char>> all(kVectors);
  for (auto& bytes : all) bytes.assign(kVariables * sizeof(double), 1);
  std::size_t next = 0;
  for (auto _ : state) {
    const auto& bytes = all[next++ % kVectors];
    benchmark::DoNotOptimize(std::memchr(bytes.data(), 2, bytes.size()));
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(8 * kVariables));
}
BENCHMARK(read_memory)->Name("memory/read");

/// observe() of dense payoffs with the affected sets of criteo.
void observe_dense(benchmark::State& state, const char* spec) {
  const auto policy =
      make_policy(PolicySpec::parse(spec), load_instance("criteo")->knowledge(1000));
  const auto all = payoff_vectors();
  std::size_t next = 0;
  for (auto _ : state) {
    policy->observe(static_cast<ActionId>(next % 20), Payoffs::dense(all[next % kVectors]));
    ++next;
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(8 * kVariables));
}
BENCHMARK_CAPTURE(observe_dense, up_ucb_bl, "up_ucb_bl(alpha=1)")->Name("observe/dense/up_ucb_bl");
BENCHMARK_CAPTURE(observe_dense, up_ucb, "up_ucb(alpha=1)")->Name("observe/dense/up_ucb");

void draw_normals(benchmark::State& state) {
  const Stream stream(1, 0, Purpose::kTest);
  std::vector<double> out(64 * 100);
  std::uint32_t round = 0;
  for (auto _ : state) {
    stream.normal_columns(round += 64, 64, 100, out);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * 6400);
}

void sum_values(benchmark::State& state) {
  const std::vector<double> values = normals(10000);
  for (auto _ : state) benchmark::DoNotOptimize(sum_of(values));
  state.SetItemsProcessed(state.iterations() * 10000);
}

void select_top(benchmark::State& state) {
  const std::vector<double> values = normals(10000);
  std::vector<double> scratch;
  for (auto _ : state) benchmark::DoNotOptimize(top_sum(values, 1000, scratch));
  state.SetItemsProcessed(state.iterations() * 10000);
}

void test_intervals(benchmark::State& state) {
  const std::vector<double> sums = normals(10000);
  const std::vector<double> baseline = normals(10000, 1);
  std::vector<double> rest(sums.size() + kScanSlack);
  const PaddingInputs in{.row = PayoffRow(std::span<const double>(sums)),
                         .pulls = 1.0,
                         .radius = 0.5,
                         .baseline_lower = baseline,
                         .baseline_upper = baseline,
                         .budget = 100,
                         .positive_only = false};
  for (auto _ : state) benchmark::DoNotOptimize(scan_padding(in, rest.data()));
  state.SetItemsProcessed(state.iterations() * 10000);
}

void compare_counts(benchmark::State& state) {
  std::vector<std::uint16_t> counts(kVariables), baseline(kVariables);
  const std::vector<double> z = normals(2 * kVariables);
  for (std::size_t i = 0; i < kVariables; ++i) {
    counts[i] = z[2 * i] > 1.6 ? 1 : 0;
    baseline[i] = static_cast<std::uint16_t>(50.0 + 7.0 * z[2 * i + 1]);
  }
  const CountPaddingInputs in{.counts = counts,
                              .baseline_counts = baseline,
                              .largest = 1.0,
                              .baseline_largest = 1000.0,
                              .pulls = 1,
                              .baseline_pulls = 1000,
                              .radius = 2e-3,
                              .baseline_radius = 6e-5,
                              .budget = 25000};
  const CountLimits limits{.disjoint = 2.1, .rise = 16.0, .share = 0.016, .drop = 0.06};
  std::vector<std::uint64_t> far((kVariables + 63) / 64);
  for (auto _ : state) benchmark::DoNotOptimize(scan_counts(in, limits, far.data()));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kVariables));
}

/// The work with one kind of vector only.
void with_target(benchmark::State& state, std::int64_t target, void (*work)(benchmark::State&)) {
  hwy::SetSupportedTargetsForTest(target);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  work(state);
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

const bool kRegistered = [] {
  struct Kernel {
    const char* name;
    void (*work)(benchmark::State&);
  };
  for (const Kernel kernel :
       {Kernel{"normal-draws", draw_normals}, Kernel{"payoff-sums", sum_values},
        Kernel{"top-k-sums", select_top}, Kernel{"interval-tests", test_intervals},
        Kernel{"count-comparisons", compare_counts}}) {
    for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
      const std::string name = std::string("kernel/") + kernel.name + "/" + hwy::TargetName(target);
      benchmark::RegisterBenchmark(name.c_str(), with_target, target, kernel.work);
    }
  }
  return true;
}();

}  // namespace
}  // namespace updraft

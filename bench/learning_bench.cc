// learning/POLICY/ATOMS: one round (select and observe, no environment) of a policy that learns the
// noise, with 10 actions, and of up_ucb beside them; an iteration is a run of 5,000 rounds from the
// start, fits included. learning/POLICY, with probabilities/ATOMS: decide() in place of select().

#include <benchmark/benchmark.h>

#include <bit>
#include <string>
#include <vector>

#include "updraft/registry.h"

namespace updraft {
namespace {

constexpr std::size_t kActions = 10;
constexpr std::uint32_t kRounds = 5000;

/// As many atoms of one variable each: affected by no action, by one, by two, ...
Knowledge knowledge_with(std::size_t atoms) {
  std::vector<std::vector<VariableId>> affected(kActions);
  VariableId atom = 0;
  for (int size = 0; atom < atoms; ++size) {
    for (unsigned set = 0; set < 1u << kActions && atom < atoms; ++set) {
      if (std::popcount(set) != size) continue;
      for (std::size_t a = 0; a < kActions; ++a) {
        if (set >> a & 1) affected[a].push_back(atom);
      }
      ++atom;
    }
  }
  Knowledge knowledge(kActions, atoms);
  std::vector<VariableSet> sets;
  for (const auto& ids : affected) sets.push_back(VariableSet::from_ids(ids));
  knowledge.set_affected(std::move(sets));
  knowledge.set_baseline(std::vector<double>(atoms, 0.0));
  return knowledge;
}

/// Noise with correlation 1/2 between any two atoms.
std::vector<std::vector<double>> noise(std::size_t atoms) {
  const Stream stream(1, 0, Purpose::kTest);
  std::vector<std::vector<double>> rounds(kRounds, std::vector<double>(atoms + 1));
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    std::vector<double>& x = rounds[round];
    stream.normals(round, 0, x);
    const double common = x.back();
    x.pop_back();
    for (double& value : x) value += common;
  }
  return rounds;
}

void play_rounds(benchmark::State& state, const std::string& spec, bool probabilities,
                 std::size_t atoms) {
  const Knowledge knowledge = knowledge_with(atoms);
  const auto rounds = noise(atoms);
  std::uint32_t run = 0;
  for (auto _ : state) {
    const auto policy = make_policy(spec, knowledge);
    const Stream stream(1, run++, Purpose::kPolicy);
    for (const std::vector<double>& x : rounds) {
      const ActionId action =
          probabilities ? policy->decide(stream).action : policy->select(stream);
      policy->observe(action, Payoffs::group_sums(x));
    }
  }
  state.SetItemsProcessed(state.iterations() * kRounds);
}

const bool kRegistered = [] {
  const auto add = [](const char* spec, bool probabilities) {
    for (const std::size_t atoms : {8, 32, 128}) {
      const std::string name = "learning/" + PolicySpec::parse(spec).name() +
                               (probabilities ? ", with probabilities/" : "/") +
                               std::to_string(atoms);
      benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
        play_rounds(state, spec, probabilities, atoms);
      })->Unit(benchmark::kMillisecond);
    }
  };
  add("up_ucb(alpha=1)", false);
  for (const char* spec : {"up_ts_bl", "up_ts"}) {
    add(spec, false);
    add(spec, true);
  }
  for (const char* spec : {"up_ucb_cv_bl", "up_ucb_cv"}) add(spec, false);
  return true;
}();

}  // namespace
}  // namespace updraft

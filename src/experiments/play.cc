#include "experiments/play.h"

#include <algorithm>

#include "updraft/error.h"
#include "updraft/policy.h"
#include "updraft/registry.h"
#include "updraft/simulate.h"

namespace updraft {
namespace {

/// Rounds between two looks at the control.
constexpr std::uint32_t kRoundsPerReport = 64;

/// Baseline payoffs observed per variable before the first round, where a spec does not say.
constexpr double kDefaultObservations = 1000;

std::unique_ptr<Policy> start(const Arena& arena, const PolicySpec& spec,
                              const Environment& environment) {
  Knowledge knowledge = arena.knowledge;
  if (needs_of(spec).contains(Need::kObservations)) {
    const double count = spec.number("observations").value_or(kDefaultObservations);
    knowledge.set_observations(environment.observe_baseline(static_cast<std::uint64_t>(count)));
  }
  return make_policy(spec, knowledge);
}

}  // namespace

std::vector<std::uint32_t> spaced_rounds(std::uint32_t rounds, std::uint32_t points) {
  const std::uint64_t count = std::min(rounds, points);
  std::vector<std::uint32_t> result;
  for (std::uint64_t j = 1; j <= count; ++j) {
    result.push_back(static_cast<std::uint32_t>(j * rounds / count));
  }
  return result;
}

Arena make_arena(std::shared_ptr<const Instance> instance, std::uint32_t rounds, std::uint64_t seed,
                 std::uint32_t curve_points) {
  if (rounds < 1) throw InvalidInput("rounds", "0", "must be at least 1");
  if (curve_points < 1) throw InvalidInput("curve_points", "0", "must be at least 1");
  return {.instance = instance,
          .law = prepare_payoffs(instance),
          .knowledge = instance->knowledge(rounds),
          .rounds = rounds,
          .seed = seed,
          .curve_rounds = spaced_rounds(rounds, curve_points)};
}

void check_playable(const Arena& arena, const PolicySpec& spec) {
  start(arena, spec, Environment(arena.law, arena.seed, 0));
}

Outcome play(const Arena& arena, const PolicySpec& spec, std::uint32_t run, TaskControl& control) {
  Environment environment(arena.law, arena.seed, run);
  const auto policy = start(arena, spec, environment);
  const Stream stream(arena.seed, run, Purpose::kPolicy);
  const auto gaps = arena.instance->gaps();

  Outcome outcome;
  outcome.pulls.assign(gaps.size(), 0.0);
  double regret = 0.0;
  auto next_point = arena.curve_rounds.begin();
  for (std::uint32_t round = 0; round < arena.rounds; ++round) {
    const ActionId action = policy->select(stream);
    policy->observe(action, environment.draw(round, action, policy->resolution()));
    regret += gaps[action];
    outcome.pulls[action] += 1.0;
    if (round + 1 == *next_point) {
      outcome.curve.push_back(regret);
      ++next_point;
    }
    if ((round + 1) % kRoundsPerReport == 0) {
      control.advance(kRoundsPerReport);
      if (control.cancelled()) throw Cancelled();
    }
  }
  control.advance(arena.rounds % kRoundsPerReport);
  return outcome;
}

}  // namespace updraft

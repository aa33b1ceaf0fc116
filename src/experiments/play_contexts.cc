#include "experiments/play_contexts.h"

#include "updraft/error.h"
#include "updraft/policy.h"
#include "updraft/registry.h"
#include "updraft/simulate.h"

namespace updraft {
namespace {

std::unique_ptr<Policy> start(const ContextArena& arena, const PolicySpec& spec) {
  const LinearContexts& setting = arena.world->setting;
  return make_policy(
      spec, Knowledge(ContextualShape{.features = setting.features(), .actions = setting.actions}));
}

/// What policies are shown of the round.
Round shown(const ContextArena& arena, const ContextEnvironment& environment) {
  Round context = environment.context();
  if (!arena.tell_baseline) context.baseline = {};
  if (!arena.tell_affected) context.affected = {};
  return context;
}

}  // namespace

ContextArena make_context_arena(const LinearContexts& setting, std::uint32_t rounds,
                                std::uint64_t seed, std::uint32_t curve_points) {
  if (rounds < 1) throw InvalidInput("rounds", "0", "must be at least 1");
  if (curve_points < 1) throw InvalidInput("curve_points", "0", "must be at least 1");
  return {.world = std::make_shared<const ContextWorld>(make_context_world(setting)),
          .seed = seed,
          .curve_rounds = spaced_rounds(rounds, curve_points)};
}

void check_playable(const ContextArena& arena, const PolicySpec& spec) {
  ContextEnvironment environment(*arena.world, arena.seed, 0);
  environment.draw(0);
  start(arena, spec)->explain(shown(arena, environment));
}

Outcome play_contexts(const ContextArena& arena, const PolicySpec& spec, std::uint32_t run,
                      TaskControl& control) {
  const std::unique_ptr<Policy> policy = start(arena, spec);
  const Stream stream(arena.seed, run, Purpose::kPolicy);
  ContextEnvironment environment(*arena.world, arena.seed, run);
  Outcome outcome;
  outcome.pulls.assign(arena.world->setting.actions, 0.0);
  double regret = 0.0;
  for (std::uint32_t round = 0; round < arena.curve_rounds.back(); ++round) {
    environment.draw(round);
    const Round context = shown(arena, environment);
    const Decision decision = policy->decide(context, stream);
    const ActionId action = decision.action;
    policy->learn(decision, context, Payoffs::dense(environment.payoffs(action)));
    const double gap = environment.gap(action);
    regret += gap;
    outcome.pulls[action] += 1.0;
    outcome.best += gap == 0.0 ? 1.0 : 0.0;
    if (round + 1 == arena.curve_rounds[outcome.curve.size()]) outcome.curve.push_back(regret);
    control.advance(1);
    if (control.cancelled()) throw Cancelled();
  }
  return outcome;
}

}  // namespace updraft

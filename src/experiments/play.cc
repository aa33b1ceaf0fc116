#include "experiments/play.h"

#include <fmt/format.h>

#include <algorithm>

#include "updraft/error.h"
#include "updraft/policy.h"
#include "updraft/registry.h"
#include "updraft/simulate.h"

namespace updraft {
namespace {

/// A policy on its way through a run.
class Player {
 public:
  Player(const Arena& arena, std::unique_ptr<Policy> policy, std::uint32_t run)
      : arena_(&arena),
        policy_(std::move(policy)),
        stream_(arena.seed, run, Purpose::kPolicy),
        pulls_(arena.instance->actions(), 0) {}

  const Resolution& resolution() const { return policy_->resolution(); }

  /// Rounds begin..end-1.
  void play(Environment& environment, std::uint32_t begin, std::uint32_t end) {
    const double* gaps = arena_->instance->gaps().data();
    for (std::uint32_t round = begin; round < end; ++round) {
      const ActionId action = policy_->select(stream_);
      policy_->observe(action, environment.draw(round, action, policy_->resolution()));
      regret_ += gaps[action];
      ++pulls_[action];
      if (round + 1 == arena_->curve_rounds[outcome_.curve.size()]) {
        outcome_.curve.push_back(regret_);
      }
    }
  }

  Outcome take_outcome() {
    outcome_.pulls.assign(pulls_.begin(), pulls_.end());
    for (std::size_t action = 0; action < pulls_.size(); ++action) {
      if (arena_->instance->gaps()[action] == 0.0) outcome_.best += outcome_.pulls[action];
    }
    return std::move(outcome_);
  }

 private:
  const Arena* arena_;
  std::unique_ptr<Policy> policy_;
  Stream stream_;
  double regret_ = 0.0;
  std::vector<std::uint64_t> pulls_;
  Outcome outcome_;
};

}  // namespace

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

void check_effect_gap(const Instance& instance, const PolicySpec& spec) {
  if (instance.effect_gap() > 0.0 || !needs_of(spec).contains(Need::kEffectGap)) return;
  throw InvalidInput(
      spec.name() + ".effect_gap",
      fmt::format("must be given: {} has none, because {}, and the theorem needs one",
                  instance.name().empty() ? "the instance" : instance.name(),
                  instance.max_affected() == 0
                      ? "nothing is affected"
                      : "two actions give an affected variable the same mean"));
}

std::unique_ptr<Policy> start_policy(const Arena& arena, const PolicySpec& spec,
                                     const Environment& environment) {
  Knowledge knowledge = arena.knowledge;
  if (needs_of(spec).contains(Need::kObservations)) {
    const double count = spec.number_or_default("observations");
    knowledge.set_observations(environment.observe_baseline(static_cast<std::uint64_t>(count)));
  }
  return make_policy(spec, knowledge);
}

void check_playable(const Arena& arena, const PolicySpec& spec) {
  check_effect_gap(*arena.instance, spec);
  start_policy(arena, spec, Environment(arena.law, arena.seed, 0));
}

std::vector<Outcome> play(const Arena& arena, std::span<const PolicySpec> specs, std::uint32_t run,
                          TaskControl& control) {
  Environment environment(arena.law, arena.seed, run);
  std::vector<Player> players;
  std::uint32_t block = arena.rounds;
  for (const PolicySpec& spec : specs) {
    players.emplace_back(arena, start_policy(arena, spec, environment), run);
    block = std::min(block, environment.block_rounds(players.back().resolution()));
  }
  for (std::uint32_t begin = 0; begin < arena.rounds; begin += block) {
    const std::uint32_t end = begin + std::min(block, arena.rounds - begin);
    for (Player& player : players) {
      player.play(environment, begin, end);
      control.advance(end - begin);
      if (control.cancelled()) throw Cancelled();
    }
  }
  std::vector<Outcome> outcomes;
  for (Player& player : players) outcomes.push_back(player.take_outcome());
  return outcomes;
}

}  // namespace updraft

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "experiments/parallel.h"
#include "updraft/environment.h"
#include "updraft/instance.h"
#include "updraft/knowledge.h"
#include "updraft/policy.h"
#include "updraft/policy_spec.h"

namespace updraft {

/// An instance made ready to be played by many policies in many runs.
struct Arena {
  std::shared_ptr<const Instance> instance;
  std::shared_ptr<const PayoffLaw> law;
  Knowledge knowledge;
  std::uint32_t rounds = 0;
  std::uint64_t seed = 0;
  std::vector<std::uint32_t> curve_rounds;  ///< where regret is written down
};

Arena make_arena(std::shared_ptr<const Instance> instance, std::uint32_t rounds, std::uint64_t seed,
                 std::uint32_t curve_points);

/// Throws InvalidInput if the policy needs an effect gap that nobody gives and the instance does
/// not have.
void check_effect_gap(const Instance& instance, const PolicySpec& spec);

/// A policy at the start of a run in `environment`, told what it needs.
std::unique_ptr<Policy> start_policy(const Arena& arena, const PolicySpec& spec,
                                     const Environment& environment);

/// Throws InvalidInput if the policy cannot start in the arena.
void check_playable(const Arena& arena, const PolicySpec& spec);

/// One policy in one run.
struct Outcome {
  std::vector<double> curve;  ///< regret after Arena::curve_rounds
  std::vector<double> pulls;  ///< per action
  double best = 0.0;          ///< rounds in which no action was better than the one taken
};

/// Plays policies in one run, in turns of a block of rounds, so that those which look at the
/// payoffs at the same resolution share the noise. An outcome does not depend on who else plays.
/// Throws Cancelled if `control` asks for it.
std::vector<Outcome> play(const Arena& arena, std::span<const PolicySpec> specs, std::uint32_t run,
                          TaskControl& control);

}  // namespace updraft

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "experiments/play.h"
#include "updraft/context_environment.h"

namespace updraft {

/// A contextual bandit made ready to be played. Immutable; shared by all runs.
struct ContextArena {
  std::shared_ptr<const ContextWorld> world;
  std::uint64_t seed = 1;
  std::vector<std::uint32_t> curve_rounds;  ///< increasing; the last is the number of rounds
  bool tell_baseline = true;                ///< whether policies are shown the baseline
  bool tell_affected = true;                ///< and the affected sets of a round
};

/// Throws InvalidInput if there are no rounds, or the setting cannot be.
ContextArena make_context_arena(const LinearContexts& setting, std::uint32_t rounds,
                                std::uint64_t seed, std::uint32_t curve_points);

/// Throws InvalidInput if the policy cannot play in the arena.
void check_playable(const ContextArena& arena, const PolicySpec& spec);

/// Plays one run. Throws Cancelled if `control` asks for it.
Outcome play_contexts(const ContextArena& arena, const PolicySpec& spec, std::uint32_t run,
                      TaskControl& control);

}  // namespace updraft

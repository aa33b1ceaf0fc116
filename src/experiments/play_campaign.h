#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "experiments/parallel.h"
#include "updraft/campaign_population.h"
#include "updraft/explanation.h"
#include "updraft/policy_spec.h"

namespace updraft {

/// The setting of simulated campaigns. Immutable; shared by all runs.
struct CampaignArena {
  std::shared_ptr<const CampaignPopulation> population;
  std::size_t pool = 100;   ///< individuals a round
  std::size_t budget = 10;  ///< treated at most
  std::uint64_t seed = 1;
  std::vector<std::uint32_t> curve_rounds;  ///< increasing; the last is the number of rounds
};

/// What a policy did in one run, after each of curve_rounds.
struct CampaignOutcome {
  std::vector<double> regret;    ///< true uplift that treating the best would have had more
  std::vector<double> realised;  ///< the same with the payoffs that came
  std::vector<double> uplift;    ///< mean true uplift of all individuals treated so far
  /// The estimates for the individuals held out, after the last round.
  std::vector<IndividualExplanation> held_out;
};

/// Plays one run. The best treats the individuals with the largest true uplifts, as many as the
/// budget allows.
CampaignOutcome play_campaign(const CampaignArena& arena, const PolicySpec& spec, std::uint32_t run,
                              TaskControl& control);

}  // namespace updraft

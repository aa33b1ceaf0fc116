#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "updraft/campaign_population.h"
#include "updraft/round.h"
#include "updraft/stream.h"

namespace updraft {

/// The rounds of one run of a simulated campaign: which individuals come, and what they would pay
/// under each treatment. A function of (seed, run, round), so all policies of a run meet the same.
class CampaignRounds {
 public:
  CampaignRounds(const CampaignPopulation& population, std::size_t pool, std::uint64_t seed,
                 std::uint32_t run);

  /// Draws the individuals of a round, each as likely, with replacement, and their luck.
  void draw(std::uint32_t round);

  /// With the baseline, as drawn last. Lives until the next draw.
  Round pool() const;
  /// True uplifts of the pool, individual by individual, one per treatment. Lives as long.
  std::span<const double> uplifts() const { return uplifts_; }
  /// What the individual at `place` of the pool pays under a treatment: 0/1 payoffs share a uniform
  /// over the treatments, normal ones a normal.
  double payoff(std::size_t place, Treatment treatment) const;
  /// The true uplift over no treatment.
  double uplift(std::size_t place, Treatment treatment) const;

 private:
  const CampaignPopulation* population_;
  Stream who_;
  Stream luck_;
  std::vector<std::size_t> individuals_;
  std::vector<double> features_;
  std::vector<double> baseline_;
  std::vector<double> uplifts_;
  std::vector<double> noise_;  // a uniform or a normal for each
};

}  // namespace updraft

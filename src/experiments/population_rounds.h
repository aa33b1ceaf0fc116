#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "experiments/oracle.h"
#include "updraft/environment.h"
#include "updraft/population.h"
#include "updraft/stream.h"

namespace updraft {

struct PoolOptions {
  std::size_t individuals = 100;  ///< of a round
  std::size_t budget = 10;        ///< treated at most
};

/// What targeting policies know of a population.
Knowledge targeting_knowledge(const Population& population, const PoolOptions& pool);

/// The rounds of one run on a population: which individuals come, and what they would pay under
/// each treatment. A function of (seed, run, round), so all policies of a run meet the same rounds.
/// Regret is measured against treating the individuals with the largest true uplifts, as many as
/// the budget allows.
class PopulationRounds final : public Environment {
 public:
  /// The population must outlive this object.
  PopulationRounds(const Population& population, const PoolOptions& pool, std::uint64_t seed,
                   std::uint32_t run);
  PopulationRounds(const PopulationRounds&) = delete;

  /// Draws individuals, each as likely, with replacement, and their luck. They come with the
  /// baseline.
  Round begin(std::uint32_t round) override;
  Payoffs pay(const Decision& decision, const Resolution& resolution) override;
  void measure(const Decision& decision, Measures& sums) override;
  /// With the baseline. Ends the round.
  Round held_out() override { return show(population_->drawn(), population_->size()); }
  /// All who may be drawn, with the baseline. Ends the round.
  Round everyone() { return show(0, population_->drawn()); }

  /// Of the individuals in what was shown last.
  const TrueUplifts& truth() const { return truth_; }
  /// What the individual at `place` of the pool pays under a treatment: 0/1 payoffs share a uniform
  /// over the treatments, normal ones a normal.
  double payoff(std::size_t place, Treatment treatment) const;
  /// The true uplift over no treatment.
  double uplift(std::size_t place, Treatment treatment) const;

 private:
  Round pool() const;
  Round show(std::size_t first, std::size_t last);
  void look_up_means();

  const Population* population_;
  TrueUplifts truth_;
  std::unique_ptr<Policy> best_;
  Stream who_;
  Stream luck_;
  std::vector<std::size_t> individuals_;
  std::vector<double> features_;
  std::vector<double> baseline_;
  std::vector<double> uplifts_;
  std::vector<double> noise_;  // a uniform or a normal for each of a pool
  std::vector<double> payoffs_;
};

}  // namespace updraft

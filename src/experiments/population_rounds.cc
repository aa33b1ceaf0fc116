#include "experiments/population_rounds.h"

#include <algorithm>
#include <numeric>

namespace updraft {

Knowledge targeting_knowledge(const Population& population, const PoolOptions& pool) {
  return Knowledge(TargetingShape{population.features(), population.treatments(), pool.budget});
}

PopulationRounds::PopulationRounds(const Population& population, const PoolOptions& pool,
                                   std::uint64_t seed, std::uint32_t run)
    : population_(&population),
      best_(
          make_oracle(PolicySpec::parse("oracle"), targeting_knowledge(population, pool), truth_)),
      who_(seed, run, Purpose::kPool),
      luck_(seed, run, Purpose::kNoiseVariables),
      noise_(pool.individuals),
      payoffs_(pool.individuals) {}

Round PopulationRounds::begin(std::uint32_t round) {
  const Population& p = *population_;
  who_.uniforms(round, 0, noise_);
  individuals_.clear();
  features_.clear();
  for (const double uniform : noise_) {
    const auto place = static_cast<std::size_t>(uniform * static_cast<double>(p.drawn()));
    individuals_.push_back(std::min(place, p.drawn() - 1));
    const std::span<const double> row = p.table.row(individuals_.back());
    features_.insert(features_.end(), row.begin(), row.end());
  }
  look_up_means();
  if (p.binary()) {
    luck_.uniforms(round, 0, noise_);
  } else {
    luck_.normals(round, 0, noise_);
  }
  return pool();
}

Round PopulationRounds::pool() const {
  return {.features = features_, .width = population_->features(), .baseline = baseline_};
}

Round PopulationRounds::show(std::size_t first, std::size_t last) {
  const std::size_t width = population_->features();
  individuals_.resize(last - first);
  std::iota(individuals_.begin(), individuals_.end(), first);
  look_up_means();
  return {.features =
              std::span(population_->table.values).subspan(first * width, (last - first) * width),
          .width = width,
          .baseline = baseline_};
}

void PopulationRounds::look_up_means() {
  baseline_.clear();
  uplifts_.clear();
  for (std::size_t i = 0; i < individuals_.size(); ++i) {
    baseline_.push_back(population_->mean(individuals_[i], 0));
    for (Treatment z = 1; z <= population_->treatments(); ++z) uplifts_.push_back(uplift(i, z));
  }
  truth_.values = uplifts_;
}

Payoffs PopulationRounds::pay(const Decision& decision, const Resolution&) {
  for (std::size_t i = 0; i < payoffs_.size(); ++i) payoffs_[i] = payoff(i, decision.treatments[i]);
  return Payoffs::dense(payoffs_);
}

void PopulationRounds::measure(const Decision& decision, Measures& sums) {
  const std::vector<Treatment>& chosen = decision.treatments;
  const std::vector<Treatment> ideal = best_->preview(pool(), who_).treatments;
  for (std::size_t i = 0; i < ideal.size(); ++i) {
    if (chosen[i] != ideal[i]) {
      sums.realised += payoff(i, ideal[i]) - payoff(i, chosen[i]);
      sums.regret += uplift(i, ideal[i]) - uplift(i, chosen[i]);
    }
    if (chosen[i] == 0) continue;
    sums.treated += 1.0;
    sums.uplift += uplift(i, chosen[i]);
  }
}

double PopulationRounds::payoff(std::size_t place, Treatment treatment) const {
  const Population& p = *population_;
  const std::size_t individual = individuals_[place];
  if (p.replay && p.table.treatment[individual] == treatment) return p.table.outcomes[individual];
  const double mean = p.mean(individual, treatment);
  if (p.binary()) return noise_[place] < mean ? 1.0 : 0.0;
  return mean + p.noise_sd * noise_[place];
}

double PopulationRounds::uplift(std::size_t place, Treatment treatment) const {
  const std::size_t individual = individuals_[place];
  return population_->mean(individual, treatment) - population_->mean(individual, 0);
}

}  // namespace updraft

#include "experiments/campaign_rounds.h"

#include <algorithm>

namespace updraft {

CampaignRounds::CampaignRounds(const CampaignPopulation& population, std::size_t pool,
                               std::uint64_t seed, std::uint32_t run)
    : population_(&population),
      who_(seed, run, Purpose::kPool),
      luck_(seed, run, Purpose::kNoiseVariables),
      individuals_(pool),
      baseline_(pool),
      noise_(pool) {}

void CampaignRounds::draw(std::uint32_t round) {
  const CampaignPopulation& p = *population_;
  who_.uniforms(round, 0, noise_);
  features_.clear();
  uplifts_.clear();
  for (std::size_t i = 0; i < individuals_.size(); ++i) {
    const auto place = static_cast<std::size_t>(noise_[i] * static_cast<double>(p.drawn()));
    individuals_[i] = std::min(place, p.drawn() - 1);
    const auto row = p.rows.begin() + static_cast<std::ptrdiff_t>(individuals_[i] * p.features);
    features_.insert(features_.end(), row, row + static_cast<std::ptrdiff_t>(p.features));
    baseline_[i] = p.mean(individuals_[i], 0);
    for (Treatment z = 1; z <= p.treatments; ++z) uplifts_.push_back(uplift(i, z));
  }
  if (p.binary) {
    luck_.uniforms(round, 0, noise_);
  } else {
    luck_.normals(round, 0, noise_);
  }
}

Round CampaignRounds::pool() const {
  return {.features = features_, .width = population_->features, .baseline = baseline_};
}

double CampaignRounds::payoff(std::size_t place, Treatment treatment) const {
  const CampaignPopulation& p = *population_;
  const std::size_t individual = individuals_[place];
  if (p.replay && p.recorded[individual] == treatment) return p.payoffs[individual];
  const double mean = p.mean(individual, treatment);
  if (p.binary) return noise_[place] < mean ? 1.0 : 0.0;
  return mean + p.noise_sd * noise_[place];
}

double CampaignRounds::uplift(std::size_t place, Treatment treatment) const {
  const std::size_t individual = individuals_[place];
  return population_->mean(individual, treatment) - population_->mean(individual, 0);
}

}  // namespace updraft

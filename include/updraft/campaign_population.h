#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "updraft/campaign.h"
#include "updraft/ids.h"

namespace updraft {

/// The individuals from which a simulated campaign draws its pools, and the truth about each.
struct CampaignPopulation {
  std::string name;
  std::string summary;
  std::size_t features = 0;    ///< d, of one individual
  std::size_t treatments = 1;  ///< Z
  std::vector<double> rows;    ///< features, one individual after the other
  std::vector<double> means;   ///< expected payoffs: Z + 1 per individual, untreated first
  bool binary = true;          ///< payoffs 0 or 1, else normal with `noise_sd`
  double noise_sd = 1.0;
  /// The recorded treatment and payoff of each individual; both empty if there is no record.
  std::vector<Treatment> recorded;
  std::vector<double> payoffs;
  /// If true, an individual who gets the recorded treatment pays the recorded payoff; any other
  /// payoff is a draw with the individual's mean. If false, all payoffs are draws.
  bool replay = false;
  /// The last `held_out` individuals are never drawn. Rankings are judged by their records.
  std::size_t held_out = 0;

  std::size_t size() const { return features == 0 ? 0 : rows.size() / features; }
  std::size_t drawn() const { return size() - held_out; }
  double mean(std::size_t individual, Treatment treatment) const {
    return means[individual * (treatments + 1) + treatment];
  }
};

/// Throws InvalidInput if lengths do not fit, a number is not finite, a mean of 0/1 payoffs is not
/// in [0, 1], a recorded treatment is unknown, or a record is needed and missing.
void check_population(const CampaignPopulation& population);

struct SyntheticCampaign {
  std::size_t individuals = 20000;
  std::size_t features = 12;  ///< d >= 2; the last is constant
  std::size_t treatments = 1;
  bool logistic = false;  ///< 0/1 payoffs by a logistic model, else normal ones by a linear model
  std::uint64_t seed = 1;
  std::size_t held_out = 0;  ///< number of individuals held out
};

/// A campaign with known truth: features of length at most 1, coefficients of length at most 1 for
/// linear payoffs. Treatment helps some individuals and puts others off. The recorded treatments
/// (including none) were assigned at random, all equally likely.
CampaignPopulation synthetic_population(const SyntheticCampaign& options);

/// The customers of a table, with every fifth held out, and the predictions of response models that
/// are fitted to the other customers. Payoffs are normal around linear predictions, with the
/// average spread of the records around them. Throws as fit_campaign().
CampaignPopulation population_of(const CampaignData& data);

/// The same with the models of a campaign, which may have been fitted to all rows. Throws
/// InvalidInput if the rows were not kept.
CampaignPopulation population_of(const Campaign& campaign);

/// Adds a feature that is 1 for everybody.
void add_constant(CampaignPopulation& population);

}  // namespace updraft

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "updraft/customer_table.h"
#include "updraft/ids.h"
#include "updraft/response_models.h"

namespace updraft {

/// The individuals from which a simulation draws its pools, and the truth about each.
struct Population {
  std::string name;
  std::string summary;
  CustomerTable table;        ///< with what is on record of each individual
  std::vector<double> means;  ///< expected payoffs: Z + 1 per individual, untreated first
  double noise_sd = 1.0;      ///< of the normal payoffs of a linear response
  /// If true, an individual who gets the recorded treatment pays the recorded outcome; any other
  /// payoff is a draw with the individual's mean. If false, all payoffs are draws.
  bool replay = false;
  /// The last `held_out` individuals are never drawn. Rankings are judged by their records.
  std::size_t held_out = 0;

  std::size_t size() const { return table.rows(); }
  std::size_t drawn() const { return size() - held_out; }
  std::size_t features() const { return table.features.size(); }          ///< d
  std::size_t treatments() const { return table.treatments.size() - 1; }  ///< Z
  bool binary() const { return table.response == ResponseKind::kLogistic; }
  double mean(std::size_t individual, Treatment treatment) const {
    return means[individual * table.treatments.size() + treatment];
  }
};

/// Throws InvalidInput if lengths do not fit, a number is not finite, a mean of 0/1 payoffs is not
/// in [0, 1], or a recorded treatment is unknown.
void check_population(const Population& population);

struct SyntheticPopulationOptions {
  std::size_t individuals = 20000;
  std::size_t features = 12;  ///< d >= 2; the last is constant
  std::size_t treatments = 1;
  bool logistic = false;  ///< 0/1 payoffs by a logistic model, else normal ones by a linear model
  std::uint64_t seed = 1;
  std::size_t held_out = 0;  ///< number of individuals held out
};

/// Individuals with known truth: features of length at most 1, coefficients of length at most 1 for
/// linear payoffs. Treatment helps some individuals and puts others off. The recorded treatments
/// (including none) were assigned at random, all equally likely. Features are not scaled to [0, 1].
Population synthetic_population(const SyntheticPopulationOptions& options);

/// The customers of a table, with every fifth held out, and the predictions of response models that
/// are fitted to the other customers. Payoffs are normal around linear predictions, with the
/// average spread of the records around them. Throws as fit_response_models().
Population population_of(const CustomerTable& table);

/// The same with given models, which may have been fitted to all rows. Throws InvalidInput if the
/// rows were not kept.
Population population_of(const ResponseModels& models);

/// Adds a feature that is 1 for everybody.
void add_constant(Population& population);

}  // namespace updraft

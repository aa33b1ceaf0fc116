#pragma once

#include <filesystem>

#include "updraft/experiment.h"
#include "updraft/population.h"

namespace updraft {

/// The individuals of a targeting experiment.
struct LoadedPopulation {
  Population population;
  bool generated = false;
  bool fitted = false;  ///< whether its models were fitted to the data here
};

/// `table` is the file of a published data set; where it is empty, generated individuals stand in
/// for the customers in it. Throws InvalidInput if a file cannot be read or does not fit.
LoadedPopulation load_population(const TargetingSetting& setting,
                                 const std::filesystem::path& table);

}  // namespace updraft

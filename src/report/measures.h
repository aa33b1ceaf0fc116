#pragma once

#include <span>
#include <string>
#include <vector>

#include "updraft/results.h"

namespace updraft {

/// What is measured of a policy after each of the curve's rounds.
struct Measure {
  const char* name;                                        ///< of the y axis
  const std::vector<Summary>& (*curve)(const GridPoint&);  ///< of a point
  bool adds_up;                                            ///< over the rounds, from 0 on
  bool with_yardsticks;  ///< whether targeting policies that learn nothing are shown
};

/// The regret; of targeting policies the regret, the regret of the payoffs that came, and the mean
/// uplift of those treated.
std::span<const Measure> measures_of(const Experiment& experiment);

/// A curve of a measure. Refers to the result.
struct Curve {
  std::size_t policy = 0;
  const std::vector<Summary>* means = nullptr;  ///< after ExperimentResult::curve_rounds
  std::string note;                             ///< the chosen value, "alpha = 3"; may be empty
};

/// The curves of the chosen values, the largest at the end first; policies that a measure does not
/// show are left out. Throws InvalidInput if one has not a point for each of the curve's rounds.
std::vector<Curve> curves_of(const ExperimentResult& result, const Measure& measure);

}  // namespace updraft

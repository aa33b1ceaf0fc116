#pragma once

#include <string>
#include <vector>

#include "updraft/results.h"

namespace updraft {

/// A bound of the theory as a function of the rounds.
struct BoundLine {
  std::string label;
  std::vector<double> rounds;  ///< only those after which the bound is below the trivial one
  std::vector<double> values;  ///< per round
};

/// The upper bounds of the experiment's policies, each with probability 0.95, and the lower bound
/// for affected sets, at the instance's true values: those of `updraft bounds`. Upper bounds are
/// for the theorem's alpha, whatever the experiment tunes. A policy whose spec changes the index,
/// L or Delta has none. If the noise is wider than a theorem allows, the label says for how many
/// times the alpha of delta the bound is. A bound is kept only where it says more than rounds * the
/// largest gap; one that never does has no rounds. No lines at all if the noise is not
/// sub-Gaussian: no bound holds. Throws InvalidInput if the instance cannot be loaded.
std::vector<BoundLine> bound_lines(const ExperimentResult& result);

}  // namespace updraft

#pragma once

#include <cstddef>
#include <optional>

#include "updraft/policy_spec.h"

namespace updraft {

/// beta: how many widths of its ellipsoid an upper bound on a response lies above the estimate. A
/// constant, or by the schedule of the theorem on C2UpUCB, under which the bounds of all models
/// hold in all rounds with probability 1 - delta. [hsieh22, theorem on C2UpUCB, the lemma on
/// confidence ellipsoids behind it and the remark on known baselines; abbasi11]
///   beta = sqrt(lambda) B + sqrt(2 log(models / delta) + d log(1 + rows / (d lambda)))
/// The schedule presumes rows no longer than 1 and noise that is 1-sub-Gaussian and independent.
struct WidthSchedule {
  /// What the schedule grows with.
  struct Growth {
    std::size_t models = 0;    ///< whose bounds must hold together
    std::size_t features = 0;  ///< d
    double lambda = 1.0;
    /// The most that a model can have learned from when the present round has been observed: all
    /// that were observed for any of the models, from logs too, and those of this round.
    double rows = 0.0;
  };

  double constant = 0.0;        ///< if delta is not given
  std::optional<double> delta;  ///< the schedule
  double bound = 1.0;           ///< B, on the length of every theta; schedule only

  double beta(const Growth& growth) const;
};

/// From the parameters beta, delta and bound. Throws InvalidInput where both of beta and delta are
/// given, or neither.
WidthSchedule read_width_schedule(const PolicySpec& spec);

/// lambda of a targeting policy: as given; else the budget with delta, and its default without.
double ridge_of(const PolicySpec& spec, std::size_t budget);

/// Refuses a policy whose beta depends on how many rows it has learned from: for states that do not
/// say. Throws InvalidInput.
void check_needs_no_rows(const PolicySpec& spec);

}  // namespace updraft

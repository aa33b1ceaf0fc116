#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "updraft/knowledge.h"
#include "updraft/policy_spec.h"
#include "updraft/stream.h"

namespace updraft::testing {

/// A small random instance, what a learner is told of it (everything, not always rightly) and a
/// policy with random parameters. Everything follows from `number`.
struct RandomCase {
  enum class Payoffs {
    kGaussian,       ///< independent noise, and for some cases noise common to all variables
    kBernoulli,      ///< 0 or 1; for some cases of policies that learn the noise, other counts
    kDeterministic,  ///< the mean itself, so that different actions can have equal indices
    kLattice,        ///< the same with multiples of 1/4, and radii such as 1, 1/2 and 1/4, so that
                     ///< baselines often lie exactly on the boundary of an interval or threshold
  };

  Knowledge knowledge;
  PolicySpec spec;
  Payoffs kind = Payoffs::kGaussian;
  std::vector<std::vector<double>> means;  ///< [action][variable]
  double noise = 0.0;                      ///< sd of a variable's own noise
  double common_noise = 0.0;               ///< sd of the noise common to all variables
  std::vector<double> spread;              ///< [action]: what multiplies a variable's own noise
  std::size_t trials = 1;                  ///< of kBernoulli, a round and variable
  double unit = 1.0;                       ///< what a success of kBernoulli pays
  Stream stream;                           ///< draws of the case: instance, payoffs, delays

  /// What `action` pays in `round`.
  std::vector<double> payoffs(std::uint32_t round, std::uint32_t action) const;

  /// Rounds until the payoffs of `round` come back: 0..longest, each as likely.
  std::uint32_t delay(std::uint32_t round, std::uint32_t longest) const;
};

/// K in 2..8, m in 1..40. The kinds of instance: overlapping, empty and full affected sets,
/// variables that all actions affect, copies of an action, actions without effect; L true, m or
/// wrong, or one per action; Delta true, too small or too large; alpha from 1e-4 to 10 or through
/// delta and horizon; refits from every round to every doubling of rounds, correlations learnt or
/// not. Policies that learn the noise also get noise that depends on the action, and counts that
/// are not 0 or 1. Those that learn sparse effects get segments, or units fewer than the variables.
RandomCase random_case(std::string_view policy, std::uint32_t number);

}  // namespace updraft::testing

#pragma once

#include <memory>
#include <span>

#include "updraft/policy.h"

namespace updraft {

/// What only a simulation knows of the round at hand.
struct TrueUplifts {
  std::span<const double> values;  ///< individual by individual, one per treatment
};

/// The policy `oracle`: treats the individuals with the largest true uplifts, as many as the budget
/// allows, those above 0 only unless fill = yes. `truth`, which must outlive the policy, is that of
/// each round which it is asked about.
std::unique_ptr<Policy> make_oracle(const PolicySpec& spec, const Knowledge& knowledge,
                                    const TrueUplifts& truth);

/// make_policy(), or make_oracle() if only a simulation can make the policy.
std::unique_ptr<Policy> make_simulated_policy(const PolicySpec& spec, const Knowledge& knowledge,
                                              const TrueUplifts& truth);

}  // namespace updraft

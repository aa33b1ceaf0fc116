#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "reference/case_streams.h"
#include "support/rounds.h"
#include "updraft/policy_spec.h"
#include "updraft/stream.h"

namespace updraft::testing {

/// Small random pools and a policy with random parameters. Everything follows from `number`.
/// 1..3 treatments, 1..6 features, pools of 5..40, a budget of 1 up to the smallest pool; normal
/// payoffs for linear models, 0/1 for logistic ones.
struct RandomTargeting {
  CaseStreams streams;
  PolicySpec spec;
  TargetingShape shape;
  bool ties = false;  ///< whether different individuals may have equal indices
  bool logistic = false;
  bool short_rows = false;  ///< none longer than 1
  std::size_t smallest_pool = 0;
  std::size_t largest_pool = 0;
  double feature_size = 1.0;
  double copies = 0.0;                     ///< the share of individuals who are as one before them
  double nothing = 0.0;                    ///< the share whose features are all 0
  bool lattice = false;                    ///< features are -1, 0 or 1 times feature_size
  std::vector<std::vector<double>> theta;  ///< [treatment], 0 for none

  /// The expected payoff of an individual with these features.
  double mean(std::span<const double> x, Treatment treatment) const;

  MadeRound pool(std::uint32_t round) const;
  std::vector<double> payoffs(std::uint32_t round, const MadeRound& pool,
                              std::span<const Treatment> treatments) const;
};

/// `model`: linear, exact or online (logistic, with that fit).
RandomTargeting random_targeting(std::string_view policy, std::string_view model,
                                 std::uint32_t number);

}  // namespace updraft::testing

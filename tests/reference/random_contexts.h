#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "reference/case_streams.h"
#include "support/rounds.h"
#include "updraft/policy_spec.h"
#include "updraft/stream.h"

namespace updraft::testing {

/// A small linear problem and a policy with random parameters. Everything follows from `number`.
/// 1..4 actions, 1..4 features, 1..12 variables a round; theta(a) - theta(0) and the features are
/// sparse, and the affected sets are those where both are not 0, or drawn at random.
struct RandomContexts {
  CaseStreams streams;
  PolicySpec spec;
  ContextualShape shape;
  bool ties = false;  ///< whether different actions may have equal indices
  std::size_t fewest_variables = 0;
  std::size_t most_variables = 0;
  double feature_size = 1.0;
  double density = 1.0;      ///< the share of features that are not 0
  double copies = 0.0;       ///< the share of variables that are as one before them
  bool lattice = false;      ///< features are -1, 0 or 1 times feature_size
  bool short_rows = false;   ///< none longer than 1
  bool random_sets = false;  ///< whatever is affected
  std::vector<double> theta0;
  std::vector<std::vector<double>> differences;  ///< theta(a) - theta0

  MadeRound context(std::uint32_t round) const;
  std::vector<double> payoffs(std::uint32_t round, const MadeRound& context, ActionId action) const;
};

/// `sets`: whether the affected sets are given, else L is.
RandomContexts random_contexts(std::string_view policy, bool sets, std::uint32_t number);

}  // namespace updraft::testing

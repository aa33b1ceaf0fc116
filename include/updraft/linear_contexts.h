#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace updraft {

/// How a contextual bandit with linear payoffs is generated. [hsieh22, paragraph 'Contextual
/// Uplifting Bandit with Linear Payoffs', with its sufficient condition for few affected variables]
///
/// Features come in groups. A variable has features of one group, drawn anew each round, and all
/// others are 0. An action changes the coefficients of one group, that of its id modulo `groups`,
/// and so affects the variables of that group in the round.
struct LinearContexts {
  std::size_t actions = 8;         ///< K
  std::size_t variables = 40;      ///< m, in a round
  std::size_t groups = 8;          ///< of features
  std::size_t group_features = 2;  ///< features of one group
  std::size_t max_affected = 8;    ///< L: the most variables of one group in a round
  double noise_sd = 1.0;           ///< of normal noise, independent over variables
  std::uint64_t seed = 1;          ///< of the coefficients

  std::size_t features() const { return groups * group_features; }  ///< d
  bool operator==(const LinearContexts&) const = default;
};

/// The instance name of LinearContexts with its defaults: `updraft simulate --instance
/// contextual-linear`.
inline constexpr std::string_view kContextInstance = "contextual-linear";
inline constexpr std::string_view kContextSummary =
    "contextual bandit with linear payoffs: every round each variable has features, and an action "
    "affects those that have features of its group; for contextual policies";

}  // namespace updraft

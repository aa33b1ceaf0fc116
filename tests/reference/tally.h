#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "reference/play_duel.h"
#include "reference/random_case.h"
#include "reference/reference_policy.h"

namespace updraft::testing {

/// How close indices must be to count as equal up to rounding, relative to what they are made of.
inline constexpr double kTolerance = 1e-9;

/// How many decisions were the reference's own, and how many only as good up to rounding.
struct Tally {
  std::uint64_t exact = 0;
  std::uint64_t rounding_continuous = 0;    // Gaussian payoffs: different indices are not close
  std::uint64_t rounding_counts = 0;        // Bernoulli payoffs: equal counts give equal indices
  std::uint64_t rounding_among_equals = 0;  // instances with provably equal actions

  /// Counts the choice of the fast policy. Passes where it is the reference's, or where its
  /// index is finite and within kTolerance of the best, relative to the larger of |best| and
  /// the magnitudes of the two actions. There is no absolute tolerance.
  ::testing::AssertionResult judge(const ReferencePolicy& reference, const Stream& stream,
                                   ActionId choice, RandomCase::Payoffs kind) {
    const ActionId best = reference.choose(stream);
    if (choice == best) {
      ++exact;
      return ::testing::AssertionSuccess();
    }
    const std::vector<double> indices = reference.indices(stream);
    const double scale =
        std::max({std::abs(indices[best]), reference.magnitude(best), reference.magnitude(choice)});
    if (!std::isfinite(indices[best]) || !std::isfinite(indices[choice]) ||
        !(indices[best] - indices[choice] <= kTolerance * scale)) {
      return ::testing::AssertionFailure()
             << "chose " << choice << " with index " << indices[choice] << ", the reference "
             << best << " with index " << indices[best];
    }
    ++(kind == RandomCase::Payoffs::kGaussian    ? rounding_continuous
       : kind == RandomCase::Payoffs::kBernoulli ? rounding_counts
                                                 : rounding_among_equals);
    return ::testing::AssertionSuccess();
  }
};

/// Records the tally. Decisions that differ by rounding must be absent or rare.
inline void expect_rarely_rounding(const Tally& tally) {
  EXPECT_EQ(tally.rounding_continuous, 0u);
  EXPECT_LT(static_cast<double>(tally.rounding_counts), 0.01 * static_cast<double>(tally.exact));
  record({{"exact", tally.exact},
          {"rounding_continuous", tally.rounding_continuous},
          {"rounding_counts", tally.rounding_counts},
          {"rounding_among_equals", tally.rounding_among_equals}});
}

}  // namespace updraft::testing

// Among equals the lowest ids are treated, with the lowest treatment.

#include <gtest/gtest.h>

#include <vector>

#include "support/rounds.h"

namespace updraft::testing {
namespace {

TEST(TargetingTies, GoToTheLowestIdAndTreatment) {
  const Stream stream(1, 0, Purpose::kPolicy);
  const std::vector<double> features(6, 0.5);
  const std::vector<double> baseline(6, 0.25);
  for (const char* spec : {"c2_up_ucb(beta=1, fill=yes)", "c2_up_ucb_bl(beta=1, fill=yes)",
                           "c2_ucb(beta=1, fill=yes)", "greedy(fill=yes)"}) {
    const auto policy = make_targeting(spec, {.features = 1, .treatments = 3, .budget = 2});
    for (int round = 0; round < 2; ++round) {
      EXPECT_EQ(select_treatments(*policy, {.features = features, .width = 1, .baseline = baseline},
                                  stream),
                (std::vector<Treatment>{1, 1, 0, 0, 0, 0}))
          << spec << ", round " << round;
      // All treatments pay the same.
      teach(*policy, {.features = features, .width = 1, .baseline = baseline},
            std::vector<Treatment>{3, 2, 1, 1, 2, 3}, std::vector<double>(6, 1.0));
    }
  }
}

}  // namespace
}  // namespace updraft::testing

#include "policies/width_schedule.h"

#include <gtest/gtest.h>

#include <cmath>

namespace updraft {
namespace {

TEST(WidthSchedule, ByHand) {
  const WidthSchedule schedule{.constant = 0.0, .delta = 0.1, .bound = 0.5};
  const double beta = schedule.beta({.models = 3, .features = 4, .lambda = 2.0, .rows = 100.0});
  EXPECT_NEAR(beta,
              std::sqrt(2.0) * 0.5 +
                  std::sqrt(2.0 * std::log(3.0 / 0.1) + 4.0 * std::log(1.0 + 100.0 / (4.0 * 2.0))),
              1e-12);
}

TEST(WidthSchedule, WithoutDeltaIsConstant) {
  const WidthSchedule schedule{.constant = 1.5, .delta = {}, .bound = 9.0};
  EXPECT_EQ(schedule.beta({.models = 3, .features = 4, .lambda = 2.0, .rows = 1e9}), 1.5);
}

}  // namespace
}  // namespace updraft

#include "service/service_clock.h"

#include <gtest/gtest.h>

namespace updraft {
namespace {

TEST(ServiceClock, GoesOnWhenTheSystemsClockIsSet) {
  std::int64_t system = 1'000'000;
  std::int64_t steady = 50;
  ServiceClock clock([&] { return system; }, [&] { return steady; });
  EXPECT_EQ(clock.now_ms(), 1'000'000);
  system += 7;
  steady += 7;
  EXPECT_EQ(clock.now_ms(), 1'000'007);
  EXPECT_EQ(clock.step(), std::nullopt);
  system += 7'200'000;
  EXPECT_EQ(clock.now_ms(), 1'000'007);
  EXPECT_EQ(clock.step(), 7'200'000);
  EXPECT_EQ(clock.step(), std::nullopt) << "is told once";
  system -= 7'200'000;
  EXPECT_EQ(clock.now_ms(), 1'000'007);
  EXPECT_EQ(clock.step(), -7'200'000);
  // A clock that is slewed drifts by little at a time.
  for (int i = 0; i < 10; ++i) {
    system += 999;
    EXPECT_EQ(clock.step().has_value(), i % 2 == 1) << i;
  }
}

}  // namespace
}  // namespace updraft

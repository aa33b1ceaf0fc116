#include "report/axis.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace updraft {
namespace {

/// The labels of the ticks that have one, with a space between them.
std::string labels_of(const Axis& axis) {
  std::string labels;
  for (const Tick& tick : axis.ticks) {
    if (!tick.label.empty()) labels += (labels.empty() ? "" : " ") + tick.label;
  }
  return labels;
}

TEST(LinearAxis, HasTicksAtRoundNumbers) {
  EXPECT_EQ(labels_of(linear_axis(1000.0, 6)), "0 200 400 600 800 1,000");
  EXPECT_EQ(labels_of(linear_axis(900.0, 3)), "0 500");
  EXPECT_EQ(labels_of(linear_axis(0.06, 6)), "0.00 0.01 0.02 0.03 0.04 0.05 0.06");
  EXPECT_EQ(labels_of(linear_axis(0.0, 2)), "0.0 0.5 1.0") << "nothing to show";
}

TEST(LinearAxis, GoesBelowZero) {
  const Axis axis = linear_axis(10.0, 6, -10.0);
  EXPECT_EQ(axis.low, -10.0);
  EXPECT_EQ(labels_of(axis), "-10 -5 0 5 10");
  EXPECT_EQ(linear_axis(10.0, 6, 3.0).low, 0.0) << "0 is always on it";
}

TEST(LogAxis, LabelsPowersOfTen) {
  EXPECT_EQ(labels_of(log_axis(0.01, 10.0)), "0.01 0.1 1 10");
  EXPECT_EQ(labels_of(log_axis(1e-6, 1e-2)), "1e-6 1e-5 1e-4 0.001 0.01");
  EXPECT_EQ(labels_of(log_axis(1e3, 1e6)), "1,000 10,000 100,000 1,000,000");
}

TEST(LogAxis, LabelsMoreWhereThereAreFewPowers) {
  EXPECT_EQ(labels_of(log_axis(1.0, 50.0)), "1 2 5 10 20 50");
  EXPECT_EQ(labels_of(log_axis(1.0, 10.0)), "1 2 3 5 7 10");
}

}  // namespace
}  // namespace updraft

#include "stats/student.h"

#include <gtest/gtest.h>

#include <cmath>

namespace updraft {
namespace {

TEST(Student, AgreesWithTables) {
  // Two-sided 95 % points of any table of Student's distribution.
  EXPECT_NEAR(student_95(1), 12.7062, 1e-4);
  EXPECT_NEAR(student_95(2), 4.30265, 1e-5);
  EXPECT_NEAR(student_95(3), 3.18245, 1e-5);
  EXPECT_NEAR(student_95(4), 2.77645, 1e-5);
  EXPECT_NEAR(student_95(5), 2.57058, 1e-5);
  EXPECT_NEAR(student_95(10), 2.22814, 1e-5);
  EXPECT_NEAR(student_95(30), 2.04227, 1e-5);
  EXPECT_NEAR(student_95(120), 1.97993, 1e-5);
  EXPECT_NEAR(student_95(1000000), 1.95997, 1e-5);
}

TEST(Student, TheTwoFormsMeet) {
  const double step = student_95(60) - student_95(61);
  const double before = student_95(59) - student_95(60);
  const double after = student_95(61) - student_95(62);
  EXPECT_LT(step, before);
  EXPECT_GT(step, after);
}

}  // namespace
}  // namespace updraft

#include "core/symmetric.h"

#include <gtest/gtest.h>

namespace updraft {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kWrong = 1e6;  // in the upper triangle, which is not read

/// [[4, 2], [2, 5]] = L L' with L = [[2, 0], [1, 2]].
MatrixXd example() { return MatrixXd{{4.0, kWrong}, {2.0, 5.0}}; }

TEST(Symmetric, SolvesByTheLowerTriangle) {
  const VectorXd x = solve_positive(example(), VectorXd{{8.0, 12.0}});
  EXPECT_DOUBLE_EQ(x[0], 1.0);
  EXPECT_DOUBLE_EQ(x[1], 2.0);
  const MatrixXd inverse = solve_positive(example(), MatrixXd(MatrixXd::Identity(2, 2)));
  EXPECT_DOUBLE_EQ(inverse(0, 0), 5.0 / 16.0);
  EXPECT_DOUBLE_EQ(inverse(0, 1), -2.0 / 16.0);
  EXPECT_DOUBLE_EQ(inverse(1, 1), 4.0 / 16.0);
  const MatrixXd half = solve_root(example(), MatrixXd{{4.0}, {6.0}});
  EXPECT_DOUBLE_EQ(half(0, 0), 2.0);
  EXPECT_DOUBLE_EQ(half(1, 0), 2.0);
}

TEST(Symmetric, FactorisesInPlace) {
  MatrixXd matrix = example();
  ASSERT_TRUE(factorise(matrix));
  EXPECT_DOUBLE_EQ(matrix(0, 0), 2.0);
  EXPECT_DOUBLE_EQ(matrix(1, 0), 1.0);
  EXPECT_DOUBLE_EQ(matrix(1, 1), 2.0);
  MatrixXd indefinite{{1.0, 2.0}, {2.0, 1.0}};
  EXPECT_FALSE(factorise(indefinite));
}

TEST(Symmetric, SolvesSingularSystemsByTheShortestVector) {
  const VectorXd x = solve_any(MatrixXd{{1.0, 1.0}, {1.0, 1.0}}, VectorXd{{2.0, 2.0}});
  EXPECT_NEAR(x[0], 1.0, 1e-14);
  EXPECT_NEAR(x[1], 1.0, 1e-14);
}

TEST(Symmetric, HasARootEvenIfItIsSingular) {
  const MatrixXd root = semidefinite_root(example());
  EXPECT_EQ(root, (MatrixXd{{2.0, 0.0}, {1.0, 2.0}}));
  const MatrixXd singular = semidefinite_root(MatrixXd{{4.0, kWrong}, {2.0, 1.0}});
  EXPECT_EQ(singular, (MatrixXd{{2.0, 0.0}, {1.0, 0.0}}));
  EXPECT_EQ(semidefinite_root(MatrixXd::Zero(2, 2)), MatrixXd(MatrixXd::Zero(2, 2)));
}

TEST(Symmetric, TellsWhetherAMatrixIsPositive) {
  EXPECT_TRUE(is_positive(example()));
  EXPECT_FALSE(is_positive(MatrixXd{{1.0, kWrong}, {2.0, 1.0}}));
}

TEST(Symmetric, FindsEigenvaluesInOrderWithTheirVectors) {
  const MatrixXd matrix{{2.0, kWrong}, {1.0, 2.0}};  // 1 with (1, -1), and 3 with (1, 1)
  const auto [values, vectors] = eigenpairs(matrix);
  EXPECT_NEAR(values[0], 1.0, 1e-14);
  EXPECT_NEAR(values[1], 3.0, 1e-14);
  EXPECT_NEAR(vectors(0, 0), -vectors(1, 0), 1e-14);
  EXPECT_NEAR(vectors(0, 1), vectors(1, 1), 1e-14);
  EXPECT_NEAR(vectors.col(0).norm(), 1.0, 1e-14);
  EXPECT_NEAR((eigenvalues(matrix) - values).norm(), 0.0, 1e-14);
}

}  // namespace
}  // namespace updraft

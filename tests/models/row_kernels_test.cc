// The passes over rows compute what they say, alike with every kind of vector.

#include "models/row_kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "support/vector_targets.h"
#include "updraft/stream.h"

namespace updraft {
namespace {

using testing::for_each_vector_target;

const Stream kStream(3, 0, Purpose::kTest);

std::vector<double> normals(std::uint32_t round, std::size_t count) {
  std::vector<double> values(count);
  kStream.normals(round, 0, values);
  return values;
}

TEST(RowKernels, SigmoidsAreAccurate) {
  std::vector<double> points = {0.0, -0.0, 1e-300, 1.0, -1.0, 36.0, -36.0, 700.0, -700.0, 745.0};
  for (double x = -40.0; x <= 40.0; x += 0.0137) points.push_back(x);
  std::vector<double> expected;
  for (const double x : points) {
    expected.push_back(static_cast<double>(1.0L / (1.0L + std::exp(-static_cast<long double>(x)))));
  }
  std::vector<double> first;
  for_each_vector_target([&](const std::string& target) {
    std::vector<double> values = points;
    sigmoids(values);
    for (std::size_t i = 0; i < points.size(); ++i) {
      EXPECT_NEAR(values[i], expected[i], 1e-15 * expected[i]) << points[i] << " " << target;
    }
    if (first.empty()) first = values;
    EXPECT_EQ(values, first) << target;
  });
}

TEST(RowKernels, SigmoidsOfFarAwayStayInTheUnitInterval) {
  const double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> values = {1e300, -1e300, infinity, -infinity, -708.5, -1000.0};
  sigmoids(values);
  for (const double value : values) {
    EXPECT_GE(value, 0.0);
    EXPECT_LE(value, 1.0);
  }
  EXPECT_EQ(values[0], 1.0);
  EXPECT_LT(values[1], 1e-300);
}

class RowKernelsBySize : public ::testing::TestWithParam<std::size_t> {};

TEST_P(RowKernelsBySize, GradientIsTheSumOverRows) {
  const std::size_t rows = GetParam();
  for (const std::size_t features : {1u, 3u, 12u}) {
    const std::vector<double> x = normals(1, rows * features);
    const std::vector<double> theta = normals(2, features);
    RowBlocks blocks(features);
    std::vector<double> payoffs((rows + 7) / 8 * 8, 0.5);  // of filling rows: must not matter
    std::vector<double> counts(payoffs.size(), 3.0);
    std::vector<long double> expected(features, 0.0L);
    for (std::size_t r = 0; r < rows; ++r) {
      const auto row = std::span(x).subspan(r * features, features);
      blocks.add(row);
      counts[r] = static_cast<double>(1 + r % 4);
      payoffs[r] = r % 3 == 0 ? counts[r] : 0.5;
      long double score = 0.0L;
      for (std::size_t f = 0; f < features; ++f) score += theta[f] * row[f];
      const long double residual = payoffs[r] - counts[r] / (1.0L + std::exp(-score));
      for (std::size_t f = 0; f < features; ++f) expected[f] += residual * row[f];
    }
    std::vector<double> first;
    for_each_vector_target([&](const std::string& target) {
      std::vector<double> gradient(features, 7.0);
      logistic_gradient(blocks, counts, payoffs, theta, gradient);
      for (std::size_t f = 0; f < features; ++f) {
        EXPECT_NEAR(gradient[f], static_cast<double>(expected[f]),
                    1e-12 * static_cast<double>(rows))
            << target;
      }
      if (first.empty()) first = gradient;
      EXPECT_EQ(gradient, first) << target;
    });
  }
}

TEST_P(RowKernelsBySize, MeansAndWidthsOfRows) {
  const std::size_t rows = GetParam();
  for (const std::size_t features : {1u, 2u, 13u}) {
    const std::vector<double> x = normals(4, rows * features);
    const std::vector<double> theta = normals(5, features);
    const std::vector<double> root = normals(6, features * (features + 1) / 2);
    std::vector<double> first;
    for_each_vector_target([&](const std::string& target) {
      std::vector<double> means(rows);
      std::vector<double> widths(rows);
      means_and_widths(x, theta, root, means, widths);
      for (std::size_t r = 0; r < rows; ++r) {
        double mean = 0.0;
        double square = 0.0;
        for (std::size_t i = 0; i < features; ++i) {
          mean += theta[i] * x[r * features + i];
          double product = 0.0;
          for (std::size_t j = 0; j <= i; ++j) {
            product += root[i * (i + 1) / 2 + j] * x[r * features + j];
          }
          square += product * product;
        }
        EXPECT_NEAR(means[r], mean, 1e-13) << target;
        EXPECT_NEAR(widths[r], std::sqrt(square), 1e-12) << target;
      }
      means.insert(means.end(), widths.begin(), widths.end());
      if (first.empty()) first = means;
      EXPECT_EQ(means, first) << target;
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, RowKernelsBySize, ::testing::Values(1, 7, 8, 9, 100, 1003));

TEST_P(RowKernelsBySize, OuterProductsAreSummedInOrder) {
  const std::size_t rows = GetParam();
  for (const std::size_t size : {1u, 5u, 8u, 12u, 24u}) {
    const std::size_t width = (size + 7) / 8 * 8;
    const std::vector<double> x = normals(7, rows * width);
    const std::vector<double> before = normals(8, width * width);
    std::vector<double> first;
    for_each_vector_target([&](const std::string& target) {
      std::vector<double> sums = before;
      add_outer_products(x, width, size, sums);
      for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t j = i; j < size; ++j) {
          double expected = before[i * width + j];
          for (std::size_t r = 0; r < rows; ++r) expected += x[r * width + i] * x[r * width + j];
          EXPECT_EQ(sums[i * width + j], expected) << target;
        }
      }
      if (first.empty()) first = sums;
      EXPECT_EQ(sums, first) << target;
    });
  }
}

TEST(InverseRoot, TurnsTheMatrixIntoTheIdentity) {
  for (const std::size_t size : {1u, 2u, 7u, 8u, 12u, 30u}) {
    const std::size_t width = (size + 7) / 8 * 8;
    const std::vector<double> x = normals(9, 2 * size * width);
    std::vector<double> matrix(width * width, 0.0);
    add_outer_products(x, width, size, matrix);
    std::vector<double> first;
    for_each_vector_target([&](const std::string& target) {
      std::vector<double> factor = matrix;
      std::vector<double> rows(width * width);
      ASSERT_TRUE(inverse_root(factor, width, size, rows)) << target;
      const auto entry = [&](std::size_t i, std::size_t j) {  // of root matrix root'
        double sum = 0.0;
        for (std::size_t k = 0; k < size; ++k) {
          for (std::size_t l = 0; l < size; ++l) {
            const double v = matrix[std::min(k, l) * width + std::max(k, l)];
            sum += rows[i * width + k] * v * rows[j * width + l];
          }
        }
        return sum;
      };
      for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t j = 0; j <= i; ++j) EXPECT_NEAR(entry(i, j), i == j, 1e-11) << target;
        for (std::size_t j = i + 1; j < width; ++j) EXPECT_EQ(rows[i * width + j], 0.0) << target;
      }
      rows.resize(size * width);
      if (first.empty()) first = rows;
      EXPECT_EQ(rows, first) << target;
    });
  }
}

TEST(InverseRoot, SaysWhereThereIsNone) {
  std::vector<double> matrix(64, 0.0);
  std::vector<double> rows(64);
  matrix[0] = matrix[1] = matrix[9] = 1.0;  // 1 1; 1 1
  EXPECT_FALSE(inverse_root(matrix, 8, 2, rows));
  matrix[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(inverse_root(matrix, 8, 2, rows));
}

TEST(RowBlocks, GivesRowsBack) {
  RowBlocks blocks(3);
  for (double r = 0.0; r < 20.0; ++r) blocks.add(std::vector<double>{r, r + 0.25, r + 0.5});
  std::vector<double> row(3);
  for (std::size_t r = 0; r < 20; ++r) {
    blocks.copy_row(r, row);
    const auto x = static_cast<double>(r);
    EXPECT_EQ(row, (std::vector<double>{x, x + 0.25, x + 0.5}));
  }
  EXPECT_EQ(blocks.blocks(), 3u);
}

}  // namespace
}  // namespace updraft

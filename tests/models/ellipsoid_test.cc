#include "models/ellipsoid.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <vector>

#include "updraft/state_io.h"
#include "updraft/stream.h"

namespace updraft {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

VectorXd made_row(std::uint32_t number, std::size_t features) {
  VectorXd row(static_cast<Index>(features));
  Stream(21, 0, Purpose::kTest).normals(number, 0, {row.data(), features});
  return row;
}

void add(Ellipsoid& ellipsoid, const VectorXd& row) {
  ellipsoid.add({row.data(), static_cast<std::size_t>(row.size())});
}

/// x' V^-1 x by the packed root.
double square(const Ellipsoid& ellipsoid, const VectorXd& x) {
  const double* entry = ellipsoid.root().data();
  double sum = 0.0;
  for (Index i = 0; i < x.size(); ++i) {
    double product = 0.0;
    for (Index j = 0; j <= i; ++j) product += *entry++ * x[j];
    sum += product * product;
  }
  return sum;
}

TEST(Ellipsoid, AgreesWithTheMatrix) {
  for (const std::size_t features : {1u, 3u, 8u, 12u, 20u}) {
    for (const std::uint32_t rows : {0u, 1u, 127u, 128u, 129u, 600u}) {
      Ellipsoid ellipsoid(features, 0.7);
      const auto d = static_cast<Index>(features);
      MatrixXd v = 0.7 * MatrixXd::Identity(d, d);
      for (std::uint32_t r = 0; r < rows; ++r) {
        const VectorXd row = made_row(r, features);
        add(ellipsoid, row);
        v += row * row.transpose();
      }
      const VectorXd x = made_row(10000, features);
      const VectorXd expected = v.llt().solve(x);
      EXPECT_NEAR(square(ellipsoid, x), x.dot(expected), 1e-11) << features << " " << rows;
      EXPECT_LT((ellipsoid.solve(x) - expected).norm(), 1e-11) << features << " " << rows;
    }
  }
}

TEST(Ellipsoid, SpansCombinationsOfRowsSeen) {
  for (const double lambda : {1e-3, 1.0, 1e3}) {
    for (const double scale : {1e-2, 1.0, 1e3}) {
      SCOPED_TRACE(lambda);
      Ellipsoid ellipsoid(4, lambda);
      const VectorXd first = scale * made_row(1, 4);
      const VectorXd second = scale * made_row(2, 4);
      const VectorXd third = scale * made_row(3, 4);
      const auto spans = [&](const VectorXd& x) {
        return ellipsoid.spans({x.data(), static_cast<std::size_t>(x.size())});
      };
      EXPECT_FALSE(spans(first));
      EXPECT_TRUE(spans(VectorXd::Zero(4)));
      for (int copy = 0; copy < 200; ++copy) add(ellipsoid, first);
      EXPECT_TRUE(spans(-3.0 * first));
      EXPECT_FALSE(spans(second));
      add(ellipsoid, second);  // once is enough
      EXPECT_TRUE(spans(second));
      EXPECT_TRUE(spans(2.0 * first - 0.5 * second));
      EXPECT_FALSE(spans(third));
      EXPECT_FALSE(spans(first + 1e-3 * third));
      add(ellipsoid, third);
      EXPECT_FALSE(spans(scale * made_row(4, 4)));
      add(ellipsoid, scale * made_row(4, 4));
      EXPECT_TRUE(spans(made_row(5, 4)));
    }
  }
}

TEST(Ellipsoid, QuestionsInBetweenChangeNothing) {
  Ellipsoid asked(5, 1.0);
  Ellipsoid quiet(5, 1.0);
  for (std::uint32_t r = 0; r < 300; ++r) {
    add(asked, made_row(r, 5));
    add(quiet, made_row(r, 5));
    if (r % 7 == 0) asked.root();
  }
  EXPECT_EQ(asked.root(), quiet.root());
}

TEST(Ellipsoid, IsWrittenWithAllOfItsRows) {
  for (const std::uint32_t rows : {0u, 1u, 100u, 128u, 200u}) {
    Ellipsoid ellipsoid(5, 1.0);
    for (std::uint32_t r = 0; r < rows; ++r) add(ellipsoid, made_row(r, 5));
    StateWriter writer;
    ellipsoid.write(writer);  // before anybody asked for anything
    Ellipsoid restored(5, 1.0);
    StateReader reader(writer.bytes());
    restored.read(reader);
    EXPECT_EQ(restored.root(), ellipsoid.root()) << rows;
  }
}

}  // namespace
}  // namespace updraft

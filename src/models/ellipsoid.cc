#include "models/ellipsoid.h"

#include <algorithm>

#include "core/symmetric.h"
#include "models/row_kernels.h"
#include "updraft/state_io.h"

namespace updraft {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr std::size_t kMostWaiting = 128;

// Squared sizes that count as 0: of the rows in a direction, and of a row's part in it.
constexpr double kNoRows = 1e-11;
constexpr double kNoPart = 1e-10;

std::size_t padded(std::size_t features) {
  return (features + RowBlocks::kRows - 1) / RowBlocks::kRows * RowBlocks::kRows;
}

}  // namespace

Ellipsoid::Ellipsoid(std::size_t features, double lambda)
    : features_(features),
      lambda_(lambda),
      padded_(padded(features)),
      sum_(padded_ * padded_, 0.0),
      waiting_(kMostWaiting * padded_, 0.0),
      factor_(sum_.size()),
      rows_(sum_.size()),
      root_(features * (features + 1) / 2) {
  for (std::size_t f = 0; f < features; ++f) sum_[f * padded_ + f] = lambda;
}

void Ellipsoid::add(std::span<const double> row) {
  std::copy(row.begin(), row.end(),
            waiting_.begin() + static_cast<std::ptrdiff_t>(rows_waiting_ * padded_));
  stale_ = true;
  unseen_.reset();
  if (++rows_waiting_ == kMostWaiting) add_waiting();
}

void Ellipsoid::add_waiting() const {
  add_outer_products(std::span(waiting_).first(rows_waiting_ * padded_), padded_, features_, sum_);
  rows_waiting_ = 0;
}

void Ellipsoid::refresh() const {
  if (!stale_) return;
  stale_ = false;
  add_waiting();
  factor_ = sum_;
  double trace = 0.0;
  for (std::size_t f = 0; f < features_; ++f) trace += sum_[f * padded_ + f];
  for (double more = 1e-15; !inverse_root(factor_, padded_, features_, rows_) && more < 1.0;
       more *= 10.0) {
    factor_ = sum_;  // rounding has swallowed lambda
    for (std::size_t f = 0; f < features_; ++f) factor_[f * padded_ + f] += more * trace;
  }
  double* packed = root_.data();
  for (std::size_t i = 0; i < features_; ++i) {
    packed = std::copy_n(rows_.data() + i * padded_, i + 1, packed);
  }
}

const std::vector<double>& Ellipsoid::root() const {
  refresh();
  return root_;
}

/// The eigenvectors of V - lambda I, the sum over the rows, whose eigenvalues are 0 up to rounding.
void Ellipsoid::find_unseen() const {
  add_waiting();
  const auto d = static_cast<Index>(features_);
  const auto stride = static_cast<Index>(padded_);
  const MatrixXd v =
      Eigen::Map<const MatrixXd, 0, Eigen::OuterStride<>>(sum_.data(), d, d, {stride});
  const auto [values, vectors] = eigenpairs(v);
  const double largest = values[d - 1] - lambda_;
  const double none = kNoRows * largest + 1e-14 * values[d - 1];
  Index count = 0;
  while (count < d && !(values[count] - lambda_ > none)) ++count;
  unseen_ = vectors.leftCols(count);
}

bool Ellipsoid::spans(std::span<const double> row) const {
  if (!unseen_) find_unseen();
  const Eigen::Map<const VectorXd> x(row.data(), static_cast<Index>(features_));
  return (unseen_->transpose() * x).squaredNorm() <= kNoPart * x.squaredNorm();
}

VectorXd Ellipsoid::solve(const VectorXd& b) const {
  refresh();
  VectorXd solution = VectorXd::Zero(b.size());
  const double* row = root_.data();
  for (std::size_t i = 0; i < features_; row += ++i) {
    double product = 0.0;
    for (std::size_t j = 0; j <= i; ++j) product += row[j] * b[static_cast<Index>(j)];
    for (std::size_t j = 0; j <= i; ++j) solution[static_cast<Index>(j)] += row[j] * product;
  }
  return solution;
}

void Ellipsoid::write(StateWriter& writer) const {
  add_waiting();
  std::vector<double> lower(features_ * features_, 0.0);
  for (std::size_t f = 0; f < features_; ++f) {
    for (std::size_t g = f; g < features_; ++g) lower[f * features_ + g] = sum_[f * padded_ + g];
  }
  writer.f64s(lower);
}

void Ellipsoid::read(StateReader& reader) {
  std::vector<double> lower(features_ * features_);
  reader.f64s(lower, "policy state: ellipsoid");
  for (std::size_t f = 0; f < features_; ++f) {
    for (std::size_t g = f; g < features_; ++g) sum_[f * padded_ + g] = lower[f * features_ + g];
  }
  rows_waiting_ = 0;
  stale_ = true;
  unseen_.reset();
}

}  // namespace updraft

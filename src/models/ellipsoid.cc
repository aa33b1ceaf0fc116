#include "models/ellipsoid.h"

#include <Eigen/Cholesky>
#include <algorithm>

#include "models/row_kernels.h"
#include "updraft/state.h"

namespace updraft {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr std::size_t kMostWaiting = 128;

std::size_t padded(std::size_t features) {
  return (features + RowBlocks::kRows - 1) / RowBlocks::kRows * RowBlocks::kRows;
}

}  // namespace

Ellipsoid::Ellipsoid(std::size_t features, double lambda)
    : features_(features),
      padded_(padded(features)),
      sum_(padded_ * padded_, 0.0),
      waiting_(kMostWaiting * padded_, 0.0),
      factor_(static_cast<Index>(features), static_cast<Index>(features)),
      root_(features * (features + 1) / 2) {
  for (std::size_t f = 0; f < features; ++f) sum_[f * padded_ + f] = lambda;
}

void Ellipsoid::add(std::span<const double> row) {
  std::copy(row.begin(), row.end(),
            waiting_.begin() + static_cast<std::ptrdiff_t>(rows_waiting_ * padded_));
  stale_ = true;
  if (++rows_waiting_ == kMostWaiting) add_waiting();
}

void Ellipsoid::add_waiting() const {
  add_outer_products(std::span(waiting_).first(rows_waiting_ * padded_), padded_, sum_);
  rows_waiting_ = 0;
}

void Ellipsoid::factorise() const {
  using Strided = Eigen::Map<const MatrixXd, 0, Eigen::OuterStride<>>;
  const auto d = static_cast<Index>(features_);
  const Strided sum(sum_.data(), d, d, Eigen::OuterStride<>(static_cast<Index>(padded_)));
  factor_ = sum;
  Eigen::LLT<Eigen::Ref<MatrixXd>> factor(factor_);
  for (double more = 1e-15; factor.info() != Eigen::Success && more < 1.0; more *= 10.0) {
    factor_ = sum;  // rounding has swallowed lambda
    factor_.diagonal().array() += more * sum.diagonal().sum();
    factor.compute(factor_);
  }
}

void Ellipsoid::refresh() const {
  if (!stale_) return;
  stale_ = false;
  add_waiting();
  factorise();
  // Row i of L^-1 is (e_i - sum over k < i of L(i, k) row k) / L(i, i).
  double* row = root_.data();
  for (std::size_t i = 0; i < features_; row += ++i) {
    std::fill(row, row + i, 0.0);
    row[i] = 1.0;
    const double* above = root_.data();
    for (std::size_t k = 0; k < i; above += ++k) {
      const double factor = factor_(static_cast<Index>(i), static_cast<Index>(k));
      for (std::size_t j = 0; j <= k; ++j) row[j] -= factor * above[j];
    }
    const double scale = 1.0 / factor_(static_cast<Index>(i), static_cast<Index>(i));
    for (std::size_t j = 0; j <= i; ++j) row[j] *= scale;
  }
}

const std::vector<double>& Ellipsoid::root() const {
  refresh();
  return root_;
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
}

}  // namespace updraft

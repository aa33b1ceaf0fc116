#include "models/ellipsoid.h"

#include <Eigen/Cholesky>

#include "updraft/state.h"

namespace updraft {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

Ellipsoid::Ellipsoid(std::size_t features, double lambda) : lambda_(lambda) {
  const auto d = static_cast<Index>(features);
  sum_ = lambda * MatrixXd::Identity(d, d);
}

void Ellipsoid::add(std::span<const double> row) {
  const Eigen::Map<const VectorXd> x(row.data(), sum_.rows());
  for (Index f = 0; f < x.size(); ++f) {
    const Index rest = x.size() - f;
    sum_.col(f).tail(rest) += x[f] * x.tail(rest);
  }
  stale_ = true;
}

void Ellipsoid::refresh() const {
  if (!stale_) return;
  stale_ = false;
  const Index d = sum_.rows();
  inverse_root_ = MatrixXd::Identity(d, d);
  MatrixXd rounded = sum_;
  Eigen::LLT<MatrixXd> factor(rounded);
  for (double more = 1e-15; factor.info() != Eigen::Success && more < 1.0; more *= 10.0) {
    rounded = sum_;  // rounding has swallowed lambda
    rounded.diagonal().array() += more * sum_.diagonal().sum();
    factor.compute(rounded);
  }
  factor.matrixL().solveInPlace(inverse_root_);
  root_.clear();
  for (Index i = 0; i < d; ++i) {
    for (Index j = 0; j <= i; ++j) root_.push_back(inverse_root_(i, j));
  }
}

const std::vector<double>& Ellipsoid::root() const {
  refresh();
  return root_;
}

VectorXd Ellipsoid::solve(const VectorXd& b) const {
  refresh();
  return inverse_root_.transpose() * (inverse_root_ * b);
}

void Ellipsoid::write(StateWriter& writer) const {
  writer.f64s({sum_.data(), static_cast<std::size_t>(sum_.size())});
}

void Ellipsoid::read(StateReader& reader) {
  reader.f64s({sum_.data(), static_cast<std::size_t>(sum_.size())}, "policy state: ellipsoid");
  stale_ = true;
}

}  // namespace updraft

#include "stats/shrink_effects.h"

#include <vector>

#include "core/symmetric.h"

namespace updraft {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// mu for a given tau^2.
double common_mean(const VectorXd& estimate, const VectorXd& variance, double tau2) {
  const VectorXd weight = (variance.array() + tau2).inverse();
  return weight.dot(estimate) / weight.sum();
}

double least_tau2(const VectorXd& estimate, const VectorXd& variance) {
  const double degrees = static_cast<double>(estimate.size()) - 1.0;
  const auto too_small = [&](double tau2) {
    const double mean = common_mean(estimate, variance, tau2);
    const auto squares = (estimate.array() - mean).square();
    return (squares / (variance.array() + tau2)).sum() > degrees;
  };
  if (!too_small(0.0)) return 0.0;
  double low = 0.0;
  double high = variance.maxCoeff();
  while (too_small(high)) high *= 2.0;
  for (int step = 0; step < 50; ++step) {
    const double middle = 0.5 * (low + high);
    (too_small(middle) ? low : high) = middle;
  }
  return high;
}

}  // namespace

void shrink_effects(VectorXd& estimate, MatrixXd& covariance) {
  std::vector<Index> uncertain;
  for (Index a = 0; a < estimate.size(); ++a) {
    if (covariance(a, a) > 0.0) uncertain.push_back(a);
  }
  if (uncertain.size() < 2) return;
  const VectorXd own = estimate(uncertain);
  const VectorXd variance = covariance.diagonal()(uncertain);
  const double tau2 = least_tau2(own, variance) + variance.mean() / static_cast<double>(own.size());
  const double mean = common_mean(own, variance, tau2);
  const MatrixXd among = covariance(uncertain, uncertain);
  MatrixXd total = among;
  total.diagonal().array() += tau2;
  const MatrixXd gain = solve_positive(total, among);  // (C + tau^2 I)^-1 C
  const VectorXd off = own.array() - mean;
  estimate(uncertain) = own - gain.transpose() * off;
  covariance(uncertain, uncertain) = among - among * gain;
}

}  // namespace updraft

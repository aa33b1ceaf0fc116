#include "stats/conditional_noise.h"

#include <algorithm>

#include "core/symmetric.h"

namespace updraft {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Q(g,g) is the variance of an atom over what is left of it given all others. Differences of
/// entries of Q lose about as many digits as its square has.
constexpr double kMostPrecise = 1e3;

/// Of the rows and columns at `places`.
MatrixXd part(const MatrixXd& matrix, const std::vector<Index>& places) {
  return matrix(places, places);
}

MatrixXd inverse_of(const MatrixXd& matrix) {
  return solve_positive(matrix, MatrixXd(MatrixXd::Identity(matrix.rows(), matrix.rows())));
}

}  // namespace

ConditionalNoise::ConditionalNoise(const NoiseModel& model) : model_(&model) {
  inverse_ = inverse_of(model.correlation);
  if (!(inverse_.diagonal().maxCoeff() < kMostPrecise)) inverse_.resize(0, 0);
}

ConditionalNoise::Places ConditionalNoise::others(std::span<const GroupId> affected) const {
  Places others;
  auto next = affected.begin();
  for (Index g = 0; g < model_->sd.size(); ++g) {
    if (next != affected.end() && static_cast<Index>(*next) == g) {
      ++next;
    } else {
      others.push_back(g);
    }
  }
  return others;
}

ControlVariates ConditionalNoise::control_variates(std::span<const GroupId> affected,
                                                   const VectorXd& own_sd) const {
  const NoiseModel& model = *model_;
  ControlVariates control;
  control.weights = VectorXd::Zero(model.sd.size());  // in units of the sds at first
  if (affected.empty()) return control;
  const Places v(affected.begin(), affected.end());
  const VectorXd sd = own_sd(v);
  if (inverse_.size() > 0) {
    const VectorXd solved = solve_positive(part(inverse_, v), sd);
    for (std::size_t j = 0; j < v.size(); ++j) {
      control.weights += solved[static_cast<Index>(j)] * inverse_.col(v[j]);
    }
    control.variance = sd.dot(solved);
  } else {
    const Places c = others(affected);
    const VectorXd covariance = model.correlation(c, v) * sd;
    const VectorXd beta = solve_positive(part(model.correlation, c), covariance);
    control.weights(c) = -beta;
    control.variance = sd.dot(model.correlation(v, v) * sd) - covariance.dot(beta);
  }
  control.weights = control.weights.cwiseQuotient(model.scale);
  for (const Index g : v) control.weights[g] = 1.0;
  control.variance = std::max(0.0, control.variance) * model.inflation();
  return control;
}

MatrixXd ConditionalNoise::precision(std::span<const GroupId> affected) const {
  const Index atoms = model_->sd.size();
  const Places v(affected.begin(), affected.end());
  if (inverse_.size() > 0) {
    MatrixXd result = inverse_;
    if (v.empty()) return result;
    const MatrixXd rows = solve_root(part(inverse_, v), inverse_(v, Eigen::all));
    result.noalias() -= rows.transpose() * rows;
    for (const Index g : v) {  // 0 but for rounding
      result.row(g).setZero();
      result.col(g).setZero();
    }
    return result;
  }
  const Places c = others(affected);
  MatrixXd result = MatrixXd::Zero(atoms, atoms);
  result(c, c) = inverse_of(part(model_->correlation, c));
  return result;
}

}  // namespace updraft

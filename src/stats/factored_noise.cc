#include "stats/factored_noise.h"

#include <cmath>
#include <utility>

#include "core/symmetric.h"

namespace updraft {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

FactoredNoise::FactoredNoise(const AffectedSets& sets)
    : sets_(&sets),
      remainder_(sets.actions()),
      root_pulls_(VectorXd::Zero(static_cast<Index>(sets.actions()))) {}

void FactoredNoise::use(const NoiseModel& model) {
  model_ = &model;
  own_ = model.own_share();
  scaled_ = own_.cwiseInverse().asDiagonal() * model.loadings;
  const Index factors = model.loadings.cols();
  const MatrixXd all = MatrixXd::Identity(factors, factors) + model.loadings.transpose() * scaled_;
  for (ActionId a = 0; a < sets_->actions(); ++a) {
    MatrixXd inner = all;
    for (const GroupId g : sets_->atoms_of(a)) {
      inner.noalias() -= scaled_.row(g).transpose() * model.loadings.row(g);
    }
    factorise(inner);
    remainder_[a] = std::move(inner);
  }
}

ControlVariates FactoredNoise::control_variates(ActionId action, const VectorXd& own_sd) const {
  const NoiseModel& model = *model_;
  ControlVariates control;
  control.weights = VectorXd::Zero(own_.size());
  const auto affected = sets_->atoms_of(action);
  if (affected.empty()) return control;
  VectorXd shock = VectorXd::Zero(model.loadings.cols());
  for (const GroupId g : affected) {
    shock += own_sd[g] * model.loadings.row(g).transpose();
    control.variance += own_sd[g] * own_sd[g] * own_[g];
  }
  VectorXd left = shock;
  divide_by_square(remainder_[action], left);
  control.weights = -(scaled_ * left).cwiseQuotient(model.scale);
  for (const GroupId g : affected) control.weights[g] = 1.0;
  control.variance = (control.variance + shock.dot(left)) * model.inflation();
  return control;
}

MatrixXd FactoredNoise::gathered(const MatrixXd& x) const {
  const Index factors = scaled_.cols();
  const MatrixXd all = scaled_.transpose() * x;
  MatrixXd result(factors * root_pulls_.size(), x.cols());
  for (ActionId a = 0; a < sets_->actions(); ++a) {
    auto block = result.middleRows(static_cast<Index>(a) * factors, factors);
    block = all;
    for (const GroupId g : sets_->atoms_of(a)) {
      block.noalias() -= scaled_.row(g).transpose() * x.row(g);
    }
    block *= root_pulls_[a];
  }
  return result;
}

/// H. Its blocks are sums over the atoms that both actions leave alone: all atoms, without those of
/// the one and those of the other, plus those of both.
MatrixXd FactoredNoise::inner_system() const {
  const Index factors = scaled_.cols();
  const Index actions = root_pulls_.size();
  const auto block = [&](MatrixXd& matrix, Index row, Index column) {
    return matrix.block(row * factors, column * factors, factors, factors);
  };
  MatrixXd all = MatrixXd::Zero(factors, factors);
  MatrixXd both = MatrixXd::Zero(actions * factors, actions * factors);
  MatrixXd product(factors, factors);
  for (Index g = 0; g < spread_.size(); ++g) {
    product.noalias() = (spread_[g] * scaled_.row(g).transpose()) * scaled_.row(g);
    all += product;
    const auto affecting = sets_->affecting(static_cast<GroupId>(g));
    for (std::size_t i = 0; i < affecting.size(); ++i) {
      for (std::size_t j = 0; j <= i; ++j) block(both, affecting[i], affecting[j]) += product;
    }
  }
  MatrixXd system(both.rows(), both.cols());  // the lower triangle
  for (Index a = 0; a < actions; ++a) {
    for (Index b = 0; b <= a; ++b) {
      const MatrixXd common = all - block(both, a, a) - block(both, b, b) + block(both, a, b);
      block(system, a, b) = -(root_pulls_[a] * root_pulls_[b]) * common;
    }
    block(system, a, a) += square_of_root(remainder_[static_cast<std::size_t>(a)]);
  }
  return system;
}

void FactoredNoise::learn_baseline(const AtomMoments& moments,
                                   std::span<const std::uint64_t> pulls) {
  const NoiseModel& model = *model_;
  const Index factors = scaled_.cols();
  VectorXd left_alone = VectorXd::Zero(own_.size());
  VectorXd evidence = VectorXd::Zero(own_.size());
  VectorXd residual(own_.size());
  for (ActionId a = 0; a < pulls.size(); ++a) {
    const auto n = static_cast<double>(pulls[a]);
    root_pulls_[a] = std::sqrt(n);
    left_alone.array() += n;
    residual = (moments.means().col(a) - model.centre).cwiseQuotient(model.scale);
    for (const GroupId g : sets_->atoms_of(a)) {
      left_alone[g] -= n;
      residual[g] = 0.0;
    }
    VectorXd shock = scaled_.transpose() * residual;
    divide_by_square(remainder_[a], shock);
    residual = residual.cwiseQuotient(own_) - scaled_ * shock;
    for (const GroupId g : sets_->atoms_of(a)) residual[g] = 0.0;
    evidence += n * residual;
  }
  spread_ = (left_alone.array() > 0.0).select(own_.cwiseQuotient(left_alone), 0.0);
  shift_ = spread_.cwiseProduct(evidence);
  if (factors == 0) return;
  factor_ = inner_system();
  factorise(factor_);
  VectorXd solved = gathered(shift_);
  divide_by_square(factor_, solved);
  VectorXd correction = VectorXd::Zero(own_.size());
  for (ActionId a = 0; a < pulls.size(); ++a) {
    residual =
        scaled_ * (root_pulls_[a] * solved.segment(static_cast<Index>(a) * factors, factors));
    for (const GroupId g : sets_->atoms_of(a)) residual[g] = 0.0;
    correction += residual;
  }
  shift_ += spread_.cwiseProduct(correction);
}

MatrixXd FactoredNoise::whitened(const MatrixXd& weights) const {
  const MatrixXd standard = model_->sd.asDiagonal() * weights;
  MatrixXd shocks(0, weights.cols());
  if (scaled_.cols() > 0) {
    shocks = gathered(spread_.asDiagonal() * standard);
    divide_by_root(factor_, shocks);
  }
  MatrixXd result(standard.rows() + shocks.rows(), weights.cols());
  result.topRows(standard.rows()) = spread_.cwiseSqrt().asDiagonal() * standard;
  result.bottomRows(shocks.rows()) = shocks;
  return result;
}

}  // namespace updraft

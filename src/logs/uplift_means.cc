#include "logs/uplift_means.h"

#include <algorithm>
#include <cmath>

#include "stats/conditional_noise.h"
#include "stats/noise_model.h"

namespace updraft {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

/// A probability that rounding made 0 or less.
constexpr double kLeast = 1e-12;

Index at(std::size_t place) { return static_cast<Index>(place); }

}  // namespace

UpliftMeans::UpliftMeans(const Knowledge& knowledge)
    : sets_(knowledge.affected()),
      moments_(knowledge.actions(), sets_->atoms()->groups()),
      counts_(sets_->atoms()->groups()),
      pulls_(knowledge.actions(), 0) {
  const Index atoms = at(sets_->atoms()->groups());
  const Index actions = at(knowledge.actions());
  if (knowledge.baseline() != nullptr) {
    baseline_ = VectorXd::Zero(atoms);
    sets_->atoms()->sum_dense(*knowledge.baseline(), {baseline_->data(), moments_.atoms()});
  }
  sums_ = left_alone_ = atom_sum_ = atom_weight_ = VectorXd::Zero(atoms);
  weight_ = squares_ = stretch_ = values_ = shared_ = VectorXd::Zero(actions);
  own_ = variates_ = shares_ = Eigen::MatrixXd::Zero(atoms, actions);
}

void UpliftMeans::sum_atoms(const Payoffs& payoffs) {
  const std::span<double> out(sums_.data(), moments_.atoms());
  if (payoffs.kind() == Payoffs::Kind::kGroupSums) {
    std::copy(payoffs.values().begin(), payoffs.values().end(), out.begin());
  } else if (payoffs.kind() == Payoffs::Kind::kDense) {
    sets_->atoms()->sum_dense(payoffs.values(), out);
  } else {
    sets_->atoms()->sum_sparse(payoffs.ids(), payoffs.values(), out);
  }
}

void UpliftMeans::weigh_atoms(ActionId action, double probability,
                              std::span<const double> distribution) {
  const auto actions = static_cast<double>(pulls_.size());
  for (GroupId atom = 0; atom < moments_.atoms(); ++atom) {
    const auto affecting = sets_->affecting(atom);
    double left_alone = 1.0;
    if (distribution.empty()) {
      left_alone = probability * (actions - static_cast<double>(affecting.size()));
    } else {
      for (const ActionId other : affecting) left_alone -= distribution[other];
    }
    left_alone_[atom] = 1.0 / std::max(left_alone, kLeast);
  }
  for (const GroupId atom : sets_->atoms_of(action)) left_alone_[atom] = 0.0;
}

void UpliftMeans::add(ActionId action, double probability, std::span<const double> distribution,
                      const Payoffs& payoffs) {
  sum_atoms(payoffs);
  ++pulls_[action];
  moments_.add(action, pulls_[action], {sums_.data(), moments_.atoms()});
  counts_.add({sums_.data(), moments_.atoms()});
  const double weight = 1.0 / probability;
  weight_[action] += weight;
  squares_[action] += weight * weight;
  own_.col(action) += weight * sums_;
  weigh_atoms(action, probability, distribution);
  atom_weight_ += left_alone_;
  atom_sum_ += left_alone_.cwiseProduct(sums_);
}

void UpliftMeans::fit() {
  const NoiseModel model = fit_noise(moments_, pulls_,
                                     {.sets = sets_.get(),
                                      .counts = &counts_,
                                      .baseline = baseline_ ? &*baseline_ : nullptr,
                                      .diagonal = false});
  const ConditionalNoise noise(model);
  for (Index atom = 0; atom < atom_sum_.size(); ++atom) {
    if (atom_weight_[atom] > 0.0) atom_sum_[atom] /= atom_weight_[atom];
  }
  if (baseline_) atom_sum_ = *baseline_;
  for (ActionId a = 0; a < pulls_.size(); ++a) {
    own_.col(a) /= weight_[a];
    variates_.col(a) = noise.control_variates(sets_->atoms_of(a), model.own_sd.col(a)).weights;
    shares_.col(a) = VectorXd::Ones(atom_sum_.size()) - variates_.col(a);
    for (const GroupId atom : sets_->atoms_of(a)) shares_(atom, a) = 0.0;
    values_[a] = variates_.col(a).dot(own_.col(a)) + shares_.col(a).dot(atom_sum_);
    const double effective_rounds = effective(a);
    stretch_[a] = effective_rounds > 1.0
                      ? std::sqrt(model.inflation() * effective_rounds / (effective_rounds - 1.0))
                      : 0.0;
  }
}

double UpliftMeans::effective(ActionId action) const {
  return weight_[action] * weight_[action] / squares_[action];
}

double UpliftMeans::own_error(ActionId action, double probability, const Payoffs& payoffs) {
  sum_atoms(payoffs);
  return stretch_[action] / (probability * weight_[action]) *
         variates_.col(action).dot(sums_ - own_.col(action));
}

const Eigen::VectorXd& UpliftMeans::shared_errors(ActionId action, double probability,
                                                  std::span<const double> distribution) {
  if (baseline_) return shared_;  // without error
  weigh_atoms(action, probability, distribution);
  for (Index atom = 0; atom < sums_.size(); ++atom) {
    left_alone_[atom] = left_alone_[atom] == 0.0 ? 0.0
                                                 : left_alone_[atom] / atom_weight_[atom] *
                                                       (sums_[atom] - atom_sum_[atom]);
  }
  shared_.noalias() = shares_.transpose() * left_alone_;
  return shared_;
}

}  // namespace updraft

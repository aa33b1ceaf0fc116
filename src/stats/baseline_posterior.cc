#include "stats/baseline_posterior.h"

#include "core/symmetric.h"
#include "updraft/state_io.h"

namespace updraft {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kRidge = 1e-9;

/// Up to so many numbers, the R(a) of all actions are kept.
constexpr std::size_t kMostKept = std::size_t{1} << 22;

}  // namespace

BaselinePosterior::BaselinePosterior(const AffectedSets& sets) : sets_(&sets) {
  const std::size_t atoms = sets.atoms()->groups();
  const auto size = static_cast<Index>(atoms);
  seen_ = VectorXd::Zero(size);
  for (GroupId g = 0; g < atoms; ++g) {
    if (sets.affecting(g).size() < sets.actions()) seen_[g] = 1.0;
  }
  total_ = MatrixXd::Zero(size, size);
  weighted_ = VectorXd::Zero(size);
  shift_ = VectorXd::Zero(size);
  kept_.resize(sets.actions() * atoms * atoms <= kMostKept ? sets.actions() : 1);
}

void BaselinePosterior::use(const NoiseModel& model, const ConditionalNoise& noise) {
  model_ = &model;
  noise_ = &noise;
  for (MatrixXd& kept : kept_) kept.resize(0, 0);
  last_.reset();
  stale_ = true;
}

const MatrixXd& BaselinePosterior::precision(ActionId action) {
  const bool all = kept_.size() == sets_->actions();
  MatrixXd& kept = kept_[all ? action : 0];
  if (all ? kept.size() == 0 : last_ != action) {
    kept = noise_->precision(sets_->atoms_of(action));
    last_ = action;
  }
  return kept;
}

void BaselinePosterior::start(const AtomMoments& moments, std::span<const std::uint64_t> pulls) {
  total_.setZero();
  weighted_.setZero();
  for (ActionId a = 0; a < moments.actions(); ++a) {
    const MatrixXd& per_round = precision(a);
    const auto n = static_cast<double>(pulls[a]);
    deviation_ = n * (moments.means().col(a) - model_->centre).cwiseQuotient(model_->scale);
    total_ += n * per_round;
    weighted_.noalias() += per_round * deviation_;
  }
  stale_ = true;
}

void BaselinePosterior::add(ActionId action, std::span<const double> sums) {
  const MatrixXd& per_round = precision(action);
  const Eigen::Map<const VectorXd> x(sums.data(), model_->centre.size());
  deviation_ = (x - model_->centre).cwiseQuotient(model_->scale);
  total_ += per_round;
  weighted_.noalias() += per_round * deviation_;
  stale_ = true;
}

void BaselinePosterior::refresh() {
  if (!stale_) return;
  stale_ = false;
  const double mean = total_.diagonal().sum() / std::max(1.0, seen_.sum());
  const double unit = mean > 0.0 ? mean : 1.0;
  for (double ridge = kRidge; ridge < 1.0; ridge *= 100.0) {  // more only if rounding demands it
    factor_ = total_;
    factor_.diagonal().array() += ridge * unit;
    if (factorise(factor_)) break;
  }
  shift_ = weighted_;
  divide_by_square(factor_, shift_);
}

const VectorXd& BaselinePosterior::shift() {
  refresh();
  return shift_;
}

void BaselinePosterior::spread(VectorXd& z) {
  refresh();
  divide_by_transposed_root(factor_, z);
  for (Index g = 0; g < z.size(); ++g) {
    if (!(model_->sd[g] > 0.0) || seen_[g] == 0.0) z[g] = 0.0;
  }
}

MatrixXd BaselinePosterior::whitened(const MatrixXd& weights) {
  refresh();
  MatrixXd result = model_->sd.cwiseProduct(seen_).asDiagonal() * weights;
  divide_by_root(factor_, result);
  return result;
}

void BaselinePosterior::write(StateWriter& writer) const {
  writer.f64s({total_.data(), static_cast<std::size_t>(total_.size())});
  writer.f64s({weighted_.data(), static_cast<std::size_t>(weighted_.size())});
}

void BaselinePosterior::read(StateReader& reader) {
  reader.f64s({total_.data(), static_cast<std::size_t>(total_.size())},
              "policy state: baseline precision");
  reader.f64s({weighted_.data(), static_cast<std::size_t>(weighted_.size())},
              "policy state: baseline evidence");
}

}  // namespace updraft

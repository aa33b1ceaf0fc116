#include "stats/baseline_posterior.h"

#include "updraft/state.h"

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
  for (GroupId g = 0; g < atoms; ++g) {
    if (sets.affecting(g).size() < sets.actions()) seen_.push_back(g);
  }
  const auto seen = static_cast<Index>(seen_.size());
  total_ = MatrixXd::Zero(seen, seen);
  weighted_ = VectorXd::Zero(seen);
  scratch_ = VectorXd::Zero(seen);
  shift_ = VectorXd::Zero(static_cast<Index>(atoms));
  const bool all = sets.actions() * seen_.size() * seen_.size() <= kMostKept;
  kept_.resize(all ? sets.actions() : 1);
}

/// R(action) over the seen atoms: 0 where the action affects them.
const MatrixXd& BaselinePosterior::precision(ActionId action) {
  const bool keep_all = kept_.size() == sets_->actions();
  MatrixXd& kept = kept_[keep_all ? action : 0];
  if (keep_all ? kept.size() > 0 : last_ == action) return kept;
  last_ = action;
  const auto affected = sets_->atoms_of(action);
  std::vector<Index> atoms;
  std::vector<Index> places;
  auto next = affected.begin();
  for (std::size_t j = 0; j < seen_.size(); ++j) {
    while (next != affected.end() && static_cast<Index>(*next) < seen_[j]) ++next;
    if (next != affected.end() && static_cast<Index>(*next) == seen_[j]) continue;
    atoms.push_back(seen_[j]);
    places.push_back(static_cast<Index>(j));
  }
  kept = MatrixXd::Zero(total_.rows(), total_.cols());
  kept(places, places) = precision_of(*model_, atoms);
  return kept;
}

void BaselinePosterior::start(const NoiseModel& model, const AtomMoments& moments,
                              std::span<const std::uint64_t> pulls) {
  model_ = &model;
  for (MatrixXd& kept : kept_) kept.resize(0, 0);
  last_.reset();
  total_.setZero();
  weighted_.setZero();
  stale_ = true;
  for (ActionId a = 0; a < moments.actions(); ++a) {
    const MatrixXd& per_round = precision(a);
    const auto n = static_cast<double>(pulls[a]);
    for (std::size_t j = 0; j < seen_.size(); ++j) {
      const Index g = seen_[j];
      scratch_[static_cast<Index>(j)] =
          n * (moments.means()(g, a) - model.centre[g]) / model.scale(g);
    }
    total_ += n * per_round;
    weighted_.noalias() += per_round * scratch_;
  }
}

void BaselinePosterior::add(ActionId action, std::span<const double> sums) {
  const MatrixXd& per_round = precision(action);
  for (std::size_t j = 0; j < seen_.size(); ++j) {
    const Index g = seen_[j];
    scratch_[static_cast<Index>(j)] =
        (sums[static_cast<std::size_t>(g)] - model_->centre[g]) / model_->scale(g);
  }
  total_ += per_round;
  weighted_.noalias() += per_round * scratch_;
  stale_ = true;
}

void BaselinePosterior::refresh() {
  if (!stale_) return;
  stale_ = false;
  if (seen_.empty()) return;
  const double mean = total_.diagonal().mean();
  for (double ridge = kRidge; ridge < 1.0; ridge *= 100.0) {  // more only if rounding demands it
    ridged_ = total_;
    ridged_.diagonal().array() += ridge * mean;
    factor_.compute(ridged_);
    if (factor_.info() == Eigen::Success) break;
  }
  scratch_ = factor_.solve(weighted_);
  shift_(seen_) = scratch_;
}

const VectorXd& BaselinePosterior::shift() {
  refresh();
  return shift_;
}

void BaselinePosterior::spread(VectorXd& z) {
  refresh();
  scratch_ = z(seen_);
  if (!seen_.empty()) factor_.matrixU().solveInPlace(scratch_);
  z.setZero();
  for (std::size_t j = 0; j < seen_.size(); ++j) {
    const Index g = seen_[j];
    if (model_->sd[g] > 0.0) z[g] = scratch_[static_cast<Index>(j)];
  }
}

/// L^-1 S^1/2 weights, a column for each of weights.
MatrixXd BaselinePosterior::whitened(const MatrixXd& weights) {
  refresh();
  MatrixXd result(static_cast<Index>(seen_.size()), weights.cols());
  for (std::size_t j = 0; j < seen_.size(); ++j) {
    result.row(static_cast<Index>(j)) = model_->sd[seen_[j]] * weights.row(seen_[j]);
  }
  if (!seen_.empty()) factor_.matrixL().solveInPlace(result);
  return result;
}

MatrixXd BaselinePosterior::covariance(const MatrixXd& weights) {
  const MatrixXd root = whitened(weights);
  return root.transpose() * root;
}

VectorXd BaselinePosterior::variances(const MatrixXd& weights) {
  return whitened(weights).colwise().squaredNorm().transpose();
}

void BaselinePosterior::write(StateWriter& writer) const {
  writer.f64s({total_.data(), static_cast<std::size_t>(total_.size())});
  writer.f64s({weighted_.data(), static_cast<std::size_t>(weighted_.size())});
}

void BaselinePosterior::read(StateReader& reader, const NoiseModel& model) {
  model_ = &model;
  for (MatrixXd& kept : kept_) kept.resize(0, 0);
  last_.reset();
  stale_ = true;
  reader.f64s({total_.data(), static_cast<std::size_t>(total_.size())},
              "policy state: baseline precision");
  reader.f64s({weighted_.data(), static_cast<std::size_t>(weighted_.size())},
              "policy state: baseline evidence");
}

}  // namespace updraft

#include "inference/contrasts.h"

#include <algorithm>
#include <iterator>

#include "updraft/state_io.h"

namespace updraft {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr double kRefit = 0.02;
constexpr double kRefitIfSurprised = 0.005;
/// Standard deviations from the mean of its action, beyond which a payoff changes the noise model.
constexpr double kOutlier = 4.0;

}  // namespace

Contrasts::Contrasts(std::shared_ptr<const AffectedSets> sets)
    : sets_(std::move(sets)),
      pulls_(sets_->actions(), 0),
      moments_(sets_->actions(), sets_->atoms()->groups()),
      counts_(moments_.atoms()),
      model_(sets_->actions(), moments_.atoms()) {}

bool Contrasts::is_outlier(ActionId action, std::span<const double> sums) const {
  const auto means = moments_.means().col(action);
  const Eigen::Map<const VectorXd> x(sums.data(), static_cast<Index>(sums.size()));
  const VectorXd sd = sd_under(action);
  return ((x - means).array().abs() > kOutlier * sd.array()).any();
}

void Contrasts::add(ActionId action, std::span<const double> sums) {
  ++rounds_;
  surprised_ = surprised_ || (fitted() && is_outlier(action, sums));
  moments_.add(action, ++pulls_[action], sums);
  counts_.add(sums);
  const double more = surprised_ ? kRefitIfSurprised : kRefit;
  if (static_cast<double>(rounds_) < (1.0 + more) * static_cast<double>(model_.rounds)) return;
  if (std::find(pulls_.begin(), pulls_.end(), 0) == pulls_.end()) fit();
}

void Contrasts::refresh() {
  if (fitted() && model_.rounds < rounds_) fit();
}

void Contrasts::fit() {
  model_ =
      fit_noise(moments_, pulls_, {.sets = sets_.get(), .counts = &counts_, .baseline = nullptr});
  noise_.emplace(model_);
  surprised_ = false;
  known_.clear();
}

std::vector<GroupId> Contrasts::affected_by(ActionId a, ActionId b) const {
  const std::span<const GroupId> of_a = sets_->atoms_of(a);
  const std::span<const GroupId> of_b = sets_->atoms_of(b);
  std::vector<GroupId> either;
  std::set_union(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(), std::back_inserter(either));
  return either;
}

VectorXd Contrasts::sd_under(ActionId action) const {
  VectorXd sd = model_.sd;
  for (const GroupId g : sets_->atoms_of(action)) sd[g] = model_.own_sd(g, action);
  return sd;
}

const Contrasts::Contrast& Contrasts::of(ActionId a, ActionId b) const {
  const ActionId ends[2] = {std::min(a, b), std::max(a, b)};
  const std::uint64_t key = std::uint64_t{ends[0]} * actions() + ends[1];
  const auto found = known_.find(key);
  if (found != known_.end()) return found->second;
  const VectorXd sds[2] = {sd_under(ends[0]), sd_under(ends[1])};
  Contrast contrast;
  contrast.weights = noise_->control_variates(affected_by(a, b), 0.5 * (sds[0] + sds[1])).weights;
  for (int j = 0; j < 2; ++j) {
    const VectorXd scaled = contrast.weights.cwiseProduct(sds[j]);
    contrast.variances[j] =
        std::max(0.0, scaled.dot(model_.correlation * scaled)) * model_.inflation();
    contrast.degrees[j] = model_.own_degrees[ends[j]];
  }
  // Rare payoffs may not have come yet under one of the two.
  contrast.variances[0] = contrast.variances[1] =
      std::max(contrast.variances[0], contrast.variances[1]);
  return known_.emplace(key, std::move(contrast)).first->second;
}

VectorXd Contrasts::weights(ActionId a, ActionId b) const {
  if (fitted()) return of(a, b).weights;
  VectorXd weights = VectorXd::Zero(static_cast<Index>(moments_.atoms()));
  for (const GroupId g : affected_by(a, b)) weights[g] = 1.0;
  return weights;
}

double Contrasts::difference(ActionId a, ActionId b) const {
  return of(a, b).weights.dot(moments_.means().col(a) - moments_.means().col(b));
}

void Contrasts::write(StateWriter& writer) const {
  writer.u64s(pulls_);
  moments_.write(writer);
  counts_.write(writer);
  writer.u64(fitted() ? 1 : 0);
  if (!fitted()) return;
  writer.u64(surprised_ ? 1 : 0);
  model_.write(writer);
}

void Contrasts::read(StateReader& reader) {
  reader.u64s(pulls_, "evidence: rounds of actions");
  rounds_ = 0;
  for (const std::uint64_t n : pulls_) rounds_ += n;
  moments_.read(reader);
  counts_.read(reader);
  known_.clear();
  noise_.reset();
  surprised_ = false;
  if (reader.u64_at_most(1, "evidence: fitted") == 0) return;
  surprised_ = reader.u64_at_most(1, "evidence: surprised") == 1;
  model_.read(reader);
  noise_.emplace(model_);
}

}  // namespace updraft

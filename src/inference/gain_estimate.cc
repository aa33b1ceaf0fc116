#include "inference/gain_estimate.h"

#include <algorithm>
#include <cmath>

#include "inference/mixture_bound.h"
#include "updraft/state_io.h"

namespace updraft {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

/// Rounds of the smaller share: bounds are tightest at about ten times as many.
constexpr double kSettle = 10.0;
/// Rounds that predictions follow.
constexpr double kMemory = 32.0;

}  // namespace

GainEstimate::GainEstimate(const RoundShares& shares, double error, std::size_t actions,
                           std::size_t atoms)
    : shares_(shares),
      error_(error),
      choices_(actions, 0),
      shift_(VectorXd::Zero(static_cast<Index>(atoms))) {}

double GainEstimate::gain_of(const Contrasts& contrasts, const SharedDecision& shared,
                             const Eigen::Map<const VectorXd>& sums) const {
  const ActionId control = *shares_.control;
  if (shared.candidate == control || shared.whose == RoundOf::kProbe) return 0.0;
  const VectorXd weights = contrasts.weights(shared.candidate, control);
  const auto& means = contrasts.moments().means();
  // The prediction with the least variance weighs the two means with the other's share.
  const double held = shares_.holdout / (shares_.holdout + shares_.policy());
  const bool both = contrasts.pulls()[shared.candidate] > 0 && contrasts.pulls()[control] > 0;
  VectorXd predicted = shift_;
  if (both) {
    predicted += held * means.col(shared.candidate) + (1.0 - held) * means.col(control);
  }
  const double seen = weights.dot(sums - predicted);
  return shared.whose == RoundOf::kPolicy ? seen / shares_.policy() : -seen / shares_.holdout;
}

void GainEstimate::follow(const Contrasts& contrasts, ActionId action,
                          const Eigen::Map<const VectorXd>& sums) {
  if (contrasts.pulls()[action] == 0) return;
  const double rate = std::max(1.0 / static_cast<double>(rounds_), 1.0 / kMemory);
  shift_ += rate * (sums - contrasts.moments().means().col(action) - shift_);
}

void GainEstimate::add(const Contrasts& contrasts, const SharedDecision& shared,
                       std::span<const double> sums) {
  const Eigen::Map<const VectorXd> x(sums.data(), static_cast<Index>(sums.size()));
  const double gain = gain_of(contrasts, shared, x);
  ++rounds_;
  ++choices_[shared.candidate];
  if (shared.whose == RoundOf::kHoldout) ++held_out_;
  if (shared.candidate != *shares_.control && shared.whose != RoundOf::kProbe) {
    ++informative_[shared.whose == RoundOf::kHoldout ? 1 : 0];
  }
  const double off = gain - mean_;
  mean_ += off / static_cast<double>(rounds_);
  spread_ += off * (gain - mean_);
  follow(contrasts, shared.decision.action, x);
}

Gain GainEstimate::gain() const {
  Gain out{.rounds = rounds_, .held_out = held_out_};
  const std::uint64_t least = std::min(informative_[0], informative_[1]);
  if (least < Evidence::kLeastHeldOut) return out;
  const auto rounds = static_cast<double>(rounds_);
  const double settle = kSettle / std::min(shares_.holdout, shares_.policy());
  const double log = std::log(1.0 / error_) + mixture_log(rounds, settle);
  const double variance = mixture_variance(spread_ / (rounds - 1.0), rounds, settle);
  const double reach =
      std::sqrt(variance) * mixture_quantile(log, static_cast<double>(least) - 1.0);
  out.per_round = {mean_, Interval{mean_ - reach, mean_ + reach}};
  return out;
}

void GainEstimate::write(StateWriter& writer) const {
  writer.u64s(choices_);
  for (const std::uint64_t count : {rounds_, held_out_, informative_[0], informative_[1]}) {
    writer.u64(count);
  }
  writer.f64(mean_);
  writer.f64(spread_);
  writer.f64s({shift_.data(), static_cast<std::size_t>(shift_.size())});
}

void GainEstimate::read(StateReader& reader) {
  reader.u64s(choices_, "evidence: choices");
  for (std::uint64_t* count : {&rounds_, &held_out_, &informative_[0], &informative_[1]}) {
    *count = reader.u64();
  }
  mean_ = reader.f64();
  spread_ = reader.f64();
  reader.f64s({shift_.data(), static_cast<std::size_t>(shift_.size())}, "evidence: shift");
}

}  // namespace updraft

#include "inference/gain_estimate.h"

#include <algorithm>

#include "updraft/state_io.h"

namespace updraft {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

/// Rounds that predictions follow.
constexpr double kGainMemory = 32.0;

std::span<double> numbers(VectorXd& vector) {
  return {vector.data(), static_cast<std::size_t>(vector.size())};
}

}  // namespace

GainEstimate::GainEstimate(const RoundShares& shares, double error, std::size_t actions,
                           std::size_t atoms)
    : shares_(shares),
      error_(error),
      choices_(actions, 0),
      level_(VectorXd::Zero(static_cast<Index>(atoms))),
      shift_(level_) {}

/// The prediction with the least variance weighs the two means with the other's share. Before both
/// actions have rounds it is the level of the last rounds.
VectorXd GainEstimate::predicted(const Contrasts& contrasts, ActionId candidate) const {
  const ActionId control = *shares_.control;
  if (contrasts.pulls()[candidate] == 0 || contrasts.pulls()[control] == 0) return level_;
  const auto& means = contrasts.moments().means();
  const double held = shares_.holdout / (shares_.holdout + shares_.policy());
  return shift_ + held * means.col(candidate) + (1.0 - held) * means.col(control);
}

void GainEstimate::follow(const Contrasts& contrasts, ActionId action,
                          const Eigen::Map<const VectorXd>& sums) {
  ++followed_;
  const double rate = std::max(1.0 / static_cast<double>(followed_), 1.0 / kGainMemory);
  level_ += rate * (sums - level_);
  if (contrasts.pulls()[action] == 0) return;
  shift_ += rate * (sums - contrasts.moments().means().col(action) - shift_);
}

void GainEstimate::add(const Contrasts& contrasts, const SharedDecision& shared,
                       std::span<const double> sums, bool by_sets) {
  const Eigen::Map<const VectorXd> x(sums.data(), static_cast<Index>(sums.size()));
  if (followed_ > 0) {
    double total = 0.0;
    double little = 0.0;
    ++choices_[shared.candidate];
    if (shared.whose == RoundOf::kHoldout) ++held_out_;
    if (shared.candidate != *shares_.control && shared.whose != RoundOf::kProbe) {
      const bool held = shared.whose == RoundOf::kHoldout;
      ++informative_[held ? 1 : 0];
      const double factor = held ? -1.0 / shares_.holdout : 1.0 / shares_.policy();
      const VectorXd off = x - predicted(contrasts, shared.candidate);
      total = factor * off.sum();
      total_.variance.add(held, x.sum(), factor);
      if (by_sets) {
        const double part = contrasts.weights(shared.candidate, *shares_.control).dot(off);
        double paid = 0.0;
        for (const GroupId g : contrasts.affected_by(shared.candidate, *shares_.control)) {
          paid += x[g];
        }
        little = factor * part;
        by_sets_.variance.add(held, paid, factor);
      }
    }
    total_.mean.add(total);
    if (by_sets) by_sets_.mean.add(little);
  }
  follow(contrasts, shared.decision.action, x);
}

Gain GainEstimate::gain() const {
  Gain out{.counted = total_.mean.count(), .held_out = held_out_};
  out.estimate = estimate(total_);
  if (by_sets_.mean.count() > 0) out.by_sets = estimate(by_sets_);
  return out;
}

IntervalEstimate GainEstimate::estimate(const Numbers& numbers) const {
  const std::uint64_t least = std::min(informative_[0], informative_[1]);
  const std::optional<double> floor = numbers.variance.least(numbers.mean.count());
  if (least < Gain::kLeastHeldOut || !floor) return {};
  return numbers.mean.estimate({.error = error_,
                                .settle = settle_of_shares(shares_.holdout, shares_.policy()),
                                .degrees = static_cast<double>(least) - 1.0,
                                .least = *floor});
}

void GainEstimate::Numbers::write(StateWriter& writer) const {
  mean.write(writer);
  variance.write(writer);
}

void GainEstimate::Numbers::read(StateReader& reader) {
  mean.read(reader);
  variance.read(reader);
}

void GainEstimate::write(StateWriter& writer) const {
  writer.u64s(choices_);
  for (const std::uint64_t count : {held_out_, informative_[0], informative_[1], followed_}) {
    writer.u64(count);
  }
  total_.write(writer);
  by_sets_.write(writer);
  for (const VectorXd* vector : {&level_, &shift_}) {
    writer.f64s({vector->data(), static_cast<std::size_t>(vector->size())});
  }
}

void GainEstimate::read(StateReader& reader) {
  reader.u64s(choices_, "evidence: choices");
  for (std::uint64_t* count : {&held_out_, &informative_[0], &informative_[1], &followed_}) {
    *count = reader.u64();
  }
  total_.read(reader);
  by_sets_.read(reader);
  reader.f64s(numbers(level_), "evidence: level");
  reader.f64s(numbers(shift_), "evidence: shift");
}

}  // namespace updraft

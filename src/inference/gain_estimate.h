#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "inference/contrasts.h"
#include "inference/gain_variance.h"
#include "inference/running_mean.h"
#include "updraft/evidence.h"

namespace updraft {

/// The gain of the policy's choices over the control action c, from a randomised holdout. In a
/// round with the choice A and the atom sums x,
///   g = w'(x - m) / P(policy) in the policy's rounds, -w'(x - m) / P(holdout) in held-out ones,
/// 0 in probes and if A = c. The prediction m is made from earlier rounds, and A is chosen before
/// the draw that says whose round it is. So the mean of g, given the past, is w'(mu(A) - mu(c)) in
/// this very round, whatever drifts. With w = 1 that is the gain in reward, and nothing is assumed.
/// With the weights of the contrast of A and c it is the same gain with less noise, if the sets are
/// as declared. The first round only makes predictions.
class GainEstimate {
 public:
  GainEstimate(const RoundShares& shares, double error, std::size_t actions, std::size_t atoms);

  /// A round, before `contrasts` have seen it. `by_sets`: whether the contrasts are of declared
  /// sets.
  void add(const Contrasts& contrasts, const SharedDecision& shared, std::span<const double> sums,
           bool by_sets);

  /// Without by_model.
  Gain gain() const;
  /// How often the policy chose each action, in the rounds that count.
  std::span<const std::uint64_t> choices() const { return choices_; }

  void write(StateWriter& writer) const;
  void read(StateReader& reader);

 private:
  Eigen::VectorXd predicted(const Contrasts& contrasts, ActionId candidate) const;
  void follow(const Contrasts& contrasts, ActionId action,
              const Eigen::Map<const Eigen::VectorXd>& sums);

  RoundShares shares_;
  double error_;
  std::vector<std::uint64_t> choices_;
  std::uint64_t held_out_ = 0;
  std::uint64_t informative_[2] = {0, 0};  // rounds of policy and holdout with A != c
  /// The numbers g, and what is known of their variance.
  struct Numbers {
    RunningMean mean;
    GainVariance variance;
    void write(StateWriter& writer) const;
    void read(StateReader& reader);
  };
  IntervalEstimate estimate(const Numbers& numbers) const;

  Numbers total_;
  Numbers by_sets_;
  std::uint64_t followed_ = 0;
  Eigen::VectorXd level_;  // of the last rounds, per atom
  Eigen::VectorXd shift_;  // of the last rounds from their actions' means
};

}  // namespace updraft

#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "inference/contrasts.h"
#include "updraft/evidence.h"

namespace updraft {

/// The gain of the policy's choices over the control action c, from a randomised holdout. In a
/// round with the choice A and the atom sums x,
///   g = w'(x - m) / P(policy) in the policy's rounds, -w'(x - m) / P(holdout) in held-out ones,
/// 0 in probes and if A = c. The weights w of the contrast of A and c, and the prediction m, are
/// made from earlier rounds, and A is chosen before the draw that says whose round it is. So the
/// mean of g, given the past, is reward(A) - reward(c) in this very round, whatever drifts: no
/// model is assumed but that the sets are as declared. The running mean of g is within
///   sqrt(variance (t + s)) / t * quantile
/// of the running mean of the gains, at all times t at once; asymptotically, as the variance is
/// estimated. [waudby24, Thm. 2.5]
class GainEstimate {
 public:
  GainEstimate(const RoundShares& shares, double error, std::size_t actions, std::size_t atoms);

  /// A round, before `contrasts` have seen it.
  void add(const Contrasts& contrasts, const SharedDecision& shared, std::span<const double> sums);

  /// Without by_model.
  Gain gain() const;
  /// How often the policy chose each action, in all rounds.
  std::span<const std::uint64_t> choices() const { return choices_; }

  void write(StateWriter& writer) const;
  void read(StateReader& reader);

 private:
  double gain_of(const Contrasts& contrasts, const SharedDecision& shared,
                 const Eigen::Map<const Eigen::VectorXd>& sums) const;
  void follow(const Contrasts& contrasts, ActionId action,
              const Eigen::Map<const Eigen::VectorXd>& sums);

  RoundShares shares_;
  double error_;
  std::vector<std::uint64_t> choices_;
  std::uint64_t rounds_ = 0;
  std::uint64_t held_out_ = 0;
  std::uint64_t informative_[2] = {0, 0};  // rounds of policy and holdout with A != c
  double mean_ = 0.0;
  double spread_ = 0.0;    // sum of squares about the mean
  Eigen::VectorXd shift_;  // of the last rounds from their actions' means, per atom
};

}  // namespace updraft

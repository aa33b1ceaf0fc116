#pragma once

#include <cstdint>
#include <memory>

#include "updraft/evaluate.h"
#include "updraft/policy.h"
#include "updraft/stream.h"

namespace updraft {

/// Plays a policy that learns on the rounds of a log. [li11] The policy waits with its action until
/// a round of the log has it, and learns from that round. Before, each round is dropped with
/// probability 1 - least / p, p that of its action: what is left has every action equally often,
/// whatever the policy of the log.
class Replay {
 public:
  /// `least`: the smallest probability of an action taken in the log. `knowledge` must suffice for
  /// the policy. Throws InvalidInput as make_policy().
  Replay(const PolicySpec& spec, const Knowledge& knowledge, double least, std::uint64_t seed);

  void add(const LoggedRound& round, double reward);

  /// Rounds in which both agreed, and the mean and variance of their rewards.
  std::uint64_t rounds() const { return rounds_; }
  double mean() const { return mean_; }
  double variance() const { return squares_ / static_cast<double>(rounds_ - 1); }

 private:
  std::unique_ptr<Policy> policy_;
  double least_;
  Stream stream_;
  Stream drop_;
  std::uint32_t seen_ = 0;
  std::uint64_t rounds_ = 0;
  double mean_ = 0.0;
  double squares_ = 0.0;  // about the mean
};

}  // namespace updraft

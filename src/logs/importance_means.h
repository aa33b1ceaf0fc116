#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "updraft/decision_log.h"

namespace updraft {

/// The three textbook estimators of the value of a fixed policy pi, over the rounds in which the
/// log could have taken every action of pi; n of them, with reward r, action a of probability p,
/// weight w = pi(a) / p, and q(a) the mean reward of a in the log:
///   ips = sum w r / n
///   snips = sum w r / sum w
///   dr = sum over b of pi(b) q(b) + sum w (r - q(a)) / n     [dudik11]
/// Two passes over the log: add() all rounds, then errors() of each.
class ImportanceMeans {
 public:
  /// `rewards`: q. It must outlive this, and be complete before value().
  ImportanceMeans(std::vector<double> policy, const std::vector<double>& rewards);

  void add(const LoggedRound& round, double reward);

  std::uint64_t rounds() const { return rounds_; }
  /// Rounds with an action of the policy, and Kish's effective number of them.
  std::uint64_t taken() const { return taken_; }
  double effective_rounds() const { return weight_ * weight_ / squares_; }
  /// The mean weight, which is 1 but for chance if all of these rounds could have been taken, and
  /// its standard error.
  double mean_weight() const { return weight_ / static_cast<double>(rounds_); }
  double mean_weight_error() const;
  /// Whether each round says which actions could have been taken.
  bool overlap_known() const { return overlap_known_; }

  struct Three {
    double ips = 0.0;
    double snips = 0.0;
    double dr = 0.0;
  };
  Three values() const;
  /// What a round adds to the errors of the values; their squares add up to the variances.
  Three errors(const LoggedRound& round, double reward, const Three& values) const;

  const std::vector<double>& policy() const { return policy_; }

 private:
  /// Whether the log could have taken every action of the policy in this round, as far as it says.
  bool overlaps(const LoggedRound& round) const;
  double weight(const LoggedRound& round) const {
    return policy_[round.action] / *round.probability;
  }
  double model() const;

  std::vector<double> policy_;
  const std::vector<double>& rewards_;
  bool overlap_known_ = true;
  std::uint64_t rounds_ = 0;
  std::uint64_t taken_ = 0;
  double weight_ = 0.0;
  double squares_ = 0.0;
  double weighted_reward_ = 0.0;
  std::vector<double> weight_of_;  // per action
};

}  // namespace updraft

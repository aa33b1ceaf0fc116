#pragma once

#include <memory>
#include <span>

#include "updraft/ids.h"
#include "updraft/partition.h"

namespace updraft {

/// The coarsest sums of payoffs that are sufficient for a policy.
struct Resolution {
  enum class Kind {
    kTotal,      ///< the reward alone
    kGroups,     ///< one sum per group of `partition`
    kVariables,  ///< every payoff
  };

  Kind kind = Kind::kTotal;
  std::shared_ptr<const Partition> partition;  ///< set if kind is kGroups

  static Resolution total() { return {Kind::kTotal, nullptr}; }
  static Resolution groups(std::shared_ptr<const Partition> p) {
    return {Kind::kGroups, std::move(p)};
  }
  static Resolution variables() { return {Kind::kVariables, nullptr}; }
};

/// The payoffs of one round. This is a view: it must not outlive the numbers that it refers to.
/// It checks nothing; Policy::observe checks before it changes anything.
class Payoffs {
 public:
  enum class Kind { kTotal, kGroupSums, kDense, kSparse };

  /// The reward alone, for policies at total resolution.
  static Payoffs total(double reward);
  /// One sum per group of the policy's own partition, in order of group.
  static Payoffs group_sums(std::span<const double> sums);
  /// One payoff per variable.
  static Payoffs dense(std::span<const double> values);
  /// Payoffs of some variables, in any order; absent variables paid 0.
  static Payoffs sparse(std::span<const VariableId> ids, std::span<const double> values);

  Kind kind() const { return kind_; }
  double reward() const { return reward_; }                   ///< kTotal only
  std::span<const double> values() const { return values_; }  ///< all but kTotal
  std::span<const VariableId> ids() const { return ids_; }    ///< kSparse only

 private:
  Kind kind_ = Kind::kTotal;
  double reward_ = 0.0;
  std::span<const double> values_;
  std::span<const VariableId> ids_;
};

}  // namespace updraft

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "updraft/affected_sets.h"
#include "updraft/ids.h"
#include "updraft/partition.h"
#include "updraft/policy_kind.h"

namespace updraft {

/// A piece of knowledge that a policy may need before it can start.
enum class Need : std::uint32_t {
  kBaseline = 1u << 0,      ///< mean payoff of every variable if nothing is done
  kAffected = 1u << 1,      ///< V(a) for every action
  kMaxAffected = 1u << 2,   ///< L or L(a), upper bounds on |V(a)|; known affected sets imply it
  kMinUplift = 1u << 3,     ///< Delta, a lower bound on |individual uplift|
  kEffectGap = 1u << 7,     ///< a lower bound on how far apart the effects of two actions are
  kHorizon = 1u << 4,       ///< T, the number of rounds to be played
  kRewardPrior = 1u << 5,   ///< mean and variance of the actions' rewards
  kObservations = 1u << 6,  ///< a table of baseline observations
  kSegments = 1u << 8,      ///< groups of variables whose members tend to be moved together
};

/// A set of needs.
class Needs {
 public:
  constexpr Needs() = default;
  constexpr Needs(Need need)
      : bits_(static_cast<std::uint32_t>(need)) {}  // NOLINT: a need is a set of one

  constexpr Needs operator|(Needs other) const { return Needs(bits_ | other.bits_); }
  constexpr Needs without(Needs other) const { return Needs(bits_ & ~other.bits_); }
  constexpr bool contains(Need need) const {
    return (bits_ & static_cast<std::uint32_t>(need)) != 0;
  }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr bool operator==(const Needs&) const = default;

 private:
  explicit constexpr Needs(std::uint32_t bits) : bits_(bits) {}
  std::uint32_t bits_ = 0;
};

constexpr Needs operator|(Need a, Need b) { return Needs(a) | Needs(b); }

/// Every need, in the order in which messages list them.
std::span<const Need> all_needs();

/// "baseline", "affected", "max_affected", "min_uplift", "effect_gap", "horizon", "reward_prior",
/// "segments", "observations".
std::string need_name(Need need);

/// The names of `needs`, joined by ", "; "nothing" if there are none.
std::string needs_text(Needs needs);

/// The needs of these names: "nothing" alone, or any but observations, which a simulation draws.
/// Throws InvalidInput that names `field` for another name.
Needs needs_named(std::string_view field, const std::vector<std::string>& names);

/// Prior mean and variance of an action's expected reward.
struct RewardPrior {
  double mean = 0.0;
  double variance = 0.0;
};

/// Per variable, how often its payoff was observed without any action, and the mean of these
/// payoffs.
struct BaselineObservations {
  std::vector<double> counts;
  std::vector<double> means;
};

/// What a policy knows. It need not be true: only Instance holds the truth.
/// Cheap to copy: the large parts are shared and never change. Every set_ function throws
/// InvalidInput, and changes nothing, if its argument breaks a rule.
class Knowledge {
 public:
  /// For plain policies. At least one action and one variable.
  Knowledge(std::size_t actions, std::size_t variables);
  /// For targeting and contextual policies. All else that they know comes with each Round.
  explicit Knowledge(const TargetingShape& shape);
  explicit Knowledge(const ContextualShape& shape);

  PolicyKind kind() const;
  std::size_t actions() const { return actions_; }      ///< of targeting policies: treatments
  std::size_t variables() const { return variables_; }  ///< 0 if rounds bring their own
  std::size_t features() const { return features_; }    ///< of a row of a Round; 0 if it has none
  std::size_t budget() const { return budget_; }        ///< of targeting policies, else 0

  /// One finite mean per variable.
  void set_baseline(std::vector<double> means);
  /// One set per action, ids below variables().
  void set_affected(std::vector<VariableSet> sets);
  void set_affected(std::shared_ptr<const AffectedSets> sets);
  /// 1 <= L <= variables().
  void set_max_affected(std::size_t max_affected);
  /// One bound L(a) per action, 0 <= L(a) <= variables(), not all 0.
  void set_max_affected(std::vector<std::size_t> per_action);
  /// Delta > 0, the least individual uplift: |mu(a,i) - mu(0,i)| is at least that for every action
  /// a and every variable i that it affects.
  void set_min_uplift(double min_uplift);
  /// > 0: |mu(a,i) - mu(b,i)| is at least that for every action a, every variable i that it affects
  /// and every other action b. [hsieh22, Assumption 1]
  void set_effect_gap(double effect_gap);
  /// T >= 1.
  void set_horizon(std::uint64_t rounds);
  /// Finite mean, variance >= 0.
  void set_reward_prior(RewardPrior prior);
  /// One count >= 1 and one finite mean per variable.
  void set_observations(BaselineObservations observations);
  /// Stores, categories, customer groups: of all variables.
  void set_segments(Partition segments);
  void set_segments(std::shared_ptr<const Partition> segments);

  /// Null if not known.
  const std::vector<double>* baseline() const { return baseline_.get(); }
  const std::shared_ptr<const AffectedSets>& affected() const { return affected_; }
  /// L: the value set, the largest if set per action, else implied by the affected sets (at least
  /// 1).
  std::optional<std::size_t> max_affected() const;
  /// L(a): the bound of that action if set per action, else L. Must be known.
  std::size_t max_affected(ActionId action) const {
    return max_affected_per_action_ ? (*max_affected_per_action_)[action] : *max_affected();
  }
  /// Null if not set per action.
  const std::vector<std::size_t>* max_affected_per_action() const {
    return max_affected_per_action_.get();
  }
  std::optional<double> min_uplift() const { return min_uplift_; }
  std::optional<double> effect_gap() const { return effect_gap_; }
  std::optional<std::uint64_t> horizon() const { return horizon_; }
  std::optional<RewardPrior> reward_prior() const { return reward_prior_; }
  const BaselineObservations* observations() const { return observations_.get(); }
  const std::shared_ptr<const Partition>& segments() const { return segments_; }

  /// Everything that is known.
  Needs known() const;

  /// A copy that keeps only `needs`.
  Knowledge only(Needs needs) const;

 private:
  std::size_t actions_;
  std::size_t variables_;
  std::size_t features_ = 0;
  std::size_t budget_ = 0;
  std::shared_ptr<const std::vector<double>> baseline_;
  std::shared_ptr<const AffectedSets> affected_;
  std::optional<std::size_t> max_affected_;
  std::shared_ptr<const std::vector<std::size_t>> max_affected_per_action_;
  std::optional<double> min_uplift_;
  std::optional<double> effect_gap_;
  std::optional<std::uint64_t> horizon_;
  std::optional<RewardPrior> reward_prior_;
  std::shared_ptr<const BaselineObservations> observations_;
  std::shared_ptr<const Partition> segments_;
};

}  // namespace updraft

#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "updraft/affected_sets.h"
#include "updraft/changes.h"
#include "updraft/ids.h"
#include "updraft/knowledge.h"
#include "updraft/partition.h"
#include "updraft/variable_set.h"

namespace updraft {

/// `count` consecutive variables with the same baseline mean.
struct VariableRun {
  std::size_t count = 0;
  double baseline = 0.0;

  bool operator==(const VariableRun&) const = default;
};

/// What an action does to some variables: their means while the action is taken, either one for all
/// or one for each, in order of id.
struct Effect {
  VariableSet variables;
  std::vector<double> means;

  bool operator==(const Effect&) const = default;
};

/// Independent 0/1 payoffs.
struct BernoulliNoise {
  bool operator==(const BernoulliNoise&) const = default;
};

/// Normal noise, the same for all actions except for kSharedByAffected.
struct GaussianNoise {
  enum class Covariance {
    kIdentity,          ///< independent
    kFactor,            ///< correlation `factor` between any two variables
    kMatrix,            ///< `matrix`
    kSharedByAffected,  ///< one noise shared by the affected variables; the others have none
  };

  Covariance covariance = Covariance::kIdentity;
  double variance = 1.0;            ///< of every variable; kMatrix multiplies by it
  double factor = 0.0;              ///< kFactor only, in [0, 1]
  std::vector<double> matrix = {};  ///< kMatrix only: row by row, symmetric positive semidefinite
  /// At least 3: the noise of a round is multiplied by sqrt((tail_degrees - 2) / chi-squared), one
  /// draw for all variables. They are then Student's t with so many degrees of freedom, scaled to
  /// the same covariance, and not sub-Gaussian. 0: normal.
  std::uint32_t tail_degrees = 0;

  bool operator==(const GaussianNoise&) const = default;
};

using Noise = std::variant<BernoulliNoise, GaussianNoise>;

/// An instance in the form of its file. docs/formats/instance.md describes the JSON form.
struct InstanceDefinition {
  std::string name;
  std::string summary;
  std::vector<std::string> action_names;
  std::vector<VariableRun> variables;
  std::vector<std::vector<Effect>> effects;  ///< per action
  Noise noise;
  /// Stores, categories, customer groups: every variable in exactly one. Empty if there are none.
  std::vector<VariableSet> segments = {};
  /// Of the means, with the rounds. Normal noise only.
  std::vector<Change> changes = {};

  bool operator==(const InstanceDefinition&) const = default;
};

/// An uplifting bandit: the truth that policies never see. Immutable. If it has changes, means and
/// what follows from them are those without the changes; InstanceEnvironment has those of a round.
class Instance {
 public:
  /// Throws InvalidInput if the definition breaks a rule: no actions or variables, repeated action
  /// names, ids out of range or in two effects of an action, means that are not finite (or not in
  /// [0, 1] for Bernoulli payoffs), a covariance that is not symmetric positive semidefinite,
  /// segments that do not have every variable exactly once, changes that break a rule of
  /// docs/formats/instance.md.
  explicit Instance(InstanceDefinition definition);

  const std::string& name() const { return definition_.name; }
  const InstanceDefinition& definition() const { return definition_; }
  const Noise& noise() const { return definition_.noise; }
  std::size_t actions() const { return definition_.action_names.size(); }
  std::size_t variables() const { return baseline_->size(); }

  /// Mean payoff of every variable if nothing is done.
  const std::vector<double>& baseline() const { return *baseline_; }

  /// Variables whose distribution differs from the baseline. An effect that does not change a mean
  /// affects nothing, except with kSharedByAffected, where it adds the noise.
  const std::shared_ptr<const AffectedSets>& affected() const { return affected_; }

  /// Means of the variables in affected()->of(action), in order of id.
  std::span<const double> affected_means(ActionId action) const { return means_[action]; }

  /// All m means of an action.
  std::vector<double> means(ActionId action) const;

  /// Expected reward, uplift over the baseline, and distance to the best action, per action.
  /// Gaps below 1e-12 of the largest |uplift| are rounding and count as 0.
  std::span<const double> rewards() const { return rewards_; }
  std::span<const double> uplifts() const { return uplifts_; }
  std::span<const double> gaps() const { return gaps_; }

  /// The lowest id among the actions with gap 0.
  ActionId best_action() const { return best_action_; }

  /// The smallest gap that is not 0; 0 if all actions are equally good.
  double min_gap() const;

  /// max |V(a)|.
  std::size_t max_affected() const { return affected_->largest(); }

  /// Whether means change with the rounds, and whether effects do.
  bool changes() const { return !definition_.changes.empty(); }
  bool effects_change() const;

  /// The least individual uplift: the smallest |mu(a,i) - mu(0,i)| over actions a and i in V(a); 0
  /// if nothing is affected, or if effects change. Policies that know the baseline use it to
  /// identify affected variables.
  double min_uplift() const { return min_uplift_; }

  /// The effect gap: the smallest |mu(a,i) - mu(b,i)| over actions a, i in V(a) and every other
  /// action b. [hsieh22, Assumption 1] It is at most min_uplift() if each affected variable is left
  /// alone by some action. It is 0 if two actions move a variable alike (up to rounding, 1e-12 of
  /// the means), nothing is affected or effects change. With a single action it is min_uplift().
  double effect_gap() const { return effect_gap_; }

  /// sigma^2, the sub-Gaussian scale of the payoffs: the largest variance proxy of a variable's
  /// noise, over all actions and the baseline. X has variance proxy s^2 if log E exp(c X) <= s^2
  /// c^2 / 2 for all c: the variance of normal noise, or (1 - 2p) / (2 log((1 - p) / p)) for a 0/1
  /// payoff with mean p. [kearns98] The theorems require at most 1. Infinite with tail_degrees.
  double variance_proxy() const { return variance_proxy_; }

  /// The variance proxy of the noise of the reward, the largest over the actions. At most m^2
  /// variance_proxy().
  double reward_variance_proxy() const { return reward_variance_proxy_; }

  /// Standard deviation of the total noise if `action` is taken, and the largest over the actions.
  double noise_sd(ActionId action) const { return noise_sds_[action]; }
  double noise_sd() const;

  /// Null if the definition has none.
  const std::shared_ptr<const Partition>& segments() const { return segments_; }

  /// Everything that can be known about this instance if `rounds` are to be played, except baseline
  /// observations, which must be drawn (InstanceEnvironment::observe_baseline).
  Knowledge knowledge(std::uint64_t rounds) const;

  /// The same as far as `may_know` allows; if absent, everything but the segments: effects may be
  /// finer.
  Knowledge knowledge(std::uint64_t rounds, const std::optional<Needs>& may_know) const;

 private:
  InstanceDefinition definition_;
  std::shared_ptr<const std::vector<double>> baseline_;
  std::shared_ptr<const AffectedSets> affected_;
  std::shared_ptr<const Partition> segments_;
  std::vector<std::vector<double>> means_;
  std::vector<double> rewards_;
  std::vector<double> uplifts_;
  std::vector<double> gaps_;
  std::vector<double> noise_sds_;
  ActionId best_action_ = 0;
  double min_uplift_ = 0.0;
  double effect_gap_ = 0.0;
  double variance_proxy_ = 0.0;
  double reward_variance_proxy_ = 0.0;
};

/// Reads and writes the format `updraft-instance/1`. Errors are InvalidInput with the path of the
/// field, or with line and column if the text is not JSON.
InstanceDefinition parse_instance(std::string_view json);
std::string format_instance(const InstanceDefinition& definition);

/// A shipped instance by name, else a file in the instance format.
std::shared_ptr<const Instance> load_instance(const std::string& name_or_path);

/// Writes an instance file. The file is always complete: either the old one or the new one.
void save_instance(const InstanceDefinition& definition, const std::string& path);

struct ShippedInstance {
  std::string_view name;
  std::string_view summary;
  InstanceDefinition (*make)();
};

/// gaussian, gaussian-weak, criteo, marketing, discounts, movies, hard-affected, hard-reward,
/// dense, alternating, one-moves-all, identical, heavy-tails, rare, two-actions, one-variable,
/// steady, seasonal, trend, flip, wear-out, walk.
std::span<const ShippedInstance> shipped_instances();

/// The constructions behind the lower bounds: action a affects the first affected[a] variables,
/// baseline 0, mean (1 + max gap - gaps[a]) / affected[a] there. [hsieh22, proof of Props. 2, 3]
struct HardOptions {
  std::size_t variables = 0;
  std::vector<std::size_t> affected;  ///< L(a) >= 1, per action
  std::vector<double> gaps;           ///< per action, the smallest of them 0
};

/// One noise shared by the affected variables, and none elsewhere: regret >= sum 2 L(a)^2 / gap log
/// T.
InstanceDefinition hard_affected(const HardOptions& options);
/// One noise shared by all variables: regret >= sum 2 m^2 / gap log T for a learner that sees only
/// the reward.
InstanceDefinition hard_reward(const HardOptions& options);

}  // namespace updraft

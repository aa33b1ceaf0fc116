#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "updraft/environment.h"
#include "updraft/ids.h"
#include "updraft/knowledge.h"
#include "updraft/linear_contexts.h"
#include "updraft/stream.h"

namespace updraft {

/// A generated bandit. Every theta and every row of features has a length of at most 1.
struct ContextWorld {
  LinearContexts setting;
  std::vector<double> theta;  ///< theta(0) of the baseline, then one per action

  std::span<const double> baseline_theta() const {
    return std::span(theta).first(setting.features());
  }
  std::span<const double> theta_of(ActionId action) const {
    return std::span(theta).subspan((action + 1) * setting.features(), setting.features());
  }
  std::size_t group_of(ActionId action) const { return action % setting.groups; }
};

/// Throws InvalidInput: a size of 0, more variables than all groups may have together, a noise that
/// is not positive, or more than 10,000,000 features in a round or numbers in the d x d matrices of
/// all thetas.
void check_contexts(const LinearContexts& setting);

/// The setting that a text names: `contextual-linear`, or with other sizes or noise than those of
/// LinearContexts, `contextual-linear(noise_sd=2, actions=4)`. Absent if it names something else.
/// Throws InvalidInput: malformed, unknown or repeated names, numbers that are not valid.
std::optional<LinearContexts> find_contexts(std::string_view text);

/// Throws as check_contexts().
ContextWorld make_context_world(const LinearContexts& setting);

/// The rounds of one run: which features the variables have, and what they pay under each action.
/// Everything is a function of (seed, run, round), so all policies of a run see the same rounds.
/// Use it from one thread at a time.
class ContextEnvironment final : public Environment {
 public:
  /// The world must outlive this object. `shown`: what begin() shows of the baseline and the
  /// affected sets.
  ContextEnvironment(const ContextWorld& world, std::uint64_t seed, std::uint32_t run,
                     Needs shown = Need::kBaseline | Need::kAffected);

  /// Draws the contexts and the noise of a round. All groups are equally likely for each variable.
  /// If a group already has max_affected variables, the variable goes to the next group that has
  /// room. Cost: O(m group_features + K L).
  Round begin(std::uint32_t round) override;
  Payoffs pay(const Decision& decision, const Resolution&) override {
    return Payoffs::dense(payoffs(decision.action));
  }
  void measure(const Decision& decision, Measures& sums) override;

  /// The round begun last, with the true baseline and affected sets. Valid until the next begin().
  Round context() const;

  /// The sum of the expected payoffs minus that of the baseline.
  double uplift(ActionId action) const { return uplifts_[action]; }
  /// By how much the best action of the round is better.
  double gap(ActionId action) const { return best_ - uplifts_[action]; }

  /// What every variable pays under an action. Valid until the next call or round.
  std::span<const double> payoffs(ActionId action);

 private:
  double individual_uplift(ActionId action, std::size_t variable) const;

  const ContextWorld* world_;
  Needs shown_;
  Stream contexts_;
  Stream noise_stream_;
  std::vector<double> features_;
  std::vector<double> baseline_;
  std::vector<VariableSet> affected_;
  std::vector<double> uplifts_;
  double best_ = 0.0;
  std::vector<double> noise_;
  std::vector<double> payoffs_;
  std::vector<double> uniforms_;
};

}  // namespace updraft

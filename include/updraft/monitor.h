#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "updraft/assumption_warning.h"
#include "updraft/estimate_history.h"
#include "updraft/explanation.h"
#include "updraft/knowledge.h"
#include "updraft/payoffs.h"
#include "updraft/policy.h"

namespace updraft {

class PayoffStatistics;
class StateReader;
class StateWriter;
class VariableUplifts;
struct Tally;

/// What is kept beside a policy for people to look at: how often each action was decided for,
/// statistics of the payoffs, estimates over time. It tells what speaks against the assumptions of
/// the policy, and it never changes a decision. The same calls give the same state, bit for bit.
/// Not safe for use by several threads at once.
///
/// Memory: a number per action and variable, up to PayoffStatistics::kMostCells of them.
class Monitor {
 public:
  /// Of a plain policy. `declared` may be more than the policy uses: variables are compared
  /// with a declared baseline even if the policy learns its own.
  Monitor(const Policy& policy, Knowledge declared);
  /// Of payoffs that come in groups: one per treatment, or one per action of a contextual policy.
  /// Who gets a treatment, and in which contexts an action is taken, is chosen, so their estimates
  /// are mean payoffs, and no uplifts.
  explicit Monitor(std::size_t groups);
  ~Monitor();
  Monitor(Monitor&& other) noexcept;
  Monitor& operator=(Monitor&& other) noexcept;

  /// A decision for an action, or a treatment for one individual.
  void decided(ActionId action);
  /// Single payoffs of a round, dense or sparse, that the policy has learnt from.
  /// Cost: O(payoffs given + ranges of the action's set).
  void observed(ActionId action, const Payoffs& payoffs);
  /// A single payoff of a group.
  void paid(ActionId group, double payoff);

  /// To be called after every event, once the policy has learnt from it: adds `now`, completed with
  /// choices and estimates, to the history if a point is due. `policy` is null for groups.
  void look(const Policy* policy, EstimateHistory::Point now);
  /// The same if every decided() and observed() is an event, and time does not matter.
  void look(const Policy& policy);

  /// What the payoffs of a plain policy contradict. `explanation` is what it explains now.
  /// Cost: O(K m).
  std::vector<AssumptionWarning> warnings(const Policy& policy, const Explanation& explanation,
                                          const WarningWords& words = {}) const;
  /// Of a contextual policy that has seen so many rounds. Cost: O(K).
  std::vector<AssumptionWarning> context_warnings(const PolicySpec& spec, std::uint64_t rounds,
                                                  const WarningWords& words = {}) const;

  std::size_t actions() const { return chosen().size(); }
  /// How often each action was decided for.
  std::span<const std::uint64_t> chosen() const;
  /// What the estimates are of, for a plain policy.
  Quantity quantity() const;
  const EstimateHistory& history() const;
  /// Null for groups.
  const PayoffStatistics* statistics() const;
  /// What actions do to single variables. None for groups, before the first payoffs, and if sums
  /// per variable are not kept. Refers to the monitor.
  std::optional<VariableUplifts> variable_uplifts() const;
  /// Single payoffs of each group; else empty.
  std::span<const Tally> tallies() const;
  /// The mean payoff of each group, with 95 % of the normal law.
  std::vector<IntervalEstimate> mean_payoffs() const;

  /// The state in two parts, so that others can put their own between them.
  void write_counts(StateWriter& writer) const;
  void read_counts(StateReader& reader);
  void write_history(StateWriter& writer) const;
  void read_history(StateReader& reader);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace updraft

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "updraft/explanation.h"
#include "updraft/holdout.h"
#include "updraft/ids.h"
#include "updraft/interval.h"
#include "updraft/knowledge.h"
#include "updraft/payoffs.h"
#include "updraft/variable_set.h"

namespace updraft {

class StateReader;
class StateWriter;

/// Variables whose sum must not fall.
struct Guardrail {
  std::string name;        ///< what an alarm calls them
  VariableSet variables;   ///< not empty
  double tolerance = 0.0;  ///< >= 0: how far their mean sum may fall below the reference
};

struct EvidenceOptions {
  /// Of each of the three statements (settled, gain, guardrails): the probability that it is ever
  /// wrong. In (0, 0.5].
  double error = 0.05;
  RoundShares shares = {};
  std::vector<Guardrail> guardrails = {};
};

/// How an action compares with the leader.
struct Rival {
  ActionId action = 0;
  /// Reward of the leader minus that of this action; the interval holds at all times, together with
  /// those of all others if one of the two is the best action. Absent with fewer than
  /// kLeastCompared rounds of either.
  IntervalEstimate difference;
  bool beaten = false;  ///< the interval lies above 0
};

/// Whether an action is known to be the best.
struct Settlement {
  /// From the round `at` on, `best` is the best action. Wrong in at most a share `error` of
  /// campaigns, however often one looks.
  bool settled = false;
  ActionId best = 0;
  std::uint64_t at = 0;
  double error = 0.05;
  /// The largest estimate now, and how far ahead it is of each other action. Absent as long as an
  /// action has no payoffs.
  std::optional<ActionId> leader;
  std::vector<Rival> rivals;
  /// Not settled: about how many rounds it takes if estimates and shares of actions stay as they
  /// are. Absent if that is more than a thousand times the rounds so far, or nobody leads.
  std::optional<std::uint64_t> more_rounds;
  /// Settled by the payoffs, but the policy's own probability that `best` is best is below
  /// 1 - error. Then `settled` is false.
  bool disputed = false;
};

/// What the policy's choices gain over the control action, per round: the mean over all rounds so
/// far of reward(choice) - reward(control), whatever changed meanwhile.
struct Gain {
  std::uint64_t rounds = 0;
  std::uint64_t held_out = 0;  ///< of them
  /// Absent with fewer than kLeastHeldOut rounds of either kind.
  IntervalEstimate per_round;
  /// The same by the policy's own estimates. Absent if it has none.
  std::optional<double> by_model;
  /// by_model is outside the interval.
  bool disagree = false;
};

/// A guardrail that an action breaks: its variables fell by more than the tolerance, in at most a
/// share `error` of campaigns wrongly.
struct GuardrailAlarm {
  std::size_t guardrail = 0;  ///< EvidenceOptions::guardrails
  ActionId action = 0;
  std::uint64_t at = 0;  ///< the round in which it was first seen
  double change = 0.0;   ///< now: mean sum under the action minus that of the reference
  Interval interval;     ///< of the change, now
};

/// Evidence about a campaign of a plain policy that holds at every time, under whatever choices the
/// policy makes. docs/stopping.md has the formulas, their sources and what is assumed. It never
/// changes a decision, but a caller may probe() (updraft/holdout.h). The same calls give the same
/// state, bit for bit. Not safe for use by several threads at once.
///
/// Memory: O(G^2 + K G) for G atoms of the declared sets; with unknown sets, or more than 256
/// atoms, only totals are compared.
class Evidence {
 public:
  /// Pulls of both actions below which they are not compared; rounds of the policy and of the
  /// holdout below which there is no gain.
  static constexpr std::uint64_t kLeastCompared = 3, kLeastHeldOut = 10;

  /// `declared`: sets and baseline count if they are known. Guardrails need a control action or a
  /// baseline to be compared with. Throws InvalidInput.
  Evidence(const Knowledge& declared, EvidenceOptions options);
  ~Evidence();
  Evidence(Evidence&& other) noexcept;
  Evidence& operator=(Evidence&& other) noexcept;

  const EvidenceOptions& options() const;
  std::size_t actions() const;
  /// Sums over groups of this partition suffice, unless there are guardrails.
  const std::shared_ptr<const Partition>& partition() const;
  bool compares_totals_only() const;

  /// Valid payoffs of a round that the policy has learnt from: all variables (dense, sparse), or
  /// sums over partition().
  void observed(const SharedDecision& shared, const Payoffs& payoffs);
  /// Of a round whose action the policy chose.
  void observed(ActionId action, const Payoffs& payoffs);

  std::uint64_t rounds() const;
  /// The rounds of either the leader or its nearest rival, whichever has fewer: what to take next
  /// to settle soonest. Before all actions have payoffs, the one with least. Cost: O(1).
  ActionId probe() const;

  /// `explanation`, if any, is what the policy explains now in detail: the statement never
  /// contradicts its probabilities. Cost: O(K G).
  Settlement settlement(const Explanation* explanation = nullptr) const;
  /// None without a holdout.
  std::optional<Gain> gain(const Explanation* explanation = nullptr) const;
  /// In the order in which they were raised.
  std::vector<GuardrailAlarm> alarms() const;

  void write(StateWriter& writer) const;
  void read(StateReader& reader);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace updraft

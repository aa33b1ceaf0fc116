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
  std::string name;            ///< what an alarm calls them
  VariableSet variables = {};  ///< not empty
  double tolerance = 0.0;      ///< >= 0: how far their mean sum may fall below the reference
  bool pause = false;          ///< whether an action that breaks it is paused
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
  IntervalEstimate difference = {};
  bool beaten = false;  ///< the interval lies above 0
};

/// Whether an action is known to be the best.
struct Settlement {
  /// From the round `at` on, `best` is the best action. Wrong in at most a share `error` of
  /// runs, however often one looks.
  bool settled = false;
  ActionId best = 0;
  std::uint64_t at = 0;
  double error = 0.05;
  /// Whether guardrails pause actions now. Then `best` is the best of the others. If only one is
  /// left, nothing becomes settled: there is nothing to compare it with.
  bool some_paused = false;
  /// The largest estimate now, and how far ahead it is of each other action that is not paused.
  /// Absent as long as an action has no payoffs, or if the policy thinks that another one is more
  /// likely to be the best.
  std::optional<ActionId> leader = {};
  std::vector<Rival> rivals = {};
  /// Not settled: about how many rounds it takes if estimates and shares of actions stay as they
  /// are. Absent if that is more than a thousand times the rounds so far, or nobody leads, or has
  /// rivals.
  std::optional<std::uint64_t> more_rounds = {};
  /// It was settled, but `best` no longer leads, or the policy's own probability that it is the
  /// best is below 1 - error. Then `settled` is false.
  bool disputed = false;
  /// Not settled, although the policy's own probability that the leader is the best is at least
  /// 1 - error: that one is for a single look.
  bool likely = false;
};

/// What the policy's choices gain over the control action: the mean over all rounds so far of
/// reward(choice) - reward(control), whatever changed meanwhile. Of a holdout of people, the mean
/// over the people whom the policy chose of payoff(treated) - payoff(not treated).
struct Gain {
  std::uint64_t counted = 0;   ///< rounds or people, but for the first
  std::uint64_t held_out = 0;  ///< of them
  /// From the randomised holdout alone. Its interval holds at all times, in all but a share `error`
  /// of runs. Absent with fewer than kLeastHeldOut rounds, or people, of either kind, and as
  /// long as none of them paid; of payoffs that are amounts rather than counts, 20 must be other
  /// than 0.
  IntervalEstimate estimate = {};
  /// The same with less noise, if the declared affected sets are right: what neither action affects
  /// drops out. Absent if they are not known.
  IntervalEstimate by_sets = {};
  /// By the policy's own estimates. Absent if it has none.
  std::optional<double> by_model = {};
  /// by_model is outside an interval, or the two intervals do not meet: what the policy was told,
  /// or assumes, is not so.
  bool disagree = false;

  static constexpr std::uint64_t kLeastHeldOut = 10;
};

/// Gain::disagree of what else a gain says.
bool disagrees(const Gain& gain);

/// A guardrail that an action breaks: its variables fell by more than the tolerance, in at most a
/// share `error` of runs wrongly.
struct GuardrailAlarm {
  std::size_t guardrail = 0;  ///< EvidenceOptions::guardrails
  ActionId action = 0;
  std::uint64_t at = 0;    ///< the round in which it was first seen
  double change = 0.0;     ///< now: mean sum under the action minus that of the reference
  Interval interval = {};  ///< of the change, now
};

/// Evidence about a run that holds at every time, under whatever choices the policy makes.
/// docs/stopping.md has the formulas, their sources and what is assumed. The same calls give the
/// same state, bit for bit. Not safe for use by several threads at once. Of targeting policies, see
/// updraft/people_holdout.h.
///
/// Memory: O(G^2 + K G) for G atoms of the declared sets; with unknown sets, or more than 256
/// atoms, only totals are compared.
class Evidence {
 public:
  /// Pulls of both actions below which they are not compared.
  static constexpr std::uint64_t kLeastCompared = 3;

  /// `declared`: sets and baseline count if they are known. Guardrails need a control action or a
  /// baseline to be compared with. Contextual policies, whose best action changes with the round,
  /// never settle and have no guardrails. Throws InvalidInput.
  Evidence(const Knowledge& declared, EvidenceOptions options);
  ~Evidence();
  Evidence(Evidence&& other) noexcept;
  Evidence& operator=(Evidence&& other) noexcept;

  const EvidenceOptions& options() const;
  std::size_t actions() const;
  /// Sums over groups of this partition suffice, unless there are guardrails.
  const std::shared_ptr<const Partition>& partition() const;
  bool compares_totals_only() const;

  /// The next decision: decide_with_shares() with these options and steering().
  SharedDecision decide(Policy& policy, const Round& round, const Stream& stream) const;
  SharedDecision decide(Policy& policy, const Stream& stream) const;
  /// Probes take the leader or its nearest rival, whichever has fewer rounds: what settles soonest.
  /// Before all actions have payoffs, the one with least. What a guardrail pauses, but neither the
  /// control action nor the last that is left. Valid until the next call of observed() or
  /// set_idle().
  Steering steering() const;

  /// The actions that may not be taken from now on, ids increasing (ActionRoster::idle()): they
  /// count as paused. If guardrails pause all others, these are not paused. Not part of the state
  /// that write() writes.
  void set_idle(std::span<const ActionId> idle);

  /// Valid payoffs of a round that the policy has learnt from: all variables (dense, sparse), or
  /// sums over partition(). Cost: O(K G + G^2), and whenever there are 2 % more rounds, or after
  /// rare payoffs 0.5 %, O(G^3).
  void observed(const SharedDecision& shared, const Payoffs& payoffs);
  /// Of a round in which nothing was held out, in a log or before the run: for the stop rule
  /// and the guardrails; the gain does not count it.
  void observed(ActionId action, const Payoffs& payoffs);

  std::uint64_t rounds() const;
  /// The best action once that is settled, without regard to what the policy thinks. Cost: O(1).
  std::optional<ActionId> settled() const;

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

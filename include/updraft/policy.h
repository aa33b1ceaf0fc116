#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "updraft/allowed_actions.h"
#include "updraft/decision.h"
#include "updraft/explanation.h"
#include "updraft/ids.h"
#include "updraft/knowledge.h"
#include "updraft/payoffs.h"
#include "updraft/policy_kind.h"
#include "updraft/policy_spec.h"
#include "updraft/round.h"
#include "updraft/stream.h"

namespace updraft {

class StateReader;
class StateWriter;

/// A learner: a deterministic state machine that knows its Knowledge, and of each round what a
/// Round tells. There are three kinds (updraft/policy_kind.h); the registry has all of them.
///
/// decide() offers a choice and never changes the statistics; learn() brings the payoffs of a
/// choice that was taken. Several decisions may be outstanding, and payoffs may come late, out of
/// order or never. The same calls give the same state, bit for bit. Not safe for use by several
/// threads at once; different policies are independent.
class Policy {
 public:
  virtual ~Policy() = default;
  Policy(const Policy&) = delete;
  Policy& operator=(const Policy&) = delete;

  const PolicySpec& spec() const { return spec_; }
  const Knowledge& knowledge() const { return knowledge_; }
  PolicyKind kind() const { return knowledge_.kind(); }
  /// PolicyInfo::revision; 0 if the registry does not have the policy.
  std::uint32_t revision() const { return revision_; }

  // Every kind of policy. All throw InvalidInput, and change nothing, if the round, the decision or
  // the payoffs do not fit the policy: wrong numbers of rows or features, numbers that are not
  // finite, a baseline or sets that are missing although the policy needs them.

  /// The choice for a round, with its probability: that of the distribution it is drawn from. If
  /// the round allows only some actions, that of the choice among these (docs/propensities.md).
  /// Draws, if any, come from `stream` at round decisions(). Ties go to the lowest ids. Policies
  /// that draw take longer than select() (docs/propensities.md).
  Decision decide(const Round& round, const Stream& stream);

  /// decide() without the probability, which is NaN.
  Decision select(const Round& round, const Stream& stream);

  /// What decide() would give. Decides nothing.
  Decision preview(const Round& round, const Stream& stream);

  /// `count` decisions at once, whose payoffs come only after the last: decide(), `count` times,
  /// with Round::ahead. Policies that draw draw each of them, independently given the state and
  /// with its own probability; the others spread over the actions that may be the best. A batch of
  /// one is decide(). If this throws, nothing was decided. Plain policies only; `count` at least 1.
  std::vector<Decision> decide_batch(std::size_t count, const Round& round, const Stream& stream);

  /// decide_batch() without the probabilities, which are NaN.
  std::vector<Decision> select_batch(std::size_t count, const Round& round, const Stream& stream);

  /// Counts a decision without choosing: it was made before, or elsewhere. Leaves the state, bit
  /// for bit, that decide() leaves if it makes this choice. The round need not have the baseline or
  /// the sets, and who decided may have taken an action that the round does not allow.
  void take(const Round& round, const Decision& decision);

  /// Learns from the payoffs of a round and what was chosen in it. The baseline is not needed, the
  /// sets only if the policy learns the baseline from them.
  void learn(const Decision& decision, const Round& round, const Payoffs& payoffs);

  /// What the policy estimates in a round. Decides nothing.
  Explanation explain(const Round& round) const { return explain_round(round); }

  /// Decisions so far, and rounds learned from.
  std::uint64_t decisions() const { return decisions_; }
  std::uint64_t observations() const { return observations_; }
  /// Rounds of an action that were learned from. Throws InvalidInput if the action is unknown;
  /// targeting policies have none.
  std::uint64_t pulls(ActionId action) const {
    if (action >= pulls_.size()) check_action(action);
    return pulls_[action];
  }
  /// Rows of features learned from, those of all rounds added up.
  virtual std::uint64_t rows() const { return 0; }

  // Plain policies, whose rounds are all alike: the same without a Round. Other kinds throw
  // InvalidInput. select() and observe() do not allocate memory.

  /// The action of decide(), without its probability.
  ActionId select(const Stream& stream);
  Decision decide(const Stream& stream) { return decide(Round{}, stream); }
  Decision preview(const Stream& stream) { return preview(Round{}, stream); }
  void take(ActionId action);

  /// Learns from the payoffs of a round in which `action` was taken. Throws InvalidInput, and
  /// changes nothing, if the action or a variable is unknown, a payoff is not finite, a variable is
  /// repeated, or the length or kind of the payoffs does not fit resolution().
  void observe(ActionId action, const Payoffs& payoffs);

  /// The estimates of each action. Cost: about that of a choice. Policies that learn the noise take
  /// much longer without Detail::kCheap.
  virtual Explanation explain(Detail detail = Detail::kWhole) const;

  /// Per action, the probability with which the next decision takes it: the exact distribution that
  /// it is drawn from, so 1 for the action of a policy that does not draw. Decides nothing.
  std::vector<double> probabilities(const Stream& stream) {
    return probabilities_given(choose(stream), stream);
  }
  /// The same in a round, which may allow only some actions; the others have 0.
  std::vector<double> probabilities(const Round& round, const Stream& stream);

  /// The index that explain() has for an action, up to rounding, without the rest: at most the cost
  /// of a choice.
  virtual double index(ActionId action) const;

  /// The sums of payoffs that are sufficient for observe(). Finer payoffs are accepted too.
  const Resolution& resolution() const { return resolution_; }

  /// Everything that decisions and payoffs change. See docs/formats/policy-state.md.
  void save_state(StateWriter& writer) const;
  /// `version` is that of the file. Throws InvalidInput if the policy needs to know what the
  /// version does not tell.
  void restore_state(StateReader& reader, std::uint64_t version = kStateVersion);

  /// Before version 2, targeting and contextual policies did not count rows.
  static constexpr std::uint64_t kStateVersion = 2;

 protected:
  Policy(PolicySpec spec, Knowledge knowledge, Resolution resolution = Resolution::variables());

  std::size_t actions() const { return pulls_.size(); }
  std::size_t variables() const { return knowledge_.variables(); }
  std::span<const std::uint64_t> pulls() const { return pulls_; }

  /// Whether every action has at least one observation.
  bool all_have_feedback() const { return without_feedback_ == 0; }
  /// Of the allowed ones.
  bool all_have_feedback(AllowedActions allowed) const;
  std::size_t actions_with_feedback() const { return actions() - without_feedback_; }

  /// Round::ahead of the round at hand: empty outside of a batch, and for its first decision.
  std::span<const std::uint64_t> ahead() const { return ahead_; }

  /// How often each action was offered by select().
  std::span<const std::uint64_t> offers() const { return offers_; }

  /// Of the actions without feedback, the one that was offered least often, the lowest id among
  /// equals. The first K selections therefore offer every action once, whatever feedback came.
  /// There must be such an action.
  ActionId untried(AllowedActions allowed = {}) const;

  /// The allowed action that was offered least often, the lowest id among equals.
  ActionId least_offered(AllowedActions allowed) const;

  /// Throws InvalidInput if the action is unknown.
  void check_action(ActionId action) const;

  /// Throws InvalidInput unless Round::allowed has known actions, ids increasing.
  void check_allowed(const Round& round) const;
  /// Throws InvalidInput unless Round::ahead fits a plain policy, or is empty for another.
  void check_ahead(const Round& round) const;

  // What a plain policy defines.

  /// The decision. May refresh what is derived from the statistics, never the statistics.
  virtual ActionId choose(const Stream& stream);

  /// The decision if only some actions are allowed; if all are, that of choose(). With ahead(), the
  /// next one of a batch. A policy that does not define it refuses rounds that allow only some.
  virtual ActionId choose_among(AllowedActions allowed, const Stream& stream);

  /// Per action, the probability in the distribution from which choose(stream), or
  /// choose_among(allowed, stream), which was called just before and gave `action`, drew it.
  virtual std::vector<double> probabilities_given(ActionId action, const Stream& stream,
                                                  AllowedActions allowed = {});

  /// Adds valid payoffs, which come at exactly resolution(): a total, group sums, or dense or
  /// sparse (ids increasing) variables. pulls(action) and observations() already count them.
  virtual void absorb(ActionId action, const Payoffs& payoffs);

  // What a kind of policy defines; these are for plain ones. learn_from() ends with
  // count_learned(), for a kind that takes actions count_pull().

  void count_learned() { ++observations_; }
  void count_pull(ActionId action);

  enum class Propensity { kWanted, kSkipped };

  /// The choice; number and revision are filled in by the caller, and so is a probability that is
  /// not wanted.
  virtual Decision choose_in(const Round& round, const Stream& stream, Propensity propensity);
  /// Throws InvalidInput if such a choice cannot have been made.
  virtual void check_taken(const Round& round, const Decision& decision) const;
  virtual void learn_from(const Decision& decision, const Round& round, const Payoffs& payoffs);
  virtual Explanation explain_round(const Round& round) const;
  /// Counts of the rows learned from, if there are rows.
  virtual void write_rows(StateWriter&) const {}
  virtual void read_rows(StateReader&, std::uint64_t /*version*/) {}

  // What every policy defines.

  /// The statistics of the derived policy; whatever follows from them is rebuilt by read.
  virtual void write_statistics(StateWriter& writer) const = 0;
  virtual void read_statistics(StateReader& reader) = 0;

 private:
  /// Throws InvalidInput: this policy needs a Round.
  [[noreturn]] void refuse_without_round() const;
  ActionId choose_of(const Round& round, const Stream& stream);
  std::vector<Decision> batch_of(std::size_t count, const Round& round, const Stream& stream,
                                 Propensity propensity);
  Decision numbered(Decision decision) const;
  void count(ActionId action);
  void read_pulls(StateReader& reader);
  Payoffs reduce(const Payoffs& payoffs);
  Payoffs in_order(const Payoffs& sparse);

  // What every round reads comes first, within a few lines of the cache.
  std::uint64_t decisions_ = 0;
  std::uint64_t observations_ = 0;
  std::size_t without_feedback_;      // actions
  std::vector<std::uint64_t> pulls_;  // empty for targeting policies, and so are offers
  std::vector<std::uint64_t> offers_;
  Resolution resolution_;
  Knowledge knowledge_;
  PolicySpec spec_;
  std::uint32_t revision_;
  std::span<const std::uint64_t> ahead_;  // while choose_of() chooses
  std::vector<double> sums_;              // scratch of reduce()
  std::vector<VariableId> sorted_ids_;    // scratch of reduce()
  std::vector<double> sorted_values_;     // scratch of reduce()
};

}  // namespace updraft

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "updraft/decision.h"
#include "updraft/ids.h"
#include "updraft/interval.h"
#include "updraft/knowledge.h"
#include "updraft/payoffs.h"
#include "updraft/policy_spec.h"
#include "updraft/stream.h"
#include "updraft/variable_set.h"

namespace updraft {

class StateReader;
class StateWriter;

/// The action that differences refer to, unless a policy compares with another. It never changes,
/// so that estimates of different times can be compared.
inline constexpr ActionId kReferenceAction = 0;

/// How much more reward an action is estimated to bring than Explanation::reference_action. The
/// baseline cancels, so the difference is known even if the baseline is not.
struct RewardDifference {
  double estimate = 0.0;
  std::optional<double> standard_error;  ///< policies that learn the noise
  /// 95 % of the posterior if the policy learns the noise, else its own confidence bounds: the
  /// estimate +- the radii of all means that go into it.
  Interval interval;
};

/// The estimates of a policy for one action. Numbers that are not defined yet are infinite (index
/// and radius of an action without feedback) or absent.
struct ActionExplanation {
  std::uint64_t pulls = 0;  ///< rounds of this action whose payoffs came back
  double index = 0.0;       ///< what select() compares; if that is a draw, the posterior mean
  double radius = 0.0;  ///< of one variable's mean; of the estimate in the index if the noise is
                        ///< learnt; its posterior sd if select() draws
  std::optional<double> reward;  ///< estimated expected reward, if the policy tracks it
  /// Estimated uplift over the baseline, that is over doing nothing. Absent as long as no feedback
  /// shows the baseline of a variable that the action affects; it stays absent if every action
  /// affects that variable. With unknown sets, that of the identified variables alone
  /// (up_ucb_ilift_bl: of all variables until it identifies some).
  std::optional<double> uplift;
  /// To Explanation::reference_action, for policies that learn the baseline or the noise. For
  /// up_ucb_l, of the identified variables alone, between bounds that reach at least as far as the
  /// index.
  std::optional<RewardDifference> difference;
  std::optional<VariableSet> identified;  ///< unknown sets only: surely affected
  std::optional<VariableSet> padding;     ///< unknown sets only: may be affected, counted in

  // Policies that learn the noise, once every action has feedback.
  std::optional<double> standard_error;    ///< of `uplift`, and absent with it
  std::optional<Interval> interval;        ///< that holds 95 % of the posterior of the uplift
  std::optional<double> probability_best;  ///< that this reward is the largest, by the posterior
  /// Per atom, the weight of its mean minus its baseline: 1 if affected, else the weight of the
  /// control variate.
  std::optional<std::vector<double>> weights;
};

struct Explanation {
  std::vector<ActionExplanation> actions;
  /// The action that differences refer to: kReferenceAction, or for up_ucb_l the most pulled
  /// action, which serves as the baseline. Absent without differences.
  std::optional<ActionId> reference_action;
  std::optional<std::vector<bool>> active;  ///< up_ucb_ilift: not yet eliminated

  // Policies that learn the noise, once every action has feedback.
  std::optional<double> shrinkage;  ///< lambda: by which share correlations are pulled to 0
  std::optional<std::uint64_t> degrees_of_freedom;  ///< of the noise estimate
};

/// A learner: a deterministic state machine that knows its Knowledge and nothing else.
///
/// select() offers an action and never changes the statistics; observe() brings the payoffs of
/// an action that was taken. Several selects may be outstanding, and observes may come late, out
/// of order or never. The same calls give the same state, bit for bit.
/// Not safe for use by several threads at once; different policies are independent.
class Policy {
 public:
  virtual ~Policy() = default;
  Policy(const Policy&) = delete;
  Policy& operator=(const Policy&) = delete;

  const PolicySpec& spec() const { return spec_; }
  const Knowledge& knowledge() const { return knowledge_; }

  /// The sums of payoffs that are sufficient for observe(). Finer payoffs are accepted too.
  const Resolution& resolution() const { return resolution_; }

  /// The action to take next. Draws, if any, come from `stream` at round decisions().
  ActionId select(const Stream& stream);

  /// The same action as select(), with its probability: that of probabilities(). Policies that draw
  /// take longer than select() (docs/propensities.md).
  Decision decide(const Stream& stream);

  /// What decide() would give. Decides nothing.
  Decision preview(const Stream& stream);

  /// Counts a decision for `action` without choosing: it was made before, or elsewhere. Leaves the
  /// state, bit for bit, that select() leaves if it offers this action. Throws InvalidInput, and
  /// changes nothing, if the action is unknown.
  void take(ActionId action);

  /// Per action, the probability with which the next decision takes it: the exact distribution that
  /// it is drawn from, so 1 for the action of a policy that does not draw. Decides nothing.
  std::vector<double> probabilities(const Stream& stream) {
    return probabilities_given(choose(stream), stream);
  }

  /// Learns from the payoffs of a round in which `action` was taken. Throws InvalidInput, and
  /// changes nothing, if the action or a variable is unknown, a payoff is not finite, a variable is
  /// repeated, or the length or kind of the payoffs does not fit resolution().
  void observe(ActionId action, const Payoffs& payoffs);

  virtual Explanation explain() const = 0;

  /// The index that explain() has for an action, up to rounding, without the rest: at most the cost
  /// of a choice.
  virtual double index(ActionId action) const = 0;

  /// Selections so far, observations so far, and those of one action.
  std::uint64_t decisions() const { return decisions_; }
  std::uint64_t observations() const { return observations_; }
  std::uint64_t pulls(ActionId action) const { return pulls_[action]; }

  /// Everything that select() and observe() change. See docs/formats/policy-state.md.
  void save_state(StateWriter& writer) const;
  void restore_state(StateReader& reader);

 protected:
  Policy(PolicySpec spec, Knowledge knowledge, Resolution resolution);

  std::size_t actions() const { return pulls_.size(); }
  std::size_t variables() const { return knowledge_.variables(); }
  std::span<const std::uint64_t> pulls() const { return pulls_; }

  /// Whether every action has at least one observation.
  bool all_have_feedback() const { return without_feedback_ == 0; }

  /// How often each action was offered by select().
  std::span<const std::uint64_t> offers() const { return offers_; }

  /// Of the actions without feedback, the one that was offered least often, the lowest id among
  /// equals. The first K selections therefore offer every action once, whatever feedback came.
  /// There must be such an action.
  ActionId untried() const;

  /// The decision. May refresh what is derived from the statistics, never the statistics.
  virtual ActionId choose(const Stream& stream) = 0;

  /// Per action, the probability in the distribution from which choose(stream), which was called
  /// just before and gave `action`, drew it.
  virtual std::vector<double> probabilities_given(ActionId action, const Stream& stream);

  /// Adds valid payoffs, which come at exactly resolution(): a total, group sums, or dense or
  /// sparse (ids increasing) variables. pulls(action) and observations() already count them.
  virtual void absorb(ActionId action, const Payoffs& payoffs) = 0;

  /// The statistics of the derived policy; whatever follows from them is rebuilt by read.
  virtual void write_statistics(StateWriter& writer) const = 0;
  virtual void read_statistics(StateReader& reader) = 0;

 private:
  void check_action(ActionId action) const;
  void count(ActionId action);
  Payoffs reduce(const Payoffs& payoffs);
  Payoffs in_order(const Payoffs& sparse);

  PolicySpec spec_;
  Knowledge knowledge_;
  Resolution resolution_;
  std::vector<std::uint64_t> pulls_;
  std::vector<std::uint64_t> offers_;
  std::size_t without_feedback_;  // actions
  std::uint64_t decisions_ = 0;
  std::uint64_t observations_ = 0;
  std::vector<double> sums_;            // scratch of reduce()
  std::vector<VariableId> sorted_ids_;  // scratch of reduce()
  std::vector<double> sorted_values_;   // scratch of reduce()
};

}  // namespace updraft

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "updraft/decision.h"
#include "updraft/explanation.h"
#include "updraft/ids.h"
#include "updraft/knowledge.h"
#include "updraft/payoffs.h"
#include "updraft/policy_spec.h"
#include "updraft/stream.h"

namespace updraft {

class StateReader;
class StateWriter;

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

  /// The estimates of each action. Cost: about that of a choice. Policies that learn the noise take
  /// much longer without Detail::kCheap.
  virtual Explanation explain(Detail detail = Detail::kWhole) const = 0;

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

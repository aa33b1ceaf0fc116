#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "updraft/ids.h"
#include "updraft/policy.h"
#include "updraft/policy_spec.h"
#include "updraft/registry.h"
#include "updraft/stream.h"
#include "updraft/variable_set.h"

namespace updraft {

/// The variables of one round, in any number. This is a view: it must not outlive what it refers
/// to.
struct Context {
  std::span<const double> features;       ///< one variable after the other
  std::size_t width = 0;                  ///< features of one variable
  std::span<const double> baseline = {};  ///< expected payoff of each if nothing is done, if known
  /// V(t, a): for each action, the variables that it affects in this round, if known.
  std::span<const VariableSet> affected = {};

  std::size_t size() const { return width == 0 ? 0 : features.size() / width; }
  std::span<const double> row(std::size_t variable) const {
    return features.subspan(variable * width, width);
  }
};

/// The sizes that a contextual policy is made for.
struct ContextShape {
  std::size_t features = 0;  ///< d >= 1, of one variable
  std::size_t actions = 0;   ///< K >= 1

  bool operator==(const ContextShape&) const = default;
};

/// The estimates of a contextual policy for one action in a context. Numbers that are not defined
/// yet are infinite (the index of an action without feedback) or absent. An estimate is also absent
/// if the observed payoffs do not determine it: the features of a variable that it counts are not a
/// linear combination of those observed with the action, or with what it is compared with. An
/// interval is the estimate +- beta times the widths that go into it.
struct ContextActionExplanation {
  std::uint64_t pulls = 0;       ///< rounds of this action whose payoffs came back
  double index = 0.0;            ///< by which actions are compared
  std::optional<double> reward;  ///< estimated, of all variables of the context
  /// Over the baseline, that is, over doing nothing; with unknown sets, that of the identified
  /// variables alone.
  std::optional<double> uplift;
  std::optional<Interval> interval;  ///< of the uplift
  /// If neither the baseline nor the sets are known: to ContextExplanation::reference_action, of
  /// the identified variables alone.
  std::optional<RewardDifference> difference;
  std::optional<VariableSet> identified;  ///< unknown sets only: surely affected
  std::optional<VariableSet> padding;     ///< unknown sets only: may be affected, counted in
  bool chosen = false;                    ///< as select() would
  std::string_view reason;                ///< why chosen or not
};

struct ContextExplanation {
  std::vector<ContextActionExplanation> actions;
  /// The action that differences refer to: the one with the most feedback, which serves as the
  /// baseline.
  std::optional<ActionId> reference_action;
};

/// What was chosen in a context.
struct ContextChoice {
  ActionId action = 0;
  double index = 0.0;  ///< of that action; infinite if it has no feedback
};

/// A learner for actions with contexts: each round every variable has features, one action is taken
/// for all of them, and all payoffs are observed. [hsieh22, appendix 'Contextual Extensions']
///
/// select() offers and never learns; observe() brings the payoffs of a context and the action that
/// was taken in it, now or late, in any order. The same calls give the same state, bit for bit. Not
/// safe for use by several threads at once.
class ContextPolicy {
 public:
  virtual ~ContextPolicy() = default;
  ContextPolicy(const ContextPolicy&) = delete;
  ContextPolicy& operator=(const ContextPolicy&) = delete;

  const PolicySpec& spec() const { return spec_; }
  const ContextShape& shape() const { return shape_; }

  /// The action to take: the largest index, the lowest id among equals. Actions without feedback
  /// come first, those offered least often, the lowest id among equals. Throws InvalidInput, and
  /// changes nothing, where the context has no variables, the wrong width, a number that is not
  /// finite or a set that cannot be, or lacks the baseline or the sets that the policy needs.
  /// Draws, if any, come from `stream` at round decisions().
  ActionId select(const Context& context, const Stream& stream) {
    return choose(context, stream).action;
  }

  /// select(), with the index of the action.
  ContextChoice choose(const Context& context, const Stream& stream);

  /// What choose() would give. Decides nothing.
  ContextChoice preview(const Context& context, const Stream& stream) const;

  /// Counts a decision for `action` without choosing: it was made before, or elsewhere. Leaves the
  /// state, bit for bit, that select() leaves if it offers this action. The context need not have
  /// what the policy needs to choose. Throws InvalidInput, and changes nothing, where select()
  /// would for other reasons, and for an unknown action.
  void take(const Context& context, ActionId action);

  /// Learns from what every variable of a context paid under `action`. The baseline is not needed,
  /// the sets only where the policy learns the baseline from them. Throws InvalidInput, and changes
  /// nothing, where select() would for other reasons, and for an action or payoffs that cannot be.
  void observe(const Context& context, ActionId action, std::span<const double> payoffs);

  /// What is believed of each action in a context. Throws as select() does.
  ContextExplanation explain(const Context& context) const;

  /// Selections so far, observations so far, and those of one action.
  std::uint64_t decisions() const { return decisions_; }
  std::uint64_t observations() const { return observations_; }
  std::uint64_t pulls(ActionId action) const { return pulls_[action]; }

  /// Variables learned from so far, those of all contexts added up.
  std::uint64_t rows() const { return rows_; }

  /// Version 1 did not count rows.
  static constexpr std::uint64_t kStateVersion = 2;
  void save_state(StateWriter& writer) const;
  /// Throws InvalidInput if the policy needs to know what the version does not tell.
  void restore_state(StateReader& reader, std::uint64_t version = kStateVersion);

 protected:
  ContextPolicy(PolicySpec spec, ContextShape shape);

  std::span<const std::uint64_t> pulls() const { return pulls_; }

  /// Whether a context that is well formed has what select() needs, and what observe() needs.
  virtual void check_for_choice(const Context& context) const = 0;
  virtual void check_for_learning(const Context& context) const = 0;

  // All are given what passed the checks.

  /// Index and beliefs of the actions that have feedback; `pulls`, `chosen` and `reason` are left
  /// to the caller, and so are all actions without feedback.
  virtual ContextExplanation describe(const Context& context) const = 0;
  /// Per action the index, if all have feedback: the same as in describe(), bit for bit.
  virtual std::vector<double> indices(const Context& context) const = 0;
  virtual void learn(const Context& context, ActionId action, std::span<const double> payoffs) = 0;
  virtual void write_statistics(StateWriter& writer) const = 0;
  virtual void read_statistics(StateReader& reader) = 0;

 private:
  void check(const Context& context) const;
  void check_action(ActionId action) const;
  void count(ActionId action);
  std::optional<ActionId> untried() const;

  PolicySpec spec_;
  ContextShape shape_;
  std::vector<std::uint64_t> pulls_;
  std::vector<std::uint64_t> offers_;
  std::uint64_t decisions_ = 0;
  std::uint64_t observations_ = 0;
  std::uint64_t rows_ = 0;
};

/// The policies for actions with contexts; their `make` is null.
std::span<const PolicyInfo> context_policies();

/// Throws InvalidInput if the spec is not that of a contextual policy, its parameters contradict
/// each other, or the shape is empty.
std::unique_ptr<ContextPolicy> make_context_policy(const PolicySpec& spec,
                                                   const ContextShape& shape);
std::unique_ptr<ContextPolicy> make_context_policy(std::string_view spec,
                                                   const ContextShape& shape);

/// As save_policy and load_policy (updraft/state.h), with the same guarantees and errors.
void save_context_policy(const ContextPolicy& policy, const std::filesystem::path& path);
void save_context_policy(const ContextPolicy& policy, std::ostream& out);
std::unique_ptr<ContextPolicy> load_context_policy(const std::filesystem::path& path);
std::unique_ptr<ContextPolicy> load_context_policy(std::istream& in);

}  // namespace updraft

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "reference/plain_regression.h"
#include "support/rounds.h"
#include "updraft/policy_spec.h"

namespace updraft::testing {

/// Of one action in a context.
struct ActionEstimate {
  bool feedback = false;  ///< without it nothing below makes sense
  Real index = 0.0L;
  Real uplift = 0.0L;      ///< without optimism; unknown sets: of the identified variables
  Real margin = 0.0L;      ///< of the uplift, to each side
  bool determined = true;  ///< whether the rows there are tell the uplift; else it is not shown
  Real reward = 0.0L;      ///< of all variables
  bool reward_determined = true;
  Vector individual;                   ///< upper - upper of the baseline, for all variables
  std::vector<VariableId> identified;  ///< unknown sets only
  std::vector<VariableId> padding;     ///< unknown sets only
  Real magnitude = 0.0L;               ///< the sizes of all terms: rounding scales with it
};

/// lin_up_ucb, lin_up_ucb_bl and lin_ucb written straight from their source, to judge the fast
/// ones. [hsieh22, paragraph 'Contextual Uplifting Bandit with Linear Payoffs'; Alg. 1 to 4]
///
/// It keeps every row, solves all normal equations afresh in long doubles when asked, is slow, and
/// trusts its arguments.
class ContextReference {
 public:
  ContextReference(const PolicySpec& spec, const ContextualShape& shape);

  /// Of every action, now.
  std::vector<ActionEstimate> action_estimates(const Round& context) const;

  /// The action to take by these estimates.
  ActionId choose(const std::vector<ActionEstimate>& estimates) const;

  /// The action that plays baseline where one does.
  ActionId stand_in() const;

  /// Counts a decision for `action`.
  void offer(ActionId action);

  void observe(const Round& context, ActionId action, std::span<const double> payoffs);

 private:
  /// Centre and half the width of an interval.
  struct Estimate {
    Real mean = 0.0L;
    Real margin = 0.0L;
    bool determined = true;  ///< by the rows there are
  };
  using Estimates = std::vector<Estimate>;

  bool knows_baseline() const { return spec_.name() == "lin_up_ucb_bl"; }
  Real beta(std::size_t variables) const;
  Estimates estimates(const Rows& rows, const Round& context) const;
  void sum_given(const VariableSet& set, const Estimates& own, const Estimates& baseline,
                 ActionEstimate& estimate) const;
  void identify_and_pad(const Estimates& own, const Estimates& baseline,
                        ActionEstimate& estimate) const;

  PolicySpec spec_;
  ContextualShape shape_;
  std::vector<std::uint64_t> offers_;
  std::vector<std::uint64_t> pulls_;
  std::vector<Rows> rows_;  // [action]
  Rows unaffected_rows_;
};

}  // namespace updraft::testing

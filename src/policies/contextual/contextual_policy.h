#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "updraft/policy.h"

namespace updraft {

/// What contextual policies share: each round every variable has features, one action is taken for
/// all of them, and all payoffs are observed. [hsieh22, appendix 'Contextual Extensions']
///
/// The largest index is taken. Actions without feedback come first, those offered least often, the
/// lowest id among equals. In a round that allows only some actions, all of this is about these.
class ContextualPolicy : public Policy {
 public:
  std::uint64_t rows() const final { return rows_; }

 protected:
  ContextualPolicy(const PolicySpec& spec, const Knowledge& knowledge) : Policy(spec, knowledge) {}

  std::size_t features() const { return knowledge().features(); }

  /// Throw InvalidInput if a well-formed context lacks what a decision needs, or what learning
  /// needs.
  virtual void check_for_choice(const Round&) const {}
  virtual void check_for_learning(const Round&) const {}

  // All are given what passed the checks.

  /// Index and estimates of the actions that have feedback. `pulls`, `chosen` and `reason` are left
  /// to the caller, and so are all actions without feedback.
  virtual Explanation describe(const Round& context) const = 0;
  /// Per action that has feedback the index: the same as in describe(), bit for bit.
  virtual std::vector<double> indices(const Round& context) const = 0;
  virtual void add(const Round& context, ActionId action, std::span<const double> payoffs) = 0;

 private:
  Decision choose_in(const Round& context, const Stream& stream, Propensity propensity) final;
  void check_taken(const Round& context, const Decision& decision) const final;
  void learn_from(const Decision& decision, const Round& context, const Payoffs& payoffs) final;
  Explanation explain_round(const Round& context) const final;
  void write_rows(StateWriter& writer) const final;
  void read_rows(StateReader& reader, std::uint64_t version) final;

  void check(const Round& context) const;

  std::uint64_t rows_ = 0;
};

}  // namespace updraft

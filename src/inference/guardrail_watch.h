#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "stats/count_unit.h"
#include "updraft/evidence.h"

namespace updraft {

/// Sums of guarded variables under every action, compared with their baseline, or with the control
/// action's. An alarm is raised once the mixture bound of the change (inference/mixture_bound.h)
/// lies below -tolerance, with error / (guardrails * actions). The variance is the larger of the
/// action's own and that pooled over the actions; if sums are counts, it is at least count_floor()
/// of the action's rounds, of all rounds, and of the baseline. Nothing is said as long as all sums
/// are 0, or, if they are not counts, fewer than kLeastPaid are not. What was once raised stays so.
/// Memory: O(K guardrails).
class GuardrailWatch {
 public:
  static constexpr double kLeastPaid = 20.0;

  /// `baseline` per variable; null if the control action is the reference.
  GuardrailWatch(std::size_t actions, const EvidenceOptions& options,
                 const std::vector<double>* baseline);

  /// Cost: O(payoffs), then O(guardrails) to look.
  void add(ActionId action, const Payoffs& payoffs, std::uint64_t round);

  std::vector<GuardrailAlarm> alarms() const;
  /// Actions with an alarm of a guardrail that pauses, in order of id: not the control action, and
  /// if all have one, not the last that got it.
  std::vector<ActionId> paused() const;

  void write(StateWriter& writer) const;
  void read(StateReader& reader);

 private:
  struct Moments {
    double count = 0.0;
    double mean = 0.0;
    double spread = 0.0;  // sum of squares about the mean
    void add(double value);
  };
  struct Change {
    double value = 0.0;
    double reach = 0.0;
  };
  struct Raised {
    std::uint64_t guardrail = 0;
    std::uint64_t action = 0;
    std::uint64_t at = 0;
  };

  Moments& cell(std::size_t guardrail, ActionId action) {
    return cells_[guardrail * actions_ + action];
  }
  const Moments& cell(std::size_t guardrail, ActionId action) const {
    return cells_[guardrail * actions_ + action];
  }
  /// None as long as an action that goes into it has fewer than Evidence::kLeastCompared rounds.
  std::optional<Change> change(std::size_t guardrail, ActionId action) const;
  /// Whether enough is known of the variance.
  bool can_tell(std::size_t guardrail) const;
  void look(std::size_t guardrail, ActionId action, std::uint64_t round);
  bool is_raised(std::size_t guardrail, ActionId action) const;

  std::size_t actions_;
  std::vector<Guardrail> guardrails_;
  std::optional<ActionId> control_;  // none if the baseline is the reference
  double log_;
  std::vector<double> reference_;  // per guardrail; empty if the control action is
  std::vector<Moments> cells_;
  std::vector<CountUnit> counts_;  // per guardrail
  std::vector<double> paid_;       // per guardrail: sums that are not 0
  std::vector<Raised> raised_;
};

}  // namespace updraft

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "updraft/evidence.h"

namespace updraft {

/// Sums of guarded variables under every action, compared with their baseline, or with the control
/// action's. An alarm is raised once the mixture bound of the change (inference/mixture_bound.h)
/// lies below -tolerance, with error / (guardrails * actions). The variance is the larger of the
/// action's own and that pooled over the actions. What was once raised stays so.
/// Memory: O(K guardrails).
class GuardrailWatch {
 public:
  /// `baseline` per variable; null if the control action is the reference.
  GuardrailWatch(std::size_t actions, const EvidenceOptions& options,
                 const std::vector<double>* baseline);

  /// Cost: O(payoffs), then O(guardrails) to look.
  void add(ActionId action, const Payoffs& payoffs, std::uint64_t round);

  std::vector<GuardrailAlarm> alarms() const;

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
  void look(std::size_t guardrail, ActionId action, std::uint64_t round);
  bool is_raised(std::size_t guardrail, ActionId action) const;

  std::size_t actions_;
  std::vector<Guardrail> guardrails_;
  std::optional<ActionId> control_;
  double log_;
  std::vector<double> reference_;  // per guardrail; empty if the control action is
  std::vector<Moments> cells_;
  std::vector<Raised> raised_;
};

}  // namespace updraft

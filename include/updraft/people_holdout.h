#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "updraft/decision.h"
#include "updraft/evidence.h"
#include "updraft/holdout.h"
#include "updraft/policy.h"
#include "updraft/stream.h"

namespace updraft {

/// A decision of a targeting policy that leaves some of the people whom it chose untreated.
struct PeopleDecision {
  /// What is done. Its probability is 0: which choices could have led to it is not known.
  Decision decision;
  std::vector<Treatment> chosen = {};  ///< what the policy would have done
};

/// A holdout of people, for targeting policies: each person whom the policy chooses is left
/// untreated with the probability `share`, and nobody takes their place. The gain compares those
/// treated with those left untreated among the chosen: no model is assumed but that the payoff of a
/// person does not depend on who else is treated. docs/stopping.md has the formulas.
class PeopleHoldout {
 public:
  /// share in (0, 0.9], error in (0, 0.5]. Throws InvalidInput.
  explicit PeopleHoldout(double share, double error = 0.05);
  ~PeopleHoldout();
  PeopleHoldout(PeopleHoldout&& other) noexcept;
  PeopleHoldout& operator=(PeopleHoldout&& other) noexcept;

  double share() const;

  /// The policy chooses, one draw of stream.with(kHoldoutPurpose) for each person says who is
  /// left out, and the policy counts what is done. Throws InvalidInput as Policy::decide(), and if
  /// the policy is not a targeting one.
  PeopleDecision decide(Policy& policy, const Round& pool, const Stream& stream) const;
  /// What decide() would give. Decides nothing.
  PeopleDecision preview(Policy& policy, const Round& pool, const Stream& stream) const;

  /// The payoffs of all people of the pool. `modelled`, if any, is the sum of the policy's uplift
  /// estimates over the people chosen, as it was when it decided. Throws InvalidInput if the sizes
  /// differ, or `given` treats people who were not chosen.
  void observed(std::span<const Treatment> chosen, std::span<const Treatment> given,
                std::span<const double> payoffs, std::optional<double> modelled = {});

  Gain gain() const;

  void write(StateWriter& writer) const;
  void read(StateReader& reader);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace updraft

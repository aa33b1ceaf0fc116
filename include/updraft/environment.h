#pragma once

#include <cstdint>

#include "updraft/decision.h"
#include "updraft/payoffs.h"
#include "updraft/round.h"

namespace updraft {

/// What is summed over the rounds of a run. An environment leaves at 0 what it does not measure.
struct Measures {
  double regret = 0.0;    ///< expected payoff that the best choice would have added
  double best = 0.0;      ///< actions: rounds in which no other action was better
  double realised = 0.0;  ///< targeting: the regret by the payoffs that were drawn
  double uplift = 0.0;    ///< targeting: true uplift of the individuals treated
  double treated = 0.0;   ///< targeting: individuals treated
};

/// One run of a simulation: what policies see, what their decisions pay, and what these cost.
///
/// A round is begun; then a policy decides; then the decision is paid and measured. Rounds may be
/// begun in any order and repeatedly. Everything is a function of the run, the round and the
/// decision, so all policies of a run meet the same rounds. Use it from one thread at a time.
class Environment {
 public:
  virtual ~Environment() = default;

  /// Begins a round and returns what policies see of it. Valid until the next call.
  virtual Round begin(std::uint32_t round) = 0;

  /// The payoffs of a decision in this round: at `resolution`, or finer. Valid until the next call
  /// of pay() or begin().
  virtual Payoffs pay(const Decision& decision, const Resolution& resolution) = 0;

  /// Adds what is measured of a decision in this round.
  virtual void measure(const Decision& decision, Measures& sums) = 0;

  /// Rounds b k to b (k + 1) - 1 form a block, with b = this number. If policies take turns in a
  /// block, they share what is drawn for it.
  virtual std::uint32_t block_rounds(const Resolution&) const { return 1; }

  /// Rows that no round has. Policies are asked for their estimates of these after the last round.
  virtual Round held_out() { return {}; }

 protected:
  Environment() = default;
  Environment(const Environment&) = default;
  Environment& operator=(const Environment&) = default;
};

}  // namespace updraft

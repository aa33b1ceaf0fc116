#pragma once

namespace updraft {

/// What others may need to know of a policy, so that nobody has to go by its name.
struct PolicyTraits {
  bool on_total = false;          ///< looks at the total reward alone
  bool learns_noise = false;      ///< has no scale to tune; learns the noise of atoms
  bool draws = false;             ///< select() draws: decisions may have probabilities below 1
  bool has_posterior = false;     ///< intervals of explain() are those of a posterior
  bool learns_nothing = false;    ///< payoffs do not change its decisions
  bool ignores_baseline = false;  ///< compares payoffs, not uplifts
  bool measures_others = false;   ///< simulations show the regret of others as a share of its own
};

}  // namespace updraft

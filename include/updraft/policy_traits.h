#pragma once

namespace updraft {

/// What others may need to know of a policy, so that nobody has to go by its name.
struct PolicyTraits {
  bool on_total = false;       ///< looks at the total reward alone
  bool learns_noise = false;   ///< has no scale to tune; learns the noise of atoms
  bool draws = false;          ///< select() draws: decisions may have probabilities below 1
  bool has_posterior = false;  ///< intervals of explain() are those of a posterior
};

}  // namespace updraft

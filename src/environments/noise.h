#pragma once

#include <memory>
#include <span>
#include <vector>

#include "environments/payoff_law.h"

namespace updraft {

/// Zero-mean normal noise at three resolutions that agree with one another: it is drawn from
/// coarse to fine, each level given the one above.
class NoiseSource {
 public:
  virtual ~NoiseSource() = default;

  virtual double total(const RoundKey& key, ActionId action) const = 0;
  /// Sums over the instance's atoms.
  virtual void atoms(const RoundKey& key, ActionId action, std::span<double> out) const = 0;
  /// `sums` is scratch of the number of atoms.
  virtual void variables(const RoundKey& key, ActionId action, std::span<double> sums,
                         std::span<double> out) const = 0;
  /// Standard deviation of a variable's noise without any action.
  virtual double baseline_sd(VariableId variable) const = 0;
};

/// Independent or equally correlated noise: sqrt(v c) shared + sqrt(v (1 - c)) own, with variance
/// v and correlation c. Cost: O(1), O(atoms), O(m).
std::unique_ptr<NoiseSource> make_equicorrelated_noise(const Instance& instance);

/// Any covariance. Given the sums s over atoms, noise w ~ N(0, C) becomes
/// w + C A' (A C A')^+ (s - A w), which has the law of w given A w = s. [hoffman91]
/// Cost: O(1), O(atoms^2), O(m^2); O(m^3) once.
std::unique_ptr<NoiseSource> make_matrix_noise(const Instance& instance);

/// One noise shared by the variables that the action affects, none elsewhere. Cost: O(1), O(atoms),
/// O(m).
std::unique_ptr<NoiseSource> make_shared_noise(const Instance& instance);

}  // namespace updraft

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

  /// How many numbers a round has at a resolution. At least 1.
  virtual std::size_t numbers(Resolution::Kind kind) const = 0;

  /// Fills the columns of the block, whole_pairs(numbers(kind)) of them; a number is a function of
  /// its round alone.
  virtual void draw(const RoundBlock& block, Resolution::Kind kind, std::span<double> columns,
                    DrawBuffers& buffers) const = 0;

  /// Adds the noise of a round in which `action` is taken: by default the round's numbers,
  /// whatever the action.
  virtual double total(NoiseBlock::Round round, ActionId action) const;
  virtual void add_atoms(NoiseBlock::Round round, ActionId action, std::span<double> to) const;
  virtual void add_variables(NoiseBlock::Round round, ActionId action, std::span<double> to) const;

  /// Standard deviation of a variable's noise without any action.
  virtual double baseline_sd(VariableId variable) const = 0;
};

/// Independent or equally correlated noise: variance v, correlation c between any two variables.
/// Cost of a round: 1, atoms or m normals.
std::unique_ptr<NoiseSource> make_equicorrelated_noise(const Instance& instance);

/// Any covariance. Given the sums s over atoms, noise w ~ N(0, C) becomes
/// w + C A' (A C A')^+ (s - A w), which has the law of w given A w = s. [hoffman91]
/// Cost of a round: O(1), O(atoms^2), O(m^2); O(m^3) once.
std::unique_ptr<NoiseSource> make_matrix_noise(const Instance& instance);

/// One noise shared by the variables that the action affects, none elsewhere.
/// Cost of a round: one normal.
std::unique_ptr<NoiseSource> make_shared_noise(const Instance& instance);

}  // namespace updraft

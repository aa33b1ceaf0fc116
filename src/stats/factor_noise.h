#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>

#include "stats/count_unit.h"
#include "stats/unit_moments.h"

namespace updraft {

class StateReader;
class StateWriter;

/// The covariance of the unit sums as a few factors and noise of each unit's own:
///   S = F F' + diag(psi),   diag(S) = variance
/// with at most UnitMoments::kKept factors, so that everything costs O(G) per factor.
struct FactorNoise {
  std::uint64_t rounds = 0;   ///< that it was fitted to; 0: not yet
  std::uint64_t degrees = 1;  ///< of freedom
  Eigen::VectorXd variance;   ///< per unit, > 0
  Eigen::MatrixXd loadings;   ///< F: a row per unit

  // What follows from these, by derive().
  /// Per unit, what effects are measured in: the variance, or a sixteenth of the mean of all
  /// variances if that is more. A unit that hardly ever pays anything may be moved by many times
  /// its own sd.
  Eigen::VectorXd effect_variance;
  Eigen::VectorXd own;          ///< psi
  Eigen::MatrixXd controls;     ///< Q' with S^-1 = diag(1 / psi) - Q Q': a column per unit
  Eigen::VectorXd precision;    ///< diag(S^-1)
  Eigen::VectorXd spread;       ///< w = S 1 / 1'S 1: how a shock of the total falls on the units
  Eigen::VectorXd controlled;   ///< Q' w
  double total_variance = 0.0;  ///< 1'S 1

  explicit FactorNoise(std::size_t units);

  /// f >= 1: what estimating the factors costs, as a factor of all variances.
  double inflation() const;

  void derive();

  void write(StateWriter& writer) const;
  /// Derives too.
  void read(StateReader& reader);
};

/// The loadings of the main directions of correlations, as far as these exceed what chance makes of
/// noise without any. [donoho18] `columns` have the products whose sum is the scatter, with a row
/// per unit; `squares` is its diagonal, 0 for units that have no correlations. At most `most`
/// directions, the strongest first; row g of the result is multiplied by scale[g].
/// Cost: O(G c^2) with c columns.
Eigen::MatrixXd main_factors(Eigen::MatrixXd columns, const Eigen::VectorXd& squares,
                             std::uint64_t degrees, std::size_t most, const Eigen::VectorXd& scale);

/// The least share of a unit's variance that is its own.
inline constexpr double kLeastOwn = 0.02;

/// What to fit, besides the moments.
struct FactorSettings {
  std::span<const std::uint64_t> pulls;
  const CountUnit* counts = nullptr;
  /// Residuals of the actions' means, a column sqrt(n(a)) (mean(a) - estimate(a)) per action, and
  /// how many degrees of freedom they have; without columns if they are not to be used.
  Eigen::MatrixXd residuals;
  std::uint64_t residual_degrees = 0;
};

/// Variances are those within actions, moved towards each other. If payoffs are counts, they are
/// moved towards a common multiple of the mean; else their logarithms towards a common value, the
/// further the less they differ beyond chance. [smyth04]
/// The factors are the main directions of the correlations, as far as they exceed what chance makes
/// of noise without any. [donoho18] docs/policies/up_ts_sparse.md has the formulas.
/// Every action must have been pulled. Cost: O(G c^2) with at most 32 + K columns c.
FactorNoise fit_factor_noise(const UnitMoments& moments, const FactorSettings& settings);

}  // namespace updraft

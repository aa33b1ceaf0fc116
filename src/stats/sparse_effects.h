#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "stats/factor_noise.h"
#include "updraft/stream.h"

namespace updraft {

/// The unknowns of the sparse model, as one posterior draw:
///   mean(a,g) = baseline(g) + effect(a,g) + dense(a) w(g) + noise
/// effect(a,g) is 0 with probability 1 - share, else normal with mean tendency * sd(g) and variance
/// scale * sd(g)^2, sd(g)^2 = FactorNoise::effect_variance;
/// dense(a) is 0, or normal with mean 0 and variance dense_variance; w is FactorNoise::spread. The
/// uplift of an action is the sum of its effects plus dense(a).
struct SparseEffects {
  Eigen::VectorXd baseline;  ///< per unit
  Eigen::MatrixXd effects;   ///< a column per unit, a row per action; exactly 0: left alone
  Eigen::VectorXd dense;     ///< per action; exactly 0: it has none
  double share = 0.1;        ///< pi
  double scale = 1.0;        ///< tau^2, a power of two
  double tendency = 0.0;     ///< mu
  double dense_variance = 0.0;

  SparseEffects(std::size_t actions, std::size_t units);

  /// Per action.
  Eigen::VectorXd uplifts() const { return effects.rowwise().sum() + dense; }

  void write(StateWriter& writer) const;
  void read(StateReader& reader);
};

/// The random numbers of sweeps: those of one round of a stream, `width` for each sweep.
class SweepDraws {
 public:
  SweepDraws(std::size_t actions, std::size_t units);

  /// From now on those of sweep `sweep` of `round`.
  void use(const Stream& stream, std::uint64_t round, std::uint64_t sweep);

  double uniform(std::size_t cell) const { return uniforms_[cell]; }
  double dense_uniform(std::size_t action) const { return uniforms_[cells_ + action]; }
  double baseline_normal(std::size_t unit) const { return normals_[unit]; }
  double effect_normal(std::size_t cell) const { return stream_.normal(round_, effects_ + cell); }
  double dense_variance_uniform() const { return uniforms_[uniforms_.size() - 2]; }
  double scale_uniform() const { return uniforms_.back(); }
  double dense_normal(std::size_t j) const { return normals_[units_ + j]; }
  double tendency_normal() const { return normals_.back(); }
  /// j < 4; 0 and 1 are those of a sweep.
  double chi_squared(std::uint64_t j, std::uint64_t degrees) const;

 private:
  std::size_t units_;
  std::size_t cells_;
  Stream stream_{0, 0, Purpose::kPolicy};
  std::uint32_t round_ = 0;
  std::uint64_t first_chi_squared_ = 0;
  std::uint64_t effects_ = 0;
  std::vector<double> uniforms_;  // one per cell, one per action, two for variances
  std::vector<double> normals_;   // one per unit, actions + 1 for the dense part, one for mu
};

/// What a sweep conditions on.
struct SparseData {
  const Eigen::MatrixXd* means = nullptr;  ///< a column per unit, a row per action
  const FactorNoise* noise = nullptr;
  Eigen::VectorXd pulls;  ///< per action, > 0; need not be whole
  bool baseline_known = false;
};

/// Gibbs sampling of SparseEffects. One sweep draws for each unit the indicators of its effects one
/// after the other with effects and the unit's baseline integrated out, then that baseline, then
/// the effects; then the dense part, last share, scale and tendency. [george93] The dense part
/// comes after the effects: a chain that starts without effects must not take them for a dense
/// part, which effects on all other units would then have to make up for. The covariance has few
/// factors, so the product S^-1 residual is kept up to date at a cost of O(factors) per change.
/// Cost of a sweep: K G (factors + some 10). docs/policies/up_ts_sparse.md has the formulas.
class SparseSampler {
 public:
  /// The share of actions with a dense part has the prior Beta(x, kDenseOff), x = kDenseOn up to
  /// kDenseRounds rounds and kDenseOn kDenseRounds / rounds from then on.
  static constexpr double kDenseOn = 0.5, kDenseOff = 10.0;
  static constexpr double kDenseRounds = 100.0;

  SparseSampler(std::size_t actions, std::size_t units);

  /// Prepares for sweeps from `state`. Cost: K G (factors + 1).
  void start(const SparseData& data, const SparseEffects& state);

  /// `variance_factor`: kappa^2 f, by which all variances are multiplied.
  void sweep(const SparseData& data, double variance_factor, const SweepDraws& draws,
             SparseEffects& state);

 private:
  /// The law of an effect that is not 0.
  struct Slab {
    double mean = 0.0;
    double variance = 0.0;
  };

  void draw_dense(const SparseData& data, double factor, const SweepDraws& draws,
                  SparseEffects& state);
  double draw_dense_variance(const SparseData& data, const SweepDraws& draws);
  void draw_unit(const SparseData& data, double factor, const SweepDraws& draws, Eigen::Index unit,
                 SparseEffects& state);
  void note_included(const Eigen::Ref<const Eigen::VectorXd>& effect);
  template <typename Odds, typename Uniform>
  void draw_indicators(bool baseline_known, const Slab& slab, Odds prior_odds, Uniform uniform);
  template <typename Normal>
  void draw_effects(const Slab& slab, double shift, Normal normal,
                    Eigen::Ref<Eigen::VectorXd> effect);
  void draw_prior(const SparseData& data, const SweepDraws& draws, SparseEffects& state) const;

  Eigen::MatrixXd residuals_;   // a column per unit
  Eigen::MatrixXd controlled_;  // Q' residual: a row per action, a column per factor
  // Scratch, per action.
  Eigen::ArrayXd seen_;      // y: effect plus correction of the baseline
  Eigen::ArrayXd variance_;  // of seen_ given the effect
  Eigen::ArrayXd weight_;    // 1 / variance of seen_ given the indicator
  Eigen::ArrayXd change_;
  std::vector<char> included_;
  double on_ = 0.0;        // actions that are included
  double weights_ = 0.0;   // sum of weight_
  double weighted_ = 0.0;  // sum of weight_ (seen_ - mean of the effect)
};

}  // namespace updraft

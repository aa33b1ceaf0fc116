#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "stats/conditional_noise.h"

namespace updraft {

/// What the rounds say about an unknown baseline under a noise model, with a flat prior. A round of
/// action a tells of the atoms C(a) that a leaves alone, with precision R(a) = S_CC^-1:
///   P = sum_a n(a) R(a),  baseline ~ N(bhat, f P^-1),  bhat = P^-1 sum_a n(a) R(a) mean(a)
/// P gets a ridge of 1e-9 of its mean diagonal. All in units of the atoms' sds and relative to the
/// model's centre, so that neither scales nor offsets of the payoffs matter.
///
/// Atoms that every action affects have no baseline to learn: it counts as 0, without uncertainty.
/// What they add is the same for all actions as far as it is unknown, and so changes no choice.
///
/// Memory: G^2; the R(a) besides, K G^2, as long as that is at most 4 million numbers.
class BaselinePosterior {
 public:
  explicit BaselinePosterior(const AffectedSets& sets);

  /// From now on under this noise, which must outlive this or the next use().
  void use(const NoiseModel& model, const ConditionalNoise& noise);

  /// Starts anew from all rounds so far.
  void start(const AtomMoments& moments, std::span<const std::uint64_t> pulls);

  /// One more round. Cost: G^2; where R(a) is not kept, that of ConditionalNoise::precision too.
  void add(ActionId action, std::span<const double> sums);

  /// (bhat - centre) / scale, per atom. Brings the factorisation of P up to date: G^3 / 6.
  const Eigen::VectorXd& shift();

  /// Turns standard normals z, one per atom, into (baseline - bhat) / scale of one posterior draw,
  /// before inflation: L^-T z with P = L L'. Entries of atoms that do not vary become 0.
  void spread(Eigen::VectorXd& z);

  /// L^-1 S^1/2 weights: the inner products of its columns are the covariances, before inflation,
  /// of weights' baseline.
  Eigen::MatrixXd whitened(const Eigen::MatrixXd& weights);

  void write(StateWriter& writer) const;
  /// Continues what was written under the same noise; use() comes next.
  void read(StateReader& reader);

 private:
  const Eigen::MatrixXd& precision(ActionId action);
  void refresh();

  const AffectedSets* sets_;
  const NoiseModel* model_ = nullptr;
  const ConditionalNoise* noise_ = nullptr;
  Eigen::VectorXd seen_;      // 1 for atoms that some action leaves alone, else 0
  Eigen::MatrixXd total_;     // P
  Eigen::VectorXd weighted_;  // sum_a n(a) R(a) (mean(a) - centre) / scale
  Eigen::VectorXd shift_;
  Eigen::MatrixXd factor_;             // L in its lower triangle
  bool stale_ = true;                  // factor_ and shift_
  std::vector<Eigen::MatrixXd> kept_;  // R(a) of all actions or of the last; empty: not computed
  std::optional<ActionId> last_;       // whose R(a) is kept, where only one is
  Eigen::VectorXd deviation_;          // scratch
};

}  // namespace updraft

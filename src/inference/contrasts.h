#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "stats/atom_moments.h"
#include "stats/conditional_noise.h"
#include "stats/count_unit.h"
#include "stats/noise_model.h"
#include "updraft/affected_sets.h"
#include "updraft/ids.h"

namespace updraft {

class StateReader;
class StateWriter;

/// How two actions are compared with little noise. Atoms that one of them affects count with weight
/// 1; the others, whose mean is the same under both, are control variates with the weights that
/// leave the least variance: the difference of the rewards is, whatever the weights are,
///   w'(mean(a) - mean(b)),   w = 1 on V(a) and V(b), -beta elsewhere, beta = S_CC^-1 S_CU 1
/// S is the noise model of the policies that learn the noise, fitted anew whenever there are 2 %
/// more rounds. A rare large payoff moves a mean at once, and must widen the bound soon: after one
/// that the model did not expect, it is fitted once there are 0.5 % more rounds. Who declares
/// something calls refresh() before. Only rounds of the two actions go into the means.
class Contrasts {
 public:
  /// With more than AtomMoments::kMostInFull atoms give sets that form one atom.
  explicit Contrasts(std::shared_ptr<const AffectedSets> sets);
  Contrasts(const Contrasts&) = delete;
  Contrasts& operator=(const Contrasts&) = delete;

  /// The atom sums of a round. Cost: O(G^2), and at a fit O(G^3).
  void add(ActionId action, std::span<const double> sums);
  /// Fits the noise model to all rounds so far, if it was fitted before.
  void refresh();

  /// Atoms that one of the two affects. They increase.
  std::vector<GroupId> affected_by(ActionId a, ActionId b) const;

  std::size_t actions() const { return pulls_.size(); }
  std::uint64_t rounds() const { return rounds_; }
  std::span<const std::uint64_t> pulls() const { return pulls_; }
  const AffectedSets& sets() const { return *sets_; }
  const AtomMoments& moments() const { return moments_; }
  /// Whether every action has payoffs.
  bool fitted() const { return noise_.has_value(); }

  /// Symmetric in the actions.
  struct Contrast {
    Eigen::VectorXd weights;  ///< per atom
    double variances[2];      ///< of w'x: both are the larger of those under the two actions
    double degrees[2];        ///< of freedom behind these
  };
  /// Two different actions, once fitted. Valid until the next add(). Cost: O(|U| G^2) for the first
  /// call after a fit, then O(1).
  const Contrast& of(ActionId a, ActionId b) const;

  /// Weights of two different actions at any time: before the first fit those of U alone.
  Eigen::VectorXd weights(ActionId a, ActionId b) const;

  /// The estimated reward of a minus that of b. Both must have payoffs, and the model be fitted.
  double difference(ActionId a, ActionId b) const;

  /// Degrees of freedom of the noise model.
  double degrees() const { return static_cast<double>(model_.degrees); }

  void write(StateWriter& writer) const;
  void read(StateReader& reader);

 private:
  void fit();
  bool is_outlier(ActionId action, std::span<const double> sums) const;
  Eigen::VectorXd sd_under(ActionId action) const;

  std::shared_ptr<const AffectedSets> sets_;
  std::uint64_t rounds_ = 0;
  std::vector<std::uint64_t> pulls_;
  AtomMoments moments_;
  CountUnit counts_;
  NoiseModel model_;
  bool surprised_ = false;  // since the last fit
  std::optional<ConditionalNoise> noise_;
  mutable std::unordered_map<std::uint64_t, Contrast> known_;  // since the last fit
};

}  // namespace updraft

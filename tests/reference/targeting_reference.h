#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "reference/plain_regression.h"
#include "support/rounds.h"
#include "updraft/policy_spec.h"
#include "updraft/stream.h"

namespace updraft::testing {

/// Of one individual under one treatment.
struct TreatmentEstimate {
  Real index = 0.0L;
  Real uplift = 0.0L;     ///< without optimism; c2_ucb: the payoff
  Real width = 0.0L;      ///< widths of the ellipsoids behind the uplift, added up
  Real magnitude = 0.0L;  ///< the sizes of the terms of the index: rounding scales with it
  Real payoff = 0.0L;     ///< with the treatment
  Real payoff_width = 0.0L;
  bool payoff_determined = false;  ///< by the rows there are; else it is not shown
  bool uplift_determined = false;
};

/// A targeting policy written straight from its source, to judge the fast ones. [hsieh22, appendix
/// on C2UpUCB]
///
/// It keeps every row, fits every model afresh in long doubles when asked, is slow, and trusts its
/// arguments.
class TargetingReference {
 public:
  TargetingReference(const PolicySpec& spec, const TargetingShape& shape);

  /// [individual][treatment - 1] now; empty lists for `random`.
  std::vector<std::vector<TreatmentEstimate>> estimates(const Round& pool) const;

  /// What individuals get who have these indices, [individual][treatment - 1].
  std::vector<Treatment> choose(const Matrix& indices, const Stream& stream) const;

  /// Those chosen by index alone: the `count` largest.
  std::vector<Treatment> chosen(const Matrix& indices, std::size_t count) const;

  /// Counts a decision.
  void offer() { ++decisions_; }

  void observe(const Round& pool, std::span<const Treatment> treatments,
               std::span<const double> payoffs);

  /// How many widths an interval has to each side: beta, or 1 where the policy has none.
  Real interval_widths(const Round& pool) const;

  /// How far an index may be off because the logistic fit of the policy under test ends at a
  /// gradient of 1e-6: |theta - optimum| <= 1e-6 / lambda, and the sigmoid has slopes up to 1/4.
  Real fit_error(const Round& pool) const;

 private:
  struct Model {
    Vector theta;
    Matrix inverse_v;
  };

  bool learns() const;
  bool learns_baseline() const;
  Real beta(std::size_t pool_size) const;
  Vector features(const Round& pool, std::size_t individual) const;
  Model fitted(std::size_t treatment) const;
  Real response(const Model& model, const Vector& x) const;
  void treat_at_random(std::vector<Treatment>& treated, std::size_t count, const Stream& stream,
                       std::size_t first) const;

  PolicySpec spec_;
  TargetingShape shape_;
  Real lambda_ = 1.0L;
  std::uint64_t decisions_ = 0;
  std::size_t observations_ = 0;
  std::vector<Rows> rows_;  // [treatment]
};

}  // namespace updraft::testing

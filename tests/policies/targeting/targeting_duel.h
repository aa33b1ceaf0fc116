#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "reference/play_duel.h"
#include "reference/random_targeting.h"
#include "reference/targeting_reference.h"
#include "support/rounds.h"

namespace updraft::testing {

/// How close indices must be to count as equal up to rounding, relative to what the indices of the
/// pool are made of. Logistic models with fit=exact: and TargetingReference::fit_error.
inline constexpr Real kTargetingTolerance = 1e-9L;

/// How many decisions were the reference's own, individual by individual, and how many differ only
/// among indices that are equal up to rounding.
struct TargetingTally {
  std::uint64_t decisions = 0;
  std::uint64_t individuals = 0;
  std::uint64_t treated = 0;                ///< of these individuals
  std::uint64_t near_ties = 0;              ///< decisions, where no two individuals are alike
  std::uint64_t near_ties_among_alike = 0;  ///< decisions, where some may be
};

/// A random pool per round, the fast policy and its reference, which always see the same.
class TargetingDuel {
 public:
  using Choice = std::vector<Treatment>;

  TargetingDuel(std::string_view policy, std::string_view model, std::uint32_t number)
      : targeting_(random_targeting(policy, model, number)),
        stream_(number, number, Purpose::kPolicy),
        fast_(make_targeting(targeting_.spec, targeting_.shape)),
        reference_(targeting_.spec, targeting_.shape) {}

  std::string title() const {
    const TargetingShape& shape = targeting_.shape;
    return "case " + std::to_string(targeting_.streams.number) + ": " + targeting_.spec.text() +
           ", d = " + std::to_string(shape.features) + ", Z = " + std::to_string(shape.treatments) +
           ", L = " + std::to_string(shape.budget);
  }
  const RandomTargeting& targeting() const { return targeting_; }
  MadeRound round(std::uint32_t number) const { return targeting_.pool(number); }
  std::uint32_t delay(std::uint32_t round, std::uint32_t longest) const {
    return targeting_.streams.delay(round, longest);
  }
  std::vector<double> payoffs(std::uint32_t round, const MadeRound& pool,
                              std::span<const Treatment> treated) const {
    return targeting_.payoffs(round, pool, treated);
  }
  const Policy& fast() const { return *fast_; }
  const TargetingReference& reference() const { return reference_; }

  /// The fast policy decides, is judged, and both count the decision. It passes where it is the
  /// reference's, or what the reference decides once each index has moved by at most tolerance():
  /// up where the fast policy gives that treatment, down elsewhere. So individuals who differ are
  /// near-ties, and the sums of indices too.
  ::testing::AssertionResult select(const MadeRound& pool, TargetingTally& tally,
                                    std::vector<Treatment>& treated) {
    const auto estimates = reference_.estimates(pool.view());
    Matrix indices(estimates.size());
    for (std::size_t i = 0; i < estimates.size(); ++i) {
      for (const TreatmentEstimate& estimate : estimates[i]) indices[i].push_back(estimate.index);
    }
    treated = select_treatments(*fast_, pool.view(), stream_);
    const std::vector<Treatment> expected = reference_.choose(indices, stream_);
    ++tally.decisions;
    tally.individuals += expected.size();
    for (const Treatment z : expected) tally.treated += z != 0;
    if (treated.size() != expected.size()) {
      return ::testing::AssertionFailure() << treated.size() << " treatments";
    }
    ::testing::AssertionResult result = ::testing::AssertionSuccess();
    if (treated != expected) {
      Matrix moved = indices;
      const Real step = tolerance(pool);
      for (std::size_t i = 0; i < moved.size(); ++i) {
        for (std::size_t z = 1; z <= moved[i].size(); ++z) {
          moved[i][z - 1] += treated[i] == z ? step : -step;
        }
      }
      if (treated != reference_.choose(moved, stream_)) {
        result = ::testing::AssertionFailure() << differences(treated, expected, indices);
      }
      ++(targeting_.ties ? tally.near_ties_among_alike : tally.near_ties);
    }
    reference_.offer();
    return result;
  }

  void observe(const MadeRound& pool, std::span<const Treatment> treated,
               std::span<const double> payoffs) {
    teach(*fast_, pool.view(), treated, payoffs);
    reference_.observe(pool.view(), treated, payoffs);
  }

  /// How far an index may be off by rounding and by a fit that is not quite exact.
  Real tolerance(const MadeRound& pool) const {
    Real magnitude = 0.0L;
    for (const auto& individual : reference_.estimates(pool.view())) {
      for (const TreatmentEstimate& estimate : individual) {
        magnitude = std::max(magnitude, estimate.magnitude);
      }
    }
    return kTargetingTolerance * magnitude + reference_.fit_error(pool.view());
  }

 private:
  static std::string differences(const std::vector<Treatment>& treated,
                                 const std::vector<Treatment>& expected, const Matrix& indices) {
    std::string text;
    for (std::size_t i = 0; i < treated.size(); ++i) {
      if (treated[i] == expected[i]) continue;
      text += "\nindividual " + std::to_string(i) + " has " + std::to_string(treated[i]) +
              " instead of " + std::to_string(expected[i]) + ", indices";
      for (const Real index : indices[i]) text += " " + std::to_string(index);
    }
    return text;
  }

  RandomTargeting targeting_;
  Stream stream_;
  std::unique_ptr<Policy> fast_;
  TargetingReference reference_;
};

}  // namespace updraft::testing

#include "stats/count_bounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "stats/confidence.h"
#include "support/draws.h"
#include "support/vector_targets.h"

namespace updraft {
namespace {

using testing::Draws;

/// Counts of an action after some pulls.
struct Counted {
  std::vector<std::uint16_t> counts;
  std::uint64_t pulls = 0;

  double largest() const { return *std::max_element(counts.begin(), counts.end()); }
};

CountPaddingInputs inputs(const Counted& action, const Counted& baseline, double alpha,
                          std::size_t budget) {
  return {.counts = action.counts,
          .baseline_counts = baseline.counts,
          .largest = action.largest(),
          .baseline_largest = baseline.largest(),
          .pulls = action.pulls,
          .baseline_pulls = baseline.pulls,
          .radius = confidence_radius(alpha, action.pulls),
          .baseline_radius = confidence_radius(alpha, baseline.pulls),
          .budget = budget};
}

/// [hsieh22, Alg. 4] for one action, by intervals and sorting.
double plain_index(const CountPaddingInputs& in) {
  double index = 0.0;
  std::size_t identified = 0;
  std::vector<double> others;
  for (std::size_t i = 0; i < in.counts.size(); ++i) {
    const double mean = in.counts[i] / static_cast<double>(in.pulls);
    const double baseline = in.baseline_counts[i] / static_cast<double>(in.baseline_pulls);
    const double individual = mean + in.radius - (baseline + in.baseline_radius);
    if (mean + in.radius < baseline - in.baseline_radius ||
        baseline + in.baseline_radius < mean - in.radius) {
      index += individual;
      ++identified;
    } else if (individual > 0.0) {
      others.push_back(individual);
    }
  }
  std::sort(others.begin(), others.end(), std::greater<>());
  const std::size_t padding = in.budget > identified ? in.budget - identified : 0;
  for (std::size_t j = 0; j < std::min(padding, others.size()); ++j) index += others[j];
  return index;
}

/// What an index is made of, up to sign.
double magnitude(const CountPaddingInputs& in) {
  double sum = static_cast<double>(in.counts.size()) * (in.radius + in.baseline_radius);
  for (const std::uint16_t c : in.counts) sum += c / static_cast<double>(in.pulls);
  for (const std::uint16_t c : in.baseline_counts)
    sum += c / static_cast<double>(in.baseline_pulls);
  return sum;
}

Counted pulled(const std::vector<double>& rates, std::size_t pulls, Draws& d) {
  Counted result{std::vector<std::uint16_t>(rates.size(), 0), pulls};
  for (std::size_t i = 0; i < rates.size(); ++i) {
    for (std::size_t j = 0; j < pulls; ++j) {
      if (d.chance(rates[i])) ++result.counts[i];
    }
  }
  return result;
}

/// From 1e-7, as with criteo's parameters, to 1, and sometimes as good as none; never such that
/// ends of intervals coincide.
double random_alpha(Draws& d) {
  return std::exp(d.uniform(std::log(d.chance(0.2) ? 1e-13 : 1e-7), 0.0));
}

TEST(CountPadding, IndexIsThatOfTheIntervals) {
  PaddingScratch scratch;
  testing::for_each_vector_target([&](const std::string& target) {
    for (std::uint64_t seed = 0; seed < 1500; ++seed) {
      Draws d(seed);
      const std::size_t m = d.integer(1, 200);
      const std::size_t per_pull = seed % 4 == 0 ? 40 : 1;
      const auto draw = [&] {
        Counted row{std::vector<std::uint16_t>(m), d.integer(1, 60)};
        for (auto& count : row.counts) {
          count =
              static_cast<std::uint16_t>(d.chance(0.5) ? 0 : d.integer(0, per_pull * row.pulls));
        }
        return row;
      };
      const Counted action = draw(), baseline = draw();
      const CountPaddingInputs in =
          inputs(action, baseline, random_alpha(d), d.chance(0.2) ? 0 : d.integer(0, m + 5));
      ASSERT_TRUE(differences_fit(in));
      CountMargin margin;
      margin.rise = d.chance(0.3) ? 0.0 : d.uniform(0.0, 0.5);
      std::vector<std::uint64_t> far_bits((m + 63) / 64);
      const double index = padded_index(in, margin, far_bits.data(), scratch);
      ASSERT_EQ(padded_index(in, scratch), index) << "without bounds, " << target << ' ' << seed;
      const double tolerance = 1e-12 * magnitude(in);
      ASSERT_NEAR(index, plain_index(in), tolerance) << target << ' ' << seed;

      std::vector<double> sums(action.counts.begin(), action.counts.end());
      std::vector<double> lower(m), upper(m);
      for (std::size_t i = 0; i < m; ++i) {
        const double mean = baseline.counts[i] / static_cast<double>(baseline.pulls);
        lower[i] = mean - in.baseline_radius;
        upper[i] = mean + in.baseline_radius;
      }
      const PaddedIndex by_doubles = padded_index({.row = PayoffRow(std::span<const double>(sums)),
                                                   .pulls = static_cast<double>(action.pulls),
                                                   .radius = in.radius,
                                                   .baseline_lower = lower,
                                                   .baseline_upper = upper,
                                                   .budget = in.budget,
                                                   .positive_only = true},
                                                  scratch);
      ASSERT_NEAR(index, by_doubles.index, tolerance) << target << ' ' << seed;
    }
  });
}

/// How b pays over the rounds: as its rates say, or in stretches that move its means at most.
struct Future {
  std::vector<double> rates;
  std::size_t stretch = 0;

  double rate(std::size_t i, std::size_t round) const {
    if (stretch == 0) return rates[i];
    return (round / stretch + i % 2) % 2 == 0 ? 0.0 : 1.0;
  }
};

struct History {
  std::size_t bounds = 0;
  std::size_t finite = 0;
  std::size_t computed = 0;
};

/// Actions that are not pulled while b is; bounds are asked for in every round, and an index is
/// computed where the bound does not keep it below 0, or by chance. Every bound is checked.
void check_history(std::uint64_t seed, History& history) {
  Draws d(seed);
  constexpr std::size_t kActions = 4;
  const std::size_t m = d.integer(1, 150);
  const double alpha = random_alpha(d);
  const std::size_t budget = d.chance(0.3) ? 0 : d.integer(0, m);
  Future future{std::vector<double>(m), d.chance(0.5) ? 0 : d.integer(1, 6)};
  for (double& rate : future.rates) rate = d.chance(0.3) ? 0.01 : d.uniform(0.0, 1.0);
  Counted b = pulled(future.rates, d.integer(2, 80), d);
  std::vector<Counted> actions;
  for (std::size_t a = 0; a < kActions; ++a) {
    std::vector<double> rates = future.rates;
    for (double& rate : rates) {
      if (d.chance(0.5))
        rate = std::clamp(rate + d.uniform(-0.5, a % 2 == 0 ? 0.3 : 0.0), 0.0, 1.0);
    }
    actions.push_back(pulled(rates, d.integer(1, b.pulls), d));
  }
  CountBounds bounds(kActions, m);
  PaddingScratch scratch;
  for (std::size_t round = 0; round < 40; ++round) {
    for (ActionId a = 0; a < kActions; ++a) {
      const CountPaddingInputs in = inputs(actions[a], b, alpha, budget);
      const double index = plain_index(in);
      const double tiny = 1e-12 * magnitude(in);
      const double bound = bounds.upper_bound(a, in);
      ++history.bounds;
      history.finite += std::isfinite(bound);
      ASSERT_GE(bound, index - tiny)
          << "seed " << seed << ", action " << a << ", round " << round << ": m = " << m
          << ", alpha = " << alpha << ", pulls " << in.pulls << " and " << in.baseline_pulls
          << ", budget " << budget;
      if (bound >= 0.0 || d.chance(0.05)) {
        ++history.computed;
        ASSERT_NEAR(bounds.compute(a, in, scratch), index, tiny);
        ASSERT_GE(bounds.upper_bound(a, in), index - tiny) << "at once, seed " << seed;
      }
    }
    for (VariableId i = 0; i < m; ++i) {
      if (!d.chance(future.rate(i, round))) continue;
      ++b.counts[i];
      bounds.paid_one(i);
    }
    ++b.pulls;
    bounds.end_round();
  }
}

TEST(CountBounds, AreNeverBelowTheIndex) {
  History history;
  for (std::uint64_t seed = 0; seed < 1500 && !HasFailure(); ++seed) check_history(seed, history);
  EXPECT_GT(history.finite, history.bounds / 2);
  EXPECT_LT(history.computed, history.bounds);
}

TEST(CountBounds, KnowNothingUntilComputedAndOnceForgotten) {
  const Counted action{{1, 0, 2}, 2};
  const Counted b{{3, 1, 0}, 4};
  const CountPaddingInputs in = inputs(action, b, 0.01, 1);
  CountBounds bounds(2, 3);
  PaddingScratch scratch;
  EXPECT_EQ(bounds.upper_bound(0, in), std::numeric_limits<double>::infinity());
  bounds.compute(0, in, scratch);
  bounds.compute(1, in, scratch);
  EXPECT_LT(bounds.upper_bound(0, in), 100.0);
  bounds.forget(0);
  EXPECT_EQ(bounds.upper_bound(0, in), std::numeric_limits<double>::infinity());
  EXPECT_LT(bounds.upper_bound(1, in), 100.0);
  bounds.forget_all();
  EXPECT_EQ(bounds.upper_bound(1, in), std::numeric_limits<double>::infinity());
}

TEST(CountBounds, KeepClearlyWorseActionsOutWithCriteoLikeRates) {
  // Twenty clusters, each with its own rate; an action raises the rate of one of them. b is the
  // best and is pulled from now on.
  constexpr std::size_t kVariables = 5000;
  constexpr std::size_t kClusters = 20;
  constexpr double kAlpha = 2e-6;
  constexpr std::size_t kBudget = 2 * kVariables / kClusters;
  Draws d(1);
  std::vector<double> clusters;
  for (std::size_t c = 0; c < kClusters; ++c) {
    clusters.push_back(0.001 * std::pow(400.0, static_cast<double>(c) / (kClusters - 1)));
  }
  const auto rates_of = [&](std::size_t action) {
    std::vector<double> rates(kVariables);
    for (std::size_t i = 0; i < kVariables; ++i) {
      const std::size_t cluster = i * kClusters / kVariables;
      rates[i] = clusters[cluster] * (cluster == action ? 1.3 : 1.0);
    }
    return rates;
  };
  const std::size_t best = kClusters - 1;
  Counted b = pulled(rates_of(best), 200, d);
  std::vector<Counted> actions;
  for (std::size_t a = 0; a < best; ++a) actions.push_back(pulled(rates_of(a), 12, d));
  CountBounds bounds(actions.size(), kVariables);
  PaddingScratch scratch;
  std::size_t worse = 0, kept_out = 0, computed = 0;
  for (std::size_t round = 0; round < 150; ++round) {
    for (ActionId a = 0; a < actions.size(); ++a) {
      const CountPaddingInputs in = inputs(actions[a], b, kAlpha, kBudget);
      const double index = plain_index(in);
      const double bound = bounds.upper_bound(a, in);
      ASSERT_GE(bound, index - 1e-12 * magnitude(in)) << "action " << a << ", round " << round;
      if (index < -0.005 * kVariables) {
        ++worse;
        kept_out += bound < 0.0;
      }
      if (!(bound < 0.0)) {
        bounds.compute(a, in, scratch);
        ++computed;
      }
    }
    const std::vector<double> rates = rates_of(best);
    for (VariableId i = 0; i < kVariables; ++i) {
      if (!d.chance(rates[i])) continue;
      ++b.counts[i];
      bounds.paid_one(i);
    }
    ++b.pulls;
    bounds.end_round();
  }
  RecordProperty("worse", static_cast<int>(worse));
  RecordProperty("kept_out", static_cast<int>(kept_out));
  RecordProperty("computed", static_cast<int>(computed));
  EXPECT_GT(worse, 1000u) << "most actions must be clearly worse";
  EXPECT_GT(static_cast<double>(kept_out), 0.75 * static_cast<double>(worse));
}

}  // namespace
}  // namespace updraft

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "environments/adversarial_instances.h"
#include "environments/application_instances.h"
#include "environments/changing_instances.h"
#include "updraft/error.h"
#include "updraft/instance.h"
#include "updraft/stream.h"

namespace updraft {
namespace {

constexpr std::string_view kGaussianSummary =
    "10 actions move 10 of 100 variables each; strongly correlated normal noise, sd 80 in total";
constexpr std::string_view kGaussianWeakSummary =
    "the means of gaussian with independent normal noise, variance 80 in total";
constexpr std::string_view kCriteoSummary =
    "20 clusters of 100,000 Criteo customers, treat one a round; independent 0/1 visits";
constexpr std::string_view kHardAffectedSummary =
    "one noise shared by the affected variables: the lower bound with L(a)^2";
constexpr std::string_view kHardRewardSummary =
    "one noise shared by all variables: the lower bound with m^2 for the reward alone";

// The Gaussian uplifting bandit. [hsieh22, section 7]: K, m, L(a), means in [0, 1], smallest gap
// around 0.2, one covariance for all actions.
constexpr std::size_t kActions = 10;
constexpr std::size_t kVariables = 100;
constexpr std::size_t kAffected = 10;  // per action
constexpr double kLeastGap = 0.18;     // smallest gap: 0.2 +- 0.02
constexpr double kMostGap = 0.22;
constexpr double kLeastUplift = 0.1;   // |individual uplift|, at least
constexpr double kTotalSd = 80.0;      // gaussian
constexpr double kWeakVariance = 0.8;  // gaussian-weak, of each variable: 80 in total
constexpr std::uint64_t kSeed = 2022;

/// kAffected variables, every set equally likely: the first steps of a Fisher-Yates shuffle.
VariableSet draw_affected(const Stream& stream, std::uint32_t round) {
  std::array<VariableId, kVariables> order;
  std::iota(order.begin(), order.end(), VariableId{0});
  for (std::size_t i = 0; i < kAffected; ++i) {
    const double left = static_cast<double>(kVariables - i);
    const auto step = static_cast<std::size_t>(stream.uniform(round, i) * left);
    std::swap(order[i], order[i + std::min(step, kVariables - i - 1)]);
  }
  return VariableSet::from_ids(std::span(order).first(kAffected));
}

/// Uniform on [0, 1] without the means that are closer than kLeastUplift to the baseline.
double mean_away_from(double baseline, double uniform) {
  const double below = std::max(0.0, baseline - kLeastUplift);
  const double above = std::min(1.0, baseline + kLeastUplift);
  const double place = uniform * (below + (1.0 - above));
  return place < below ? place : above + (place - below);
}

/// Baselines uniform on [0, 1]; draws: round 0 for them, round 1 + a for the variables (draws
/// 0..9) and means (draws 10..19) of action a.
InstanceDefinition draw_gaussian(std::uint32_t attempt) {
  const Stream stream(kSeed, attempt, Purpose::kInstance);
  InstanceDefinition definition;
  std::array<double, kVariables> baseline;
  stream.uniforms(0, 0, baseline);
  for (const double mean : baseline) definition.variables.push_back({1, mean});
  for (std::uint32_t action = 0; action < kActions; ++action) {
    definition.action_names.push_back(fmt::format("action-{}", action));
    Effect effect{draw_affected(stream, 1 + action), {}};
    effect.variables.for_each([&](VariableId id) {
      const double uniform = stream.uniform(1 + action, kAffected + effect.means.size());
      effect.means.push_back(mean_away_from(baseline[id], uniform));
    });
    definition.effects.push_back({std::move(effect)});
  }
  return definition;
}

/// The first attempt whose smallest gap is as it should be. Only uniforms, sums and comparisons,
/// so it is the same everywhere.
InstanceDefinition gaussian_means() {
  for (std::uint32_t attempt = 0;; ++attempt) {
    InstanceDefinition definition = draw_gaussian(attempt);
    definition.noise = GaussianNoise{};
    const double gap = Instance(definition).min_gap();
    if (gap >= kLeastGap && gap <= kMostGap) return definition;
  }
}

InstanceDefinition gaussian() {
  InstanceDefinition definition = gaussian_means();
  definition.name = "gaussian";
  definition.summary = kGaussianSummary;
  // Unit variances with correlation rho sum to m + rho m (m - 1).
  constexpr double kM = kVariables;
  GaussianNoise noise;
  noise.covariance = GaussianNoise::Covariance::kFactor;
  noise.factor = (kTotalSd * kTotalSd - kM) / (kM * (kM - 1.0));
  definition.noise = noise;
  return definition;
}

InstanceDefinition gaussian_weak() {
  InstanceDefinition definition = gaussian_means();
  definition.name = "gaussian-weak";
  definition.summary = kGaussianWeakSummary;
  GaussianNoise noise;
  noise.variance = kWeakVariance;
  definition.noise = noise;
  return definition;
}

/// A cluster of customers: how many, how many of them visit untreated, and how many more visits
/// treatment brings. [hsieh22, appendix 'More Details on Bernoulli Uplifting Bandit']
struct Cluster {
  std::size_t size;
  double untreated;
  double uplift;
};

constexpr std::array<Cluster, 20> kCriteo = {{
    {10600, .001, 0.6},  {2764, .023, 39.3},  {7222, .002, 6.6},   {11128, .002, -5.0},
    {6385, .004, -5.7},  {1630, .289, 143.5}, {2806, .206, 86.0},  {1089, .229, 87.1},
    {3018, .073, -4.5},  {4594, .289, -6.9},  {594, .464, 39.8},   {7020, .035, 66.3},
    {12654, .004, 34.7}, {2186, .052, 75.4},  {9609, .001, 4.0},   {5101, .011, 40.3},
    {3714, .022, 21.1},  {4569, .004, 12.3},  {1158, .165, 115.7}, {2159, .000, 28.3},
}};

/// Action a treats cluster a. The treated rate is the untreated one + uplift / size, at least 0:
/// the printed treated rates are too coarse to give the printed uplifts.
InstanceDefinition criteo() {
  InstanceDefinition definition;
  definition.name = "criteo";
  definition.summary = kCriteoSummary;
  VariableId begin = 0;
  for (std::size_t a = 0; a < kCriteo.size(); ++a) {
    const Cluster& cluster = kCriteo[a];
    const auto end = begin + static_cast<VariableId>(cluster.size);
    const double treated = cluster.untreated + cluster.uplift / static_cast<double>(cluster.size);
    const std::array range = {VariableRange{begin, end}};
    definition.action_names.push_back(fmt::format("cluster-{}", a));
    definition.variables.push_back({cluster.size, cluster.untreated});
    definition.segments.push_back(VariableSet::from_ranges(range));
    definition.effects.push_back({{VariableSet::from_ranges(range), {std::max(0.0, treated)}}});
    begin = end;
  }
  definition.noise = BernoulliNoise{};
  return definition;
}

void check_hard(const HardOptions& options) {
  if (options.variables < 1) throw InvalidInput("variables", 0.0, "must be at least 1");
  if (options.affected.empty()) throw InvalidInput("affected", "must have at least one action");
  if (options.gaps.size() != options.affected.size()) {
    throw InvalidInput("gaps", fmt::format("has {} numbers; must have one for each of {} actions",
                                           options.gaps.size(), options.affected.size()));
  }
  for (std::size_t a = 0; a < options.gaps.size(); ++a) {
    if (options.affected[a] < 1 || options.affected[a] > options.variables) {
      throw InvalidInput(
          fmt::format("affected[{}]", a), std::to_string(options.affected[a]),
          fmt::format("must be from 1 to the number of variables, {}", options.variables));
    }
    if (!(options.gaps[a] >= 0.0) || !std::isfinite(options.gaps[a])) {
      throw InvalidInput(fmt::format("gaps[{}]", a), options.gaps[a], "must be finite and >= 0");
    }
  }
  if (const double least = *std::min_element(options.gaps.begin(), options.gaps.end());
      least != 0.0) {
    throw InvalidInput("gaps", number_text(least), "the smallest must be 0");
  }
}

InstanceDefinition hard_means(const HardOptions& options) {
  check_hard(options);
  const double best = 1.0 + *std::max_element(options.gaps.begin(), options.gaps.end());
  InstanceDefinition definition;
  definition.variables = {{options.variables, 0.0}};
  for (std::size_t a = 0; a < options.gaps.size(); ++a) {
    const double mean = (best - options.gaps[a]) / static_cast<double>(options.affected[a]);
    const std::array range = {VariableRange{0, static_cast<VariableId>(options.affected[a])}};
    definition.action_names.push_back(fmt::format("action-{}", a));
    definition.effects.push_back({{VariableSet::from_ranges(range), {mean}}});
  }
  return definition;
}

/// What is shipped.
HardOptions hard_options() { return {20, {4, 4, 4, 4, 4}, {0.0, 0.5, 1.0, 1.5, 2.0}}; }

constexpr std::array<ShippedInstance, 22> kShipped = {{
    {"gaussian", kGaussianSummary, gaussian},
    {"gaussian-weak", kGaussianWeakSummary, gaussian_weak},
    {"criteo", kCriteoSummary, criteo},
    {"marketing", kMarketingSummary, marketing},
    {"discounts", kDiscountsSummary, discounts},
    {"movies", kMoviesSummary, movies},
    {"hard-affected", kHardAffectedSummary, [] { return hard_affected(hard_options()); }},
    {"hard-reward", kHardRewardSummary, [] { return hard_reward(hard_options()); }},
    {"dense", kDenseSummary, dense},
    {"alternating", kAlternatingSummary, alternating},
    {"one-moves-all", kOneMovesAllSummary, one_moves_all},
    {"identical", kIdenticalSummary, identical},
    {"heavy-tails", kHeavyTailsSummary, heavy_tails},
    {"rare", kRareSummary, rare},
    {"two-actions", kTwoActionsSummary, two_actions},
    {"one-variable", kOneVariableSummary, one_variable},
    {"steady", kSteadySummary, steady},
    {"seasonal", kSeasonalSummary, seasonal},
    {"trend", kTrendSummary, trend},
    {"flip", kFlipSummary, flip},
    {"wear-out", kWearOutSummary, wear_out},
    {"walk", kWalkSummary, walk},
}};

}  // namespace

InstanceDefinition hard_affected(const HardOptions& options) {
  InstanceDefinition definition = hard_means(options);
  definition.name = "hard-affected";
  definition.summary = kHardAffectedSummary;
  GaussianNoise noise;
  noise.covariance = GaussianNoise::Covariance::kSharedByAffected;
  definition.noise = noise;
  return definition;
}

InstanceDefinition hard_reward(const HardOptions& options) {
  InstanceDefinition definition = hard_means(options);
  definition.name = "hard-reward";
  definition.summary = kHardRewardSummary;
  GaussianNoise noise;
  noise.covariance = GaussianNoise::Covariance::kFactor;
  noise.factor = 1.0;
  definition.noise = noise;
  return definition;
}

std::span<const ShippedInstance> shipped_instances() { return kShipped; }

}  // namespace updraft

#include "updraft/uplift_metrics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <set>
#include <vector>

#include "support/refusal.h"
#include "support/statistics.h"
#include "updraft/bootstrap.h"
#include "updraft/stream.h"

namespace updraft {
namespace {

struct Trial {
  std::vector<double> scores;
  std::vector<std::uint8_t> treated;
  std::vector<double> outcomes;

  UpliftRanking ranking() const { return UpliftRanking(scores, treated, outcomes); }
};

/// Scores uniform, outcomes 0 or 1 with chance 0.2 and, where treated, 0.4 * score more. So
/// qini(share) = uplift(share) = 0.4 (share - share^2 / 2), and the true Qini is 1/30, the true
/// AUUC 2/15.
Trial made_trial(std::size_t rows, std::uint32_t run) {
  const Stream stream(11, run, Purpose::kTest);
  Trial trial;
  for (std::uint32_t i = 0; i < rows; ++i) {
    trial.scores.push_back(stream.uniform(i, 0));
    trial.treated.push_back(stream.uniform(i, 1) < 0.6);
    const double rate = 0.2 + (trial.treated[i] == 1 ? 0.4 * trial.scores[i] : 0.0);
    trial.outcomes.push_back(stream.uniform(i, 2) < rate);
  }
  return trial;
}
constexpr double kTrueQini = 1.0 / 30.0;
constexpr double kTrueAuuc = 2.0 / 15.0;

/// The definitions, word for word: each point by a pass over all rows. O(n^2).
UpliftMetrics plain_metrics(const Trial& trial, const std::vector<std::uint32_t>& weights) {
  std::vector<UpliftCurvePoint> points(1);
  const std::set<double, std::greater<>> thresholds(trial.scores.begin(), trial.scores.end());
  const auto sums = [&](double threshold, std::uint8_t treated) {
    std::pair<double, double> count_and_sum;
    for (std::size_t i = 0; i < trial.scores.size(); ++i) {
      if (trial.scores[i] < threshold || trial.treated[i] != treated) continue;
      count_and_sum.first += weights[i];
      count_and_sum.second += weights[i] * trial.outcomes[i];
    }
    return count_and_sum;
  };
  const double all_treated = sums(*thresholds.rbegin(), 1).first;
  const double all = all_treated + sums(*thresholds.rbegin(), 0).first;
  for (const double threshold : thresholds) {
    const auto [n_t, s_t] = sums(threshold, 1);
    const auto [n_c, s_c] = sums(threshold, 0);
    if (n_t == 0.0 || n_c == 0.0) continue;
    const double share = (n_t + n_c) / all;
    points.push_back(
        {share, (s_t - s_c * n_t / n_c) / all_treated, share * (s_t / n_t - s_c / n_c)});
  }
  UpliftMetrics metrics;
  metrics.average_uplift = points.back().uplift;
  metrics.qini = -0.5 * points.back().qini;
  for (std::size_t k = 1; k < points.size(); ++k) {
    const double width = points[k].share - points[k - 1].share;
    metrics.qini += 0.5 * width * (points[k].qini + points[k - 1].qini);
    metrics.auuc += 0.5 * width * (points[k].uplift + points[k - 1].uplift);
  }
  return metrics;
}

void expect_equal(const UpliftMetrics& one, const UpliftMetrics& two) {
  EXPECT_EQ(one.average_uplift, two.average_uplift);
  EXPECT_EQ(one.qini, two.qini);
  EXPECT_EQ(one.auuc, two.auuc);
}

void expect_near(const UpliftMetrics& one, const UpliftMetrics& two, double error) {
  EXPECT_NEAR(one.average_uplift, two.average_uplift, error);
  EXPECT_NEAR(one.qini, two.qini, error);
  EXPECT_NEAR(one.auuc, two.auuc, error);
}

TEST(UpliftRanking, FourRowsByHand) {
  const Trial trial = {{1, 4, 2, 3}, {0, 1, 1, 0}, {1, 1, 1, 0}};
  const std::vector<UpliftCurvePoint> curve = trial.ranking().curve();
  ASSERT_EQ(curve.size(), 4u);  // none after the first row, as there is no control row yet
  const std::vector<std::vector<double>> expected = {
      {0, 0, 0}, {0.5, 0.5, 0.5}, {0.75, 1, 0.75}, {1, 0.5, 0.5}};
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(curve[k].share, expected[k][0]) << k;
    EXPECT_EQ(curve[k].qini, expected[k][1]) << k;
    EXPECT_EQ(curve[k].uplift, expected[k][2]) << k;
  }
  expect_equal(trial.ranking().metrics(), {0.5, 0.25, 0.4375});
}

TEST(UpliftRanking, EqualScoresAreOneGroup) {
  const Trial trial = {{1, 4, 2, 2}, {0, 1, 1, 0}, {1, 1, 1, 0}};
  EXPECT_EQ(trial.ranking().curve().size(), 3u);
  expect_equal(trial.ranking().metrics(), {0.5, 0.3125, 0.4375});
}

TEST(UpliftRanking, AConstantScoreHasQiniZeroExactly) {
  for (const std::size_t rows : {49u, 103u, 1000u}) {
    Trial trial = made_trial(rows, 0);
    std::fill(trial.scores.begin(), trial.scores.end(), 0.3);
    const UpliftMetrics metrics = trial.ranking().metrics();
    EXPECT_EQ(metrics.qini, 0.0);
    EXPECT_DOUBLE_EQ(metrics.auuc, 0.5 * metrics.average_uplift);
  }
}

TEST(UpliftRanking, PerfectAndInverseRanking) {
  // Half of the rows gain 1 by the treatment, half lose 1.
  Trial trial;
  for (std::size_t i = 0; i < 40; ++i) {
    const double uplift = i % 2 == 0 ? 1.0 : -1.0;
    trial.scores.push_back(uplift);
    trial.treated.push_back(i % 4 < 2);
    trial.outcomes.push_back(trial.treated[i] == 1 ? uplift : 0.0);
  }
  expect_equal(trial.ranking().metrics(), {0.0, 0.25, 0.25});
  for (double& score : trial.scores) score = -score;
  expect_equal(trial.ranking().metrics(), {0.0, -0.25, -0.25});
}

TEST(UpliftRanking, TheOrderOfRowsDoesNotMatter) {
  Trial trial = made_trial(500, 1);
  for (double& score : trial.scores) score = std::floor(20.0 * score);  // many ties
  for (std::size_t i = 0; i < 500; ++i) trial.outcomes[i] += 0.1 * static_cast<double>(i % 7);
  const UpliftMetrics before = trial.ranking().metrics();
  const auto turned = [](auto values) {
    std::reverse(values.begin(), values.end());
    std::rotate(values.begin(), values.begin() + 123, values.end());
    return values;
  };
  const Trial other = {turned(trial.scores), turned(trial.treated), turned(trial.outcomes)};
  expect_equal(other.ranking().metrics(), before);
}

TEST(UpliftRanking, OnlyTheOrderOfTheScoresMatters) {
  Trial trial = made_trial(300, 2);
  const UpliftMetrics before = trial.ranking().metrics();
  for (double& score : trial.scores) score = std::exp(3.0 * score) - 1e6;
  expect_equal(trial.ranking().metrics(), before);
}

TEST(UpliftRanking, TheLevelOfTheOutcomesDoesNotMatterAndTheirUnitScales) {
  Trial trial = made_trial(300, 3);
  UpliftMetrics before = trial.ranking().metrics();
  for (double& outcome : trial.outcomes) outcome = 4.0 * outcome + 9.0;
  expect_near(trial.ranking().metrics(),
              {4.0 * before.average_uplift, 4.0 * before.qini, 4.0 * before.auuc}, 1e-12);
}

TEST(UpliftRanking, AgreesWithTheDefinitionOnRandomCases) {
  const Stream stream(12, 0, Purpose::kTest);
  for (std::uint32_t run = 0; run < 300; ++run) {
    const auto rows = static_cast<std::size_t>(2 + stream.bits(run, 0) % 60);
    const double levels = 1.0 + std::floor(40.0 * stream.uniform(run, 1));
    Trial trial = made_trial(rows, 100 + run);
    for (double& score : trial.scores) score = std::floor(levels * score);
    trial.treated.front() = 0;
    trial.treated.back() = 1;
    const std::vector<std::uint32_t> ones(rows, 1);
    expect_near(trial.ranking().metrics(), plain_metrics(trial, ones), 1e-12);
    expect_equal(trial.ranking().metrics(ones), trial.ranking().metrics());

    std::vector<std::uint32_t> weights(rows);
    StratifiedBootstrap(trial.treated).weights(stream, run, weights);
    expect_near(trial.ranking().metrics(weights), plain_metrics(trial, weights), 1e-12);
  }
}

TEST(UpliftRanking, AWeightIsARepeatedRow) {
  const Trial trial = made_trial(80, 4);
  std::vector<std::uint32_t> weights(80);
  StratifiedBootstrap(trial.treated).weights(Stream(1, 0, Purpose::kTest), 0, weights);
  Trial repeated;
  for (std::size_t i = 0; i < 80; ++i) {
    for (std::uint32_t copy = 0; copy < weights[i]; ++copy) {
      repeated.scores.push_back(trial.scores[i]);
      repeated.treated.push_back(trial.treated[i]);
      repeated.outcomes.push_back(trial.outcomes[i]);
    }
  }
  expect_near(trial.ranking().metrics(weights), repeated.ranking().metrics(), 1e-12);
}

TEST(UpliftRanking, RandomScoresHaveQiniZeroOnAverage) {
  // Rejection level 1e-6 over two comparisons.
  Trial trial = made_trial(2000, 5);
  const Stream stream(13, 0, Purpose::kTest);
  const std::uint32_t rankings = 1000;
  std::vector<double> qini;
  std::vector<double> auuc;
  for (std::uint32_t r = 0; r < rankings; ++r) {
    stream.uniforms(r, 0, trial.scores);
    const UpliftMetrics metrics = trial.ranking().metrics();
    qini.push_back(metrics.qini);
    auuc.push_back(metrics.auuc - 0.5 * metrics.average_uplift);
  }
  for (const std::vector<double>& values : {qini, auuc}) {
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / rankings;
    double squares = 0.0;
    for (const double value : values) squares += (value - mean) * (value - mean);
    EXPECT_TRUE(testing::agrees(mean, 0.0, std::sqrt(squares / rankings / rankings), 2));
  }
}

TEST(UpliftRanking, BootstrapIntervalsCoverTheTruth) {
  // 500 data sets of 400 rows, 90 % intervals of 300 resamples. The number that cover is binomial;
  // it may differ from 450 by what a binomial exceeds with probability 1e-6 (two comparisons), and
  // by 10 more, as percentile intervals of so few rows cover a little less than they say.
  const std::uint32_t sets = 500;
  const std::uint32_t resamples = 300;
  std::size_t qini_covered = 0;
  std::size_t auuc_covered = 0;
  for (std::uint32_t set = 0; set < sets; ++set) {
    const Trial trial = made_trial(400, 1000 + set);
    const UpliftRanking ranking = trial.ranking();
    const StratifiedBootstrap bootstrap(trial.treated);
    const Stream stream(14, set, Purpose::kResample);
    std::vector<std::uint32_t> weights(400);
    std::vector<double> qini;
    std::vector<double> auuc;
    for (std::uint32_t b = 0; b < resamples; ++b) {
      bootstrap.weights(stream, b, weights);
      const UpliftMetrics metrics = ranking.metrics(weights);
      qini.push_back(metrics.qini);
      auuc.push_back(metrics.auuc);
    }
    const auto covers = [](const Interval& interval, double truth) {
      return interval.low <= truth && truth <= interval.high;
    };
    qini_covered += covers(percentile_interval(qini, 0.9), kTrueQini);
    auuc_covered += covers(percentile_interval(auuc, 0.9), kTrueAuuc);
  }
  const double allowed = testing::normal_threshold(2) * std::sqrt(sets * 0.9 * 0.1) + 10.0;
  EXPECT_NEAR(static_cast<double>(qini_covered), 0.9 * sets, allowed);
  EXPECT_NEAR(static_cast<double>(auuc_covered), 0.9 * sets, allowed);
}

TEST(UpliftRanking, Refuses) {
  const Trial good = {{1, 2}, {0, 1}, {3, 4}};
  const auto message = [](const Trial& trial) {
    return testing::refusal([&] { trial.ranking(); });
  };
  EXPECT_EQ(message(good), "(accepted)");
  EXPECT_EQ(message({{1, 2}, {0, 1, 1}, {3, 4}}),
            "treated = 3 entries: must be 2, as many as scores");
  EXPECT_EQ(message({{1, 2}, {0, 1}, {3}}), "outcomes = 1 entries: must be 2, as many as scores");
  EXPECT_EQ(message({{1, 2}, {0, 7}, {3, 4}}), "treated[1] = 7: must be 0 or 1");
  EXPECT_EQ(message({{1, 2}, {0, 0}, {3, 4}}), "treated: must leave at least one treated row");
  EXPECT_EQ(message({{1, 2}, {1, 1}, {3, 4}}), "treated: must leave at least one control row");
  EXPECT_EQ(message({{}, {}, {}}), "treated: must leave at least one treated row");
  EXPECT_EQ(message({{1, std::nan("")}, {0, 1}, {3, 4}}), "scores[1] = nan: must be finite");
  EXPECT_EQ(message({{1, 2}, {0, 1}, {-std::numeric_limits<double>::infinity(), 4}}),
            "outcomes[0] = -inf: must be finite");
  const UpliftRanking ranking = good.ranking();
  EXPECT_EQ(testing::refusal([&] { ranking.metrics(std::vector<std::uint32_t>{1}); }),
            "weights = 1 entries: must be 2, as many as scores");
  EXPECT_EQ(testing::refusal([&] {
              ranking.metrics(std::vector<std::uint32_t>{1, 0});
            }),
            "weights: must leave at least one treated row");
  EXPECT_EQ(testing::refusal([&] {
              ranking.metrics(std::vector<std::uint32_t>{0, 1});
            }),
            "weights: must leave at least one control row");
}

}  // namespace
}  // namespace updraft

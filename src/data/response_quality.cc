#include "data/response_quality.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "models/logistic.h"

namespace updraft {
namespace {

constexpr std::size_t kBins = 10;

std::vector<std::size_t> increasing_order(std::span<const double> scores) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return scores[a] < scores[b]; });
  return order;
}

/// log(1 + exp(x)), without overflow.
double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

std::vector<CalibrationBin> calibration(std::span<const double> predictions,
                                        std::span<const double> outcomes) {
  const std::vector<std::size_t> order = increasing_order(predictions);
  std::vector<CalibrationBin> bins;
  for (std::size_t b = 0; b < kBins; ++b) {
    const std::size_t begin = order.size() * b / kBins;
    const std::size_t end = order.size() * (b + 1) / kBins;
    if (begin == end) continue;
    CalibrationBin bin;
    bin.rows = end - begin;
    for (std::size_t at = begin; at < end; ++at) {
      bin.expected += predictions[order[at]];
      bin.observed += outcomes[order[at]];
    }
    bin.expected /= static_cast<double>(bin.rows);
    bin.observed /= static_cast<double>(bin.rows);
    bins.push_back(bin);
  }
  return bins;
}

void judge_logistic(ResponseQuality& quality, std::span<const double> scores,
                    std::span<const double> outcomes) {
  double loss = 0.0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    loss += softplus(scores[i]) - outcomes[i] * scores[i];
  }
  quality.log_loss = loss / static_cast<double>(scores.size());
  quality.auc = area_under_curve(scores, outcomes);
}

void judge_linear(ResponseQuality& quality, std::span<const double> scores,
                  std::span<const double> outcomes) {
  const auto n = static_cast<double>(scores.size());
  const double mean = quality.observed / n;
  double errors = 0.0;
  double spread = 0.0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    errors += (outcomes[i] - scores[i]) * (outcomes[i] - scores[i]);
    spread += (outcomes[i] - mean) * (outcomes[i] - mean);
  }
  quality.rmse = std::sqrt(errors / n);
  if (spread > 0.0) quality.r_squared = 1.0 - errors / spread;
}

}  // namespace

std::optional<double> area_under_curve(std::span<const double> scores,
                                       std::span<const double> outcomes) {
  const std::vector<std::size_t> order = increasing_order(scores);
  double ones = 0.0;
  double rank_sum = 0.0;  // of the ones; ties share their mean rank
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    double ones_here = 0.0;
    for (; end < order.size() && scores[order[end]] == scores[order[begin]]; ++end) {
      ones_here += outcomes[order[end]];
    }
    rank_sum += ones_here * 0.5 * static_cast<double>(begin + 1 + end);
    ones += ones_here;
    begin = end;
  }
  const double zeros = static_cast<double>(order.size()) - ones;
  if (!(ones > 0.0 && zeros > 0.0)) return std::nullopt;
  return (rank_sum - 0.5 * ones * (ones + 1.0)) / (ones * zeros);
}

ResponseQuality judge_predictions(ResponseKind response, std::span<const double> scores,
                                  std::span<const double> outcomes) {
  ResponseQuality quality;
  quality.held_out = scores.size();
  if (scores.empty()) return quality;
  std::vector<double> predictions(scores.begin(), scores.end());
  if (response == ResponseKind::kLogistic) {
    std::transform(scores.begin(), scores.end(), predictions.begin(), sigmoid);
  }
  quality.observed = std::accumulate(outcomes.begin(), outcomes.end(), 0.0);
  quality.expected = std::accumulate(predictions.begin(), predictions.end(), 0.0);
  quality.calibration = calibration(predictions, outcomes);
  if (response == ResponseKind::kLogistic) {
    judge_logistic(quality, scores, outcomes);
  } else {
    judge_linear(quality, scores, outcomes);
  }
  return quality;
}

}  // namespace updraft

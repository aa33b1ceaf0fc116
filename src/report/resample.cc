#include "report/resample.h"

#include <functional>
#include <span>

#include "updraft/bootstrap.h"

namespace updraft {
namespace {

constexpr std::uint32_t kResamples = 1000;
constexpr std::uint64_t kSeed = 1;

/// Calls `use` with how often each of the runs is in a resample, for all resamples.
void for_each_resample(std::size_t runs,
                       const std::function<void(std::span<const std::uint32_t>)>& use) {
  const std::vector<std::uint8_t> one_stratum(runs, 0);
  const StratifiedBootstrap bootstrap(one_stratum);
  const Stream stream(kSeed, 0, Purpose::kResample);
  std::vector<std::uint32_t> weights(runs);
  for (std::uint32_t j = 0; j < kResamples; ++j) {
    bootstrap.weights(stream, j, weights);
    use(weights);
  }
}

Summary resampled(const GridPoint& point, std::span<const std::uint32_t> weights) {
  std::vector<double> regrets;
  for (std::size_t run = 0; run < weights.size(); ++run) {
    regrets.insert(regrets.end(), weights[run], point.final_regrets[run]);
  }
  return summarize(std::move(regrets));
}

/// What tuning takes of a policy's values when the runs are counted so often.
double tuned_value(const ExperimentResult& result, std::size_t policy,
                   std::span<const std::uint32_t> weights) {
  const GridPoint* best = nullptr;
  double least = 0.0;
  for (const GridPoint& point : result.points) {
    if (point.policy != policy) continue;
    const Summary regret = resampled(point, weights);
    const double score = regret.mean + regret.sd;
    if (best != nullptr && !(score < least)) continue;
    best = &point;
    least = score;
  }
  return best->value.value_or(0.0);
}

}  // namespace

Estimate tail_excess(const GridPoint& a, const GridPoint& b, double times) {
  std::vector<double> values;
  for_each_resample(a.final_regrets.size(), [&](std::span<const std::uint32_t> weights) {
    values.push_back(resampled(a, weights).p95 - times * resampled(b, weights).p95);
  });
  return {a.final_regret.p95 - times * b.final_regret.p95, summarize(std::move(values)).sd};
}

Estimate tail_ratio(const GridPoint& a, const GridPoint& b) {
  const double ratio = a.final_regret.p95 / b.final_regret.p95;
  return {ratio, tail_excess(a, b, ratio).error / b.final_regret.p95};
}

double share_with_larger_value(const ExperimentResult& result, std::size_t a, std::size_t b) {
  double larger = 0.0;
  for_each_resample(
      result.best(a).final_regrets.size(), [&](std::span<const std::uint32_t> weights) {
        larger += tuned_value(result, a, weights) > tuned_value(result, b, weights) ? 1.0 : 0.0;
      });
  return larger / kResamples;
}

}  // namespace updraft

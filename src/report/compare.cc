#include "report/compare.h"

#include <cassert>
#include <cmath>

namespace updraft {
Estimate excess(const GridPoint& a, const GridPoint& b, double times) {
  assert(a.final_regrets.size() == b.final_regrets.size());
  std::vector<double> values;
  for (std::size_t run = 0; run < a.final_regrets.size(); ++run) {
    values.push_back(a.final_regrets[run] - times * b.final_regrets[run]);
  }
  return {a.final_regret.mean - times * b.final_regret.mean, summarize(std::move(values)).stderr_};
}

Estimate difference(const GridPoint& a, const GridPoint& b) { return excess(a, b, 1.0); }

Estimate ratio(const GridPoint& a, const GridPoint& b) {
  const double below = b.final_regret.mean;
  if (!(below > 0.0)) return {a.final_regret.mean > 0.0 ? HUGE_VAL : 1.0, 0.0};
  const double value = a.final_regret.mean / below;
  return {value, excess(a, b, value).error / below};
}

Estimate regret_after(const ExperimentResult& result, const GridPoint& point, double rounds) {
  double round_before = 0.0;
  Estimate before;
  for (std::size_t j = 0; j < result.curve_rounds.size(); ++j) {
    const double round = result.curve_rounds[j];
    const Estimate at{point.curve[j].mean, point.curve[j].stderr_};
    if (rounds <= round) {
      const double share = (rounds - round_before) / (round - round_before);
      return {before.value + share * (at.value - before.value),
              before.error + share * (at.error - before.error)};
    }
    round_before = round;
    before = at;
  }
  return before;
}

Estimate growth(const ExperimentResult& result, const GridPoint& point) {
  const double end = result.curve_rounds.back();
  const Estimate half = regret_after(result, point, end / 2.0);
  const Estimate whole = regret_after(result, point, end);
  if (!(half.value > 0.0)) return {whole.value > 0.0 ? HUGE_VAL : 0.0, 0.0};
  const double times = whole.value / half.value;
  return {(whole.value - half.value) / half.value, (whole.error + times * half.error) / half.value};
}

std::optional<double> log_slope(const ExperimentResult& result, const GridPoint& point) {
  double count = 0.0;
  double x_sum = 0.0;
  double y_sum = 0.0;
  double xx_sum = 0.0;
  double xy_sum = 0.0;
  for (std::size_t j = 0; j < result.curve_rounds.size(); ++j) {
    if (2.0 * result.curve_rounds[j] < result.curve_rounds.back()) continue;
    if (!(point.curve[j].mean > 0.0)) return std::nullopt;
    const double x = std::log(static_cast<double>(result.curve_rounds[j]));
    const double y = std::log(point.curve[j].mean);
    count += 1.0;
    x_sum += x;
    y_sum += y;
    xx_sum += x * x;
    xy_sum += x * y;
  }
  if (count < 2.0) return std::nullopt;
  return (count * xy_sum - x_sum * y_sum) / (count * xx_sum - x_sum * x_sum);
}

}  // namespace updraft

#include "updraft/uplift_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "updraft/error.h"

namespace updraft {
namespace {

void check_length(std::string_view field, std::size_t length, std::size_t rows) {
  if (length == rows) return;
  throw InvalidInput(field, fmt::format("{} entries", length),
                     fmt::format("must be {}, as many as scores", rows));
}

void check_rows(std::span<const double> scores, std::span<const std::uint8_t> treated,
                std::span<const double> outcomes) {
  check_length("treated", treated.size(), scores.size());
  check_length("outcomes", outcomes.size(), scores.size());
  if (scores.size() > std::numeric_limits<std::uint32_t>::max()) {
    throw InvalidInput("scores", fmt::format("{} rows", scores.size()), "must be fewer than 2^32");
  }
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (!std::isfinite(scores[i])) check_finite(fmt::format("scores[{}]", i), scores[i]);
    if (!std::isfinite(outcomes[i])) check_finite(fmt::format("outcomes[{}]", i), outcomes[i]);
    if (treated[i] > 1) {
      throw InvalidInput(fmt::format("treated[{}]", i), treated[i], "must be 0 or 1");
    }
  }
}

void check_both(std::string_view field, std::int64_t treated, std::int64_t control) {
  if (treated == 0) throw InvalidInput(field, "must leave at least one treated row");
  if (control == 0) throw InvalidInput(field, "must leave at least one control row");
}

}  // namespace

UpliftRanking::UpliftRanking(std::span<const double> scores, std::span<const std::uint8_t> treated,
                             std::span<const double> outcomes) {
  check_rows(scores, treated, outcomes);
  const auto ones = std::count(treated.begin(), treated.end(), 1);
  check_both("treated", ones, std::ssize(treated) - ones);

  struct Scored {
    double score;
    Row row;
  };
  std::vector<Scored> order(scores.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = {scores[i], {outcomes[i], static_cast<std::uint32_t>(i), treated[i]}};
  }
  // Within a group the order changes nothing but rounding: fixed, so that sums are bit for bit.
  std::sort(order.begin(), order.end(), [](const Scored& a, const Scored& b) {
    if (a.score != b.score) return a.score > b.score;
    if (a.row.treated != b.row.treated) return a.row.treated < b.row.treated;
    return a.row.outcome < b.row.outcome;
  });
  rows_.reserve(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    rows_.push_back(order[i].row);
    if (i + 1 == order.size() || order[i + 1].score != order[i].score) {
      ends_.push_back(static_cast<std::uint32_t>(i + 1));
    }
  }
}

template <typename Weight, typename Visit>
void UpliftRanking::walk(Weight weight, Visit visit) const {
  std::int64_t control = 0;
  std::int64_t treated = 0;
  double control_sum = 0.0;
  double treated_sum = 0.0;
  std::size_t at = 0;
  for (const std::size_t end : ends_) {
    for (; at < end; ++at) {
      const Row& row = rows_[at];
      const std::int64_t as_treated = weight(row) * row.treated;
      const std::int64_t as_control = weight(row) - as_treated;
      treated += as_treated;
      control += as_control;
      treated_sum += static_cast<double>(as_treated) * row.outcome;
      control_sum += static_cast<double>(as_control) * row.outcome;
    }
    if (control == 0 || treated == 0) continue;
    const auto n_t = static_cast<double>(treated);
    const auto n_c = static_cast<double>(control);
    visit(Top{n_t + n_c, n_t, treated_sum - control_sum * (n_t / n_c)});
  }
  check_both("weights", treated, control);
}

template <typename Weight>
UpliftMetrics UpliftRanking::areas(Weight weight) const {
  Top last{0.0, 1.0, 0.0};
  double last_uplift = 0.0;
  double qini_area = 0.0;  // twice, in rows and sums of outcomes
  double uplift_area = 0.0;
  walk(weight, [&](const Top& top) {
    const double width = top.rows - last.rows;
    const double uplift = top.rows * (top.gain / top.treated);
    qini_area += width * (last.gain + top.gain);
    uplift_area += width * (last_uplift + uplift);
    last = top;
    last_uplift = uplift;
  });
  UpliftMetrics metrics;
  metrics.average_uplift = last.gain / last.treated;
  metrics.qini = 0.5 * (qini_area - last.rows * last.gain) / (last.rows * last.treated);
  metrics.auuc = 0.5 * uplift_area / (last.rows * last.rows);
  return metrics;
}

UpliftMetrics UpliftRanking::metrics() const {
  return areas([](const Row&) { return std::int64_t{1}; });
}

UpliftMetrics UpliftRanking::metrics(std::span<const std::uint32_t> weights) const {
  check_length("weights", weights.size(), size());
  return areas([&](const Row& row) { return std::int64_t{weights[row.number]}; });
}

std::vector<UpliftCurvePoint> UpliftRanking::curve() const {
  std::vector<Top> tops;
  walk([](const Row&) { return std::int64_t{1}; }, [&](const Top& top) { tops.push_back(top); });
  std::vector<UpliftCurvePoint> points = {UpliftCurvePoint{}};
  for (const Top& top : tops) {
    const double share = top.rows / tops.back().rows;
    points.push_back({share, top.gain / tops.back().treated, share * (top.gain / top.treated)});
  }
  return points;
}

}  // namespace updraft

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/bound_lines.h"
#include "report/panel.h"
#include "updraft/error.h"

namespace updraft {
namespace {

constexpr std::array<std::string_view, 4> kBoundDashes = {"(2,3)", "(6,3)", "(10,3,2,3)", "solid"};

struct Curve {
  std::size_t policy = 0;
  std::string note;
};

/// The largest final regret first, as the curves end.
std::vector<Curve> curves_of(const ExperimentResult& result) {
  std::vector<Curve> curves;
  for (std::size_t p = 0; p < result.experiment.policies.size(); ++p) {
    const PolicyGrid& grid = result.experiment.policies[p];
    const GridPoint& point = result.best(p);
    if (point.curve.empty() || point.curve.size() != result.curve_rounds.size()) {
      throw InvalidInput("curve", grid.label, "must have one point for each of the curve's rounds");
    }
    const bool tuned = !grid.parameter.empty() && point.value.has_value();
    curves.push_back(
        {p, tuned ? fmt::format("{} = {}", grid.parameter, number_text(*point.value)) : ""});
  }
  if (curves.empty()) throw InvalidInput("policies", "must have at least one");
  std::stable_sort(curves.begin(), curves.end(), [&](const Curve& a, const Curve& b) {
    return result.best(a.policy).final_regret.mean > result.best(b.policy).final_regret.mean;
  });
  return curves;
}

Extent extent_of(const ExperimentResult& result, bool percentile) {
  Extent extent;
  for (std::size_t p = 0; p < result.experiment.policies.size(); ++p) {
    for (const Summary& at : result.best(p).curve) {
      extent.add(at.mean);
      extent.add(at.mean + at.stderr_);
      if (percentile) extent.add(at.p95);
    }
  }
  return extent;
}

/// Room for the curves, and for bounds as far as they do not squash them.
Axis regret_axis(const ExperimentResult& result, const std::vector<BoundLine>& lines) {
  const FigureStyle& style = result.experiment.figure;
  const Extent extent = extent_of(result, style.percentile);
  double high = (style.log_regret ? 1.25 : 1.04) * extent.high;
  const double most = (style.log_regret ? 10.0 : 2.0) * high;
  for (const BoundLine& line : lines) {
    for (const double value : line.values) {
      if (value <= most) high = std::max(high, 1.04 * value);
    }
  }
  if (!style.log_regret) return linear_axis(high, 6);
  if (!(extent.high > 0.0)) return log_axis(1.0, 10.0);
  return log_axis(0.8 * extent.low, high);
}

Axis rounds_axis(const ExperimentResult& result) {
  const FigureStyle& style = result.experiment.figure;
  const double last = result.curve_rounds.back();
  const double first = result.curve_rounds.front();
  if (style.log_rounds && first < last) return log_axis(first, last);
  return linear_axis(last, style.percentile ? 4 : 6);
}

std::string block_name(const PanelNames& names, std::size_t policy) {
  return fmt::format("${}{}", names.block, policy);
}

/// One row per round: round, mean, mean - s.e., mean + s.e., 95th percentile. Rows that a log axis
/// cannot show are left out; a band ends at the axis.
std::string rows_of(const ExperimentResult& result, std::size_t policy, const Axis& rounds,
                    const Axis& regret) {
  std::string rows;
  if (!rounds.log && !regret.log) rows += "0 0 0 0 0\n";
  const std::vector<Summary>& curve = result.best(policy).curve;
  for (std::size_t j = 0; j < curve.size(); ++j) {
    const Summary& at = curve[j];
    if (regret.log && !(at.mean > 0.0)) continue;
    const double low = std::max(at.mean - at.stderr_, regret.low);
    rows += fmt::format("{} {:.7g} {:.7g} {:.7g} {:.7g}\n", result.curve_rounds[j], at.mean, low,
                        at.mean + at.stderr_, std::max(at.p95, regret.low));
  }
  return rows;
}

std::string rows_of(const BoundLine& line) {
  std::string rows;
  for (std::size_t j = 0; j < line.rounds.size(); ++j) {
    rows += fmt::format("{:.10g} {:.7g}\n", line.rounds[j], line.values[j]);
  }
  return rows;
}

std::vector<Layer> layers_of(const ExperimentResult& result, const std::vector<Curve>& curves,
                             const std::vector<BoundLine>& lines, const PanelNames& names,
                             bool percentile) {
  std::vector<Layer> bands;
  std::vector<Layer> layers;
  for (const Curve& curve : curves) {
    const std::string& label = result.experiment.policies[curve.policy].label;
    const std::string block = block_name(names, curve.policy);
    const Style style = style_of(names.palette, label);
    if (!percentile) bands.push_back(band(block, style, 0.22));
    layers.push_back({fmt::format("{} using 1:{}", block, percentile ? 5 : 2),
                      fmt::format("with lines lw 2.2 lc rgb '{}' dt {}", style.colour, style.dash),
                      label, curve.note});
  }
  for (std::size_t j = 0; j < lines.size(); ++j) {
    layers.push_back({fmt::format("$bound{} using 1:2", j),
                      fmt::format("with lines lw 1.4 lc rgb '#707070' dt {}",
                                  kBoundDashes[j % kBoundDashes.size()]),
                      lines[j].label});
  }
  layers.insert(layers.begin(), bands.begin(), bands.end());
  return layers;
}

}  // namespace

std::vector<Panel> rounds_panels(const ExperimentResult& result, const PanelNames& names) {
  const std::vector<Curve> curves = curves_of(result);
  std::vector<BoundLine> lines;
  if (result.experiment.figure.bounds) lines = bound_lines(result);
  Panel mean;
  mean.x = rounds_axis(result);
  mean.y = regret_axis(result, lines);
  mean.x_name = "round";
  mean.y_name = "regret (expected reward lost)";
  const std::size_t hidden = std::erase_if(lines, [&](const BoundLine& line) {
    return std::none_of(line.values.begin(), line.values.end(),
                        [&](double value) { return value <= mean.y.high; });
  });
  if (hidden > 0) mean.remark = "bounds above the figure are not drawn";
  for (std::size_t p = 0; p < result.experiment.policies.size(); ++p) {
    mean.data += data_block(block_name(names, p), rows_of(result, p, mean.x, mean.y));
  }
  for (std::size_t j = 0; j < lines.size(); ++j) {
    mean.data += data_block(fmt::format("$bound{}", j), rows_of(lines[j]));
  }
  mean.layers = layers_of(result, curves, lines, names, false);
  if (!result.experiment.figure.percentile) return {mean};

  Panel percentile = mean;
  mean.title = "mean";
  percentile.title = "95th percentile";
  percentile.data.clear();
  percentile.y_name.clear();
  percentile.layers = layers_of(result, curves, lines, names, true);
  return {mean, percentile};
}

}  // namespace updraft

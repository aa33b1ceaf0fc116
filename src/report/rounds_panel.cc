#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/bound_lines.h"
#include "report/measures.h"
#include "report/panel.h"
#include "updraft/error.h"

namespace updraft {
namespace {

constexpr std::array<std::string_view, 4> kBoundDashes = {"(2,3)", "(6,3)", "(10,3,2,3)", "solid"};

/// The smallest positive, the smallest and the largest value to be seen.
struct CurveExtent {
  Extent positive;
  double low = 0.0;
};

CurveExtent extent_of(const std::vector<Curve>& curves, bool percentile) {
  CurveExtent extent;
  for (const Curve& curve : curves) {
    for (const Summary& at : *curve.means) {
      extent.positive.add(at.mean);
      extent.positive.add(at.mean + at.stderr_);
      if (percentile) extent.positive.add(at.p95);
      extent.low = std::min(extent.low, at.mean - at.stderr_);
    }
  }
  return extent;
}

/// Room for the curves, and for bounds as far as they do not squash them.
Axis value_axis(const FigureStyle& style, const std::vector<Curve>& curves, bool adds_up,
                const std::vector<BoundLine>& lines) {
  const CurveExtent extent = extent_of(curves, style.percentile);
  const bool log = style.log_regret && adds_up;
  double high = (log ? 1.25 : 1.04) * extent.positive.high;
  const double most = (log ? 10.0 : 2.0) * high;
  for (const BoundLine& line : lines) {
    for (const double value : line.values) {
      if (value <= most) high = std::max(high, 1.04 * value);
    }
  }
  // A mean that is below 0 by no more than its error does not move the axis.
  const double low = -extent.low > 0.02 * high ? 1.04 * extent.low : 0.0;
  if (!log) return linear_axis(high, 6, low);
  if (!(extent.positive.high > 0.0)) return log_axis(1.0, 10.0);
  return log_axis(0.8 * extent.positive.low, high);
}

Axis rounds_axis(const ExperimentResult& result) {
  const FigureStyle& style = result.experiment.figure;
  const double last = result.curve_rounds.back();
  const double first = result.curve_rounds.front();
  if (style.log_rounds && first < last) return log_axis(first, last);
  return linear_axis(last, style.percentile || result.experiment.targeting ? 4 : 6);
}

std::string block_name(const PanelNames& names, std::size_t policy) {
  return fmt::format("${}{}", names.block, policy);
}

/// One row per round: round, mean, mean - s.e., mean + s.e., 95th percentile. Rows that a log axis
/// cannot show are left out; a band ends at the axis.
std::string rows_of(const ExperimentResult& result, const Curve& curve, const Panel& panel,
                    bool adds_up) {
  std::string rows;
  if (adds_up && !panel.x.log && !panel.y.log) rows += "0 0 0 0 0\n";
  for (std::size_t j = 0; j < curve.means->size(); ++j) {
    const Summary& at = (*curve.means)[j];
    if (panel.y.log && !(at.mean > 0.0)) continue;
    const double low = std::max(at.mean - at.stderr_, panel.y.low);
    rows += fmt::format("{} {:.7g} {:.7g} {:.7g} {:.7g}\n", result.curve_rounds[j], at.mean, low,
                        at.mean + at.stderr_, std::max(at.p95, panel.y.low));
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

/// The means of one measure, and the curves it is made of.
Panel mean_panel(const ExperimentResult& result, const Measure& measure,
                 const std::vector<Curve>& curves, std::vector<BoundLine>& lines,
                 const PanelNames& names) {
  Panel panel;
  panel.x = rounds_axis(result);
  panel.y = value_axis(result.experiment.figure, curves, measure.adds_up, lines);
  panel.x_name = "round";
  panel.y_name = measure.name;
  const std::size_t hidden = std::erase_if(lines, [&](const BoundLine& line) {
    return std::none_of(line.values.begin(), line.values.end(),
                        [&](double value) { return value <= panel.y.high; });
  });
  if (hidden > 0) panel.remark = "bounds above the figure are not drawn";
  for (const Curve& curve : curves) {
    panel.data +=
        data_block(block_name(names, curve.policy), rows_of(result, curve, panel, measure.adds_up));
  }
  for (std::size_t j = 0; j < lines.size(); ++j) {
    panel.data += data_block(fmt::format("$bound{}", j), rows_of(lines[j]));
  }
  panel.layers = layers_of(result, curves, lines, names, false);
  return panel;
}

std::vector<Panel> targeting_panels(const ExperimentResult& result, const PanelNames& names) {
  std::vector<Panel> panels;
  std::vector<BoundLine> none;
  for (const Measure& measure : measures_of(result.experiment)) {
    const std::vector<Curve> curves = curves_of(result, measure);
    if (curves.empty()) continue;
    const PanelNames own{names.palette, fmt::format("{}_m{}_", names.block, panels.size())};
    panels.push_back(mean_panel(result, measure, curves, none, own));
  }
  return panels;
}

}  // namespace

std::vector<Panel> rounds_panels(const ExperimentResult& result, const PanelNames& names) {
  if (result.experiment.policies.empty()) {
    throw InvalidInput("policies", "must have at least one");
  }
  if (result.experiment.targeting) return targeting_panels(result, names);
  const Measure& regret = measures_of(result.experiment)[0];
  const std::vector<Curve> curves = curves_of(result, regret);
  std::vector<BoundLine> lines;
  if (result.experiment.figure.bounds) lines = bound_lines(result);
  const bool none_holds = result.experiment.figure.bounds && lines.empty();
  Panel mean = mean_panel(result, regret, curves, lines, names);
  if (none_holds) mean.remark = "no bound holds for noise with heavy tails";
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

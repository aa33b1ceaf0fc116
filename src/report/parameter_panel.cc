#include <fmt/format.h>

#include <algorithm>

#include "report/numbers.h"
#include "report/panel.h"
#include "updraft/error.h"

namespace updraft {
namespace {

constexpr double kCurveBand = 0.22;
constexpr double kLineBand = 0.12;  // lines lie close together, their bands one upon the other
constexpr double kLeastBand = 0.3;  // share of a mean below which a band does not stretch the axis

/// A log axis cannot show the others.
bool shows(const GridPoint& point) {
  return point.final_regret.mean > 0.0 && (!point.value || *point.value > 0.0);
}

Axis value_axis(const ExperimentResult& result) {
  Extent extent;
  for (const GridPoint& point : result.points) {
    if (point.value) extent.add(*point.value);
  }
  return log_axis(extent);
}

Axis regret_axis(const ExperimentResult& result) {
  Extent extent;
  for (const GridPoint& point : result.points) {
    const Summary& regret = point.final_regret;
    extent.add(std::max(regret.mean - regret.stderr_, kLeastBand * regret.mean));
    extent.add(regret.mean + regret.stderr_);
  }
  return log_axis(extent);
}

/// The parameters that are tuned: nearly always one.
std::string parameters_of(const Experiment& experiment) {
  std::vector<std::string> names;
  for (const PolicyGrid& grid : experiment.policies) {
    if (!grid.is_tuned()) continue;
    if (std::find(names.begin(), names.end(), grid.parameter) == names.end()) {
      names.push_back(grid.parameter);
    }
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

/// Tuned policies as they come; then the others, the largest regret first, as their lines lie.
std::vector<std::size_t> order_of(const ExperimentResult& result) {
  std::vector<std::size_t> order;
  std::vector<std::size_t> lines;
  for (std::size_t p = 0; p < result.experiment.policies.size(); ++p) {
    (result.experiment.policies[p].is_tuned() ? order : lines).push_back(p);
  }
  std::stable_sort(lines.begin(), lines.end(), [&](std::size_t a, std::size_t b) {
    return result.best(a).final_regret.mean > result.best(b).final_regret.mean;
  });
  order.insert(order.end(), lines.begin(), lines.end());
  return order;
}

/// value, mean, mean - s.e., mean + s.e.; a band ends at the axis.
std::string value_row(double value, const Summary& regret, const Axis& axis) {
  return fmt::format("{:.10g} {:.7g} {:.7g} {:.7g}\n", value, regret.mean,
                     std::max(regret.mean - regret.stderr_, axis.low),
                     regret.mean + regret.stderr_);
}

std::string rows_of(const ExperimentResult& result, std::size_t policy, const Panel& panel) {
  std::string rows;
  for (const GridPoint& point : result.points) {
    if (point.policy != policy || !shows(point)) continue;
    if (point.value) {
      rows += value_row(*point.value, point.final_regret, panel.y);
    } else {
      rows += value_row(panel.x.low, point.final_regret, panel.y);
      rows += value_row(panel.x.high, point.final_regret, panel.y);
    }
  }
  return rows;
}

Layer line(const std::string& block, const PolicyGrid& grid, const Style& style) {
  if (grid.is_tuned()) {
    return {block + " using 1:2",
            fmt::format("with linespoints lw 1.8 lc rgb '{}' dt solid pt {} ps mark", style.colour,
                        style.mark),
            grid.label};
  }
  return {block + " using 1:2",
          fmt::format("with lines lw 2 lc rgb '{}' dt {}", style.colour, style.dash), grid.label};
}

}  // namespace

Panel parameter_panel(const ExperimentResult& result, const PanelNames& names) {
  const Experiment& experiment = result.experiment;
  if (experiment.policies.empty()) throw InvalidInput("policies", "must have at least one");
  Panel panel;
  panel.x = value_axis(result);
  panel.y = regret_axis(result);
  panel.x_name = parameters_of(experiment);
  panel.y_name = fmt::format("regret after {} rounds", grouped(experiment.rounds, 0));
  panel.remark = "lines without marks have nothing to tune";
  std::vector<Layer> lines;
  for (const std::size_t p : order_of(result)) {
    const std::string rows = rows_of(result, p, panel);
    if (rows.empty()) continue;
    const PolicyGrid& grid = experiment.policies[p];
    const std::string block = fmt::format("${}{}", names.block, p);
    const Style style = style_of(names.palette, grid.label);
    panel.data += data_block(block, rows);
    panel.layers.push_back(band(block, style, grid.is_tuned() ? kCurveBand : kLineBand));
    lines.push_back(line(block, grid, style));
  }
  panel.layers.insert(panel.layers.end(), lines.begin(), lines.end());
  return panel;
}

}  // namespace updraft

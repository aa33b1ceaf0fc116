#include <fmt/format.h>

#include <algorithm>

#include "report/gnuplot_script.h"
#include "report/panel.h"
#include "updraft/error.h"
#include "updraft/report.h"

namespace updraft {
namespace {

/// Sizes in pixels. Panels fill a grid row by row, the legend takes the first place left.
constexpr double kCellWidth = 450.0;
constexpr double kCellHeight = 352.0;
constexpr double kHeading = 66.0;
constexpr double kAbove = 34.0;   // of a panel in its cell: its title
constexpr double kBelow = 64.0;   // tick labels and the name of the axis
constexpr double kBeside = 24.0;  // a tick label that sticks out
constexpr double kNameCharacter = 7.2;
constexpr std::size_t kMostTitle = 54;  // characters above a panel
constexpr std::size_t kMostRows = 11;   // of the legend, before it takes a second column

struct Grid {
  std::size_t columns = 1;
  std::size_t rows = 1;

  Canvas canvas() const {
    return {kCellWidth * static_cast<double>(columns),
            kHeading + kCellHeight * static_cast<double>(rows)};
  }
  double left(std::size_t cell) const { return kCellWidth * static_cast<double>(cell % columns); }
  double top(std::size_t cell) const {
    return kHeading + kCellHeight * static_cast<double>(cell / columns);
  }
};

/// At most three columns up to nine cells, at most four beyond.
Grid grid_for(std::size_t cells) {
  Grid grid;
  grid.columns = cells == 4 ? 2 : std::min<std::size_t>(cells, cells > 9 ? 4 : 3);
  grid.rows = (cells + grid.columns - 1) / grid.columns;
  return grid;
}

/// As much of a title as fits above a panel.
std::string shortened(const std::string& title) {
  if (length(title) <= kMostTitle) return title;
  std::size_t end = 0;
  for (std::size_t characters = 0; end < title.size(); ++end) {
    if ((title[end] & 0xc0) != 0x80 && ++characters == kMostTitle) break;
  }
  return title.substr(0, end) + "…";
}

Palette palette_of(const SuiteResult& suite) {
  Palette palette;
  for (const ExperimentResult& part : suite.parts) {
    for (const PolicyGrid& grid : part.experiment.policies) {
      if (std::find(palette.begin(), palette.end(), grid.label) == palette.end()) {
        palette.push_back(grid.label);
      }
    }
  }
  return palette;
}

/// The mean alone: percentiles and bounds are in the experiment's own figure.
Panel panel_of(ExperimentResult part, const PanelNames& names) {
  FigureStyle& style = part.experiment.figure;
  style.percentile = false;
  style.bounds = false;
  Panel panel = style.against == FigureStyle::Against::kParameter
                    ? parameter_panel(part, names)
                    : rounds_panels(part, names).front();
  panel.title = shortened(part.experiment.title);
  return panel;
}

/// One entry for each policy, as the first panel that has it draws it.
std::vector<Layer> legend_of(const std::vector<Panel>& panels, const Palette& palette) {
  std::vector<Layer> legend;
  for (const std::string& label : palette) {
    for (const Panel& panel : panels) {
      const auto layer = std::find_if(panel.layers.begin(), panel.layers.end(),
                                      [&](const Layer& one) { return one.label == label; });
      if (layer == panel.layers.end()) continue;
      legend.push_back({"NaN", layer->style, label});
      break;
    }
  }
  return legend;
}

std::string heading(const SuiteResult& suite, const std::vector<Panel>& panels) {
  std::string remark;
  for (const Panel& panel : panels) {
    if (remark.find(panel.remark) == std::string::npos) {
      remark += (remark.empty() ? "" : "; ") + panel.remark;
    }
  }
  const std::uint32_t runs = suite.parts.front().experiment.runs;
  const bool same =
      std::all_of(suite.parts.begin(), suite.parts.end(),
                  [&](const ExperimentResult& part) { return part.experiment.runs == runs; });
  if (same) return runs_text(runs, remark);
  return "bands: one standard error of the mean" + (remark.empty() ? "" : "; " + remark);
}

std::string panel_commands(const Panel& panel, const Grid& grid, std::size_t cell, double left) {
  const Canvas canvas = grid.canvas();
  const Box box{grid.left(cell) + left, grid.left(cell) + kCellWidth - kBeside,
                grid.top(cell) + kAbove, grid.top(cell) + kCellHeight - kBelow};
  return axis_commands(panel.x, "x") + axis_commands(panel.y, "y") + margin_commands(canvas, box) +
         axis_name_commands(canvas, box, panel.x_name, panel.y_name, grid.left(cell) + 18.0) +
         fmt::format("set title {} offset 0,-0.5\n", in_quotes(panel.title)) +
         plot_command(panel.layers, false);
}

/// A plot without axes that has nothing but a legend.
std::string legend_panel(const std::vector<Layer>& legend, const Grid& grid, std::size_t cell,
                         const std::string& terminal) {
  const Canvas canvas = grid.canvas();
  const Box box{grid.left(cell) + 40.0, grid.left(cell) + kCellWidth, grid.top(cell) + kAbove,
                grid.top(cell) + kCellHeight};
  return "unset logscale\nunset border\nunset tics\nunset grid\nunset title\nunset label\n"
         "set xrange [0:1]\nset yrange [0:1]\n" +
         margin_commands(canvas, box) +
         legend_commands(canvas, box.left, box.top, terminal == "svg" ? 1.1 : 1.3) +
         fmt::format("set key maxrows {}\n", kMostRows) + plot_command(legend, true);
}

}  // namespace

std::string figure_script(const SuiteResult& suite, const std::string& terminal,
                          const std::filesystem::path& output) {
  if (suite.parts.empty()) throw InvalidInput("experiments", "must have at least one");
  const Palette palette = palette_of(suite);
  std::vector<Panel> panels;
  std::size_t widest = 0;
  for (const ExperimentResult& part : suite.parts) {
    panels.push_back(panel_of(part, {palette, fmt::format("part{}_policy", panels.size())}));
    widest = std::max(widest, longest_tick(panels.back().y));
  }
  const Grid grid = grid_for(panels.size() + 1);
  std::string script = terminal_commands(terminal, grid.canvas(), output.string());
  for (const Panel& panel : panels) script += panel.data;
  script += frame_commands();
  script += heading_commands(terminal, grid.canvas(), suite.title, heading(suite, panels));
  script += "set multiplot\nunset key\n";
  const double left = 52.0 + kNameCharacter * static_cast<double>(widest);
  for (std::size_t j = 0; j < panels.size(); ++j) {
    script += panel_commands(panels[j], grid, j, left);
    if (j == 0) script += "unset label 1\nunset label 2\n";
  }
  script += legend_panel(legend_of(panels, palette), grid, panels.size(), terminal);
  return script + "unset multiplot\n";
}

}  // namespace updraft

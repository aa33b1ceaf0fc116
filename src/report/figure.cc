#include <fmt/format.h>

#include <algorithm>

#include "report/gnuplot_script.h"
#include "report/panel.h"
#include "updraft/report.h"

namespace updraft {
namespace {

/// Sizes in pixels. Panels stand side by side, the legend at the right of them.
struct Layout {
  Canvas canvas = {900.0, 560.0};
  double left = 0.0;    ///< of a panel: tick labels and the name of the axis
  double legend = 0.0;  ///< width
  double top = 78.0;
  static constexpr double kAxisName = 18.0;
  static constexpr double kBottom = 62.0;
  static constexpr double kCharacter = 7.6;
};

Layout layout_for(const std::vector<Panel>& panels) {
  const bool two = panels.size() > 1;
  Layout layout;
  if (two) layout.top = 108.0;
  layout.left = 58.0 + Layout::kCharacter * static_cast<double>(longest_tick(panels[0].y));
  layout.legend = 88.0 + 1.1 * Layout::kCharacter * static_cast<double>(longest_legend(panels[0]));
  layout.canvas.width =
      std::max(two ? 1300.0 : 900.0, layout.left + layout.legend + (two ? 800.0 : 480.0));
  return layout;
}

Box box_of(const Layout& layout, std::size_t panels, std::size_t panel) {
  const double inside = layout.canvas.width - layout.left - layout.legend;
  // No axis name between two panels, but a tick label that sticks out.
  const double gap = panels > 1 ? layout.left - 8.0 : 0.0;
  const auto count = static_cast<double>(panels);
  const double width = (inside - (count - 1.0) * gap) / count;
  const double left = layout.left + static_cast<double>(panel) * (width + gap);
  return {left, left + width, layout.top, layout.canvas.height - Layout::kBottom};
}

}  // namespace

std::string figure_script(const ExperimentResult& result, const std::string& terminal,
                          const std::filesystem::path& output) {
  const Experiment& experiment = result.experiment;
  const PanelNames names{palette_of(experiment)};
  const std::vector<Panel> panels = experiment.figure.against == FigureStyle::Against::kParameter
                                        ? std::vector<Panel>{parameter_panel(result, names)}
                                        : rounds_panels(result, names);
  const Layout layout = layout_for(panels);
  const Canvas& canvas = layout.canvas;
  std::string script = terminal_commands(terminal, canvas, output.string());
  for (const Panel& panel : panels) script += panel.data;
  script += axis_commands(panels[0].x, "x") + axis_commands(panels[0].y, "y") + frame_commands();
  script += heading_commands(terminal, canvas, experiment.title,
                             runs_text(experiment.runs, panels[0].remark));
  if (panels.size() > 1) script += "set multiplot\n";
  for (std::size_t j = 0; j < panels.size(); ++j) {
    const Panel& panel = panels[j];
    const bool last = j + 1 == panels.size();
    const Box box = box_of(layout, panels.size(), j);
    if (!panel.title.empty())
      script += fmt::format("set title {} offset 0,-0.4\n", in_quotes(panel.title));
    script += last ? legend_commands(canvas, canvas.width - layout.legend + 14.0, layout.top, 1.35)
                   : "unset key\n";
    script += margin_commands(canvas, box) +
              axis_name_commands(canvas, box, panel.x_name, panel.y_name, Layout::kAxisName);
    script += plot_command(panel.layers, last);
    if (!last) script += "unset label 1\nunset label 2\n";
  }
  return panels.size() > 1 ? script + "unset multiplot\n" : script;
}

}  // namespace updraft

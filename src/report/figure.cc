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
  double gap = 0.0;     ///< between panels: the same, without the name where they have none
  double legend = 0.0;  ///< width
  double top = 78.0;
  static constexpr double kAxisName = 18.0;
  static constexpr double kBottom = 62.0;
  static constexpr double kCharacter = 7.6;
};

Layout layout_for(const std::vector<Panel>& panels) {
  Layout layout;
  std::size_t tick = 0;
  bool named = false;
  for (const Panel& panel : panels) {
    if (!panel.title.empty()) layout.top = 108.0;
    tick = std::max(tick, longest_tick(panel.y));
    named = !panel.y_name.empty();
  }
  const auto count = static_cast<double>(panels.size());
  layout.left = 58.0 + Layout::kCharacter * static_cast<double>(tick);
  // A tick label of the x axis sticks out.
  layout.gap = panels.size() == 1 ? 0.0 : layout.left + (named ? 12.0 : -8.0);
  layout.legend =
      88.0 + 1.1 * Layout::kCharacter * static_cast<double>(longest_legend(panels.back()));
  layout.canvas.width = std::max(
      500.0 + 400.0 * count, layout.left + layout.legend + (count == 1.0 ? 480.0 : 400.0 * count));
  return layout;
}

Box box_of(const Layout& layout, std::size_t panels, std::size_t panel) {
  const double inside = layout.canvas.width - layout.left - layout.legend;
  const auto count = static_cast<double>(panels);
  const double width = (inside - (count - 1.0) * layout.gap) / count;
  const double left = layout.left + static_cast<double>(panel) * (width + layout.gap);
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
  script += frame_commands();
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
    script += axis_commands(panel.x, "x") + axis_commands(panel.y, "y") +
              margin_commands(canvas, box) +
              axis_name_commands(canvas, box, panel.x_name, panel.y_name,
                                 box.left - layout.left + Layout::kAxisName);
    script += plot_command(panel.layers, last);
    if (!last) script += "unset label 1\nunset label 2\n";
  }
  return panels.size() > 1 ? script + "unset multiplot\n" : script;
}

}  // namespace updraft

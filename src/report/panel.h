#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/axis.h"
#include "updraft/results.h"

namespace updraft {

/// How a policy is drawn.
struct Style {
  std::string_view colour;
  std::string_view dash;
  int mark = 0;  ///< gnuplot's number of a filled point
};

/// The labels of a figure's policies; a policy has the same style wherever it occurs.
using Palette = std::vector<std::string>;

Palette palette_of(const Experiment& experiment);

/// The style of a label. Throws InvalidInput if it is not in the palette.
Style style_of(const Palette& palette, const std::string& label);

/// Something to plot, and what it is called.
struct Layer {
  std::string data;        ///< which columns of which block
  std::string style;       ///< with lines, ...
  std::string label = "";  ///< in the legend; empty if it has no entry
  std::string note = "";   ///< beside the label, where there is room
};

/// One plot: what a figure is made of.
struct Panel {
  std::string title = "";  ///< above it; empty for none
  std::string data = "";   ///< gnuplot's data blocks
  Axis x = {};
  Axis y = {};
  std::string x_name = "";
  std::string y_name = "";
  std::vector<Layer> layers = {};  ///< those in front last
  std::string remark = "";         ///< for the heading
};

/// How the data blocks of a panel are called; a figure of many panels gives each its own.
struct PanelNames {
  Palette palette;
  std::string block = "policy";
};

/// Rows of numbers under a name, `$policy0`.
std::string data_block(const std::string& name, const std::string& rows);

/// A band in the policy's colour between columns 3 and 4 of a block.
Layer band(const std::string& block, const Style& style, double opacity);

/// What a figure says below its title: how many runs, what the bands are, and the remark.
std::string runs_text(std::uint32_t runs, const std::string& remark);

/// The label, with the note in brackets.
std::string legend_text(const Layer& layer);

/// The longest legend_text() and the longest tick of the y axis, in characters.
std::size_t longest_legend(const Panel& panel);
std::size_t longest_tick(const Axis& axis);

/// The command that plots the layers, with or without entries in the legend.
std::string plot_command(const std::vector<Layer>& layers, bool with_legend);

/// Mean regret of the chosen values against rounds, with bands of one standard error; where the
/// experiment's figure asks for it, a second panel with the 95th percentile from the same data.
/// Targeting has three panels instead: regret, regret of the payoffs that came, and the mean
/// uplift of those treated; policies that learn nothing are in the last one only.
/// Throws InvalidInput if there are no policies, or no curves.
std::vector<Panel> rounds_panels(const ExperimentResult& result, const PanelNames& names);

/// Mean final regret against the tuned parameter, with bands of one standard error, on logarithmic
/// axes: a curve for each tuned policy, a horizontal line for each other.
/// Throws InvalidInput if there are no policies.
Panel parameter_panel(const ExperimentResult& result, const PanelNames& names);

}  // namespace updraft

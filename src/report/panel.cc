#include "report/panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/gnuplot_script.h"
#include "report/numbers.h"
#include "updraft/error.h"

namespace updraft {
namespace {

// Okabe and Ito's colours, which colour-blind readers can tell apart, with yellow darkened to be
// seen on white, and two more; the dash pattern tells the curves apart without colour.
constexpr std::array<std::string_view, 10> kColours = {"#D55E00", "#0072B2", "#009E73", "#CC79A7",
                                                       "#E69F00", "#56B4E9", "#000000", "#B8A800",
                                                       "#7A3E9D", "#8B5A2B"};
constexpr std::array<std::string_view, 7> kDashes = {
    "solid", "(14,5)", "(3,4)", "(14,4,3,4)", "(7,4)", "(20,4,3,4,3,4)", "(24,6)"};
constexpr std::array<int, 5> kMarks = {7, 5, 9, 13, 11};

}  // namespace

Palette palette_of(const Experiment& experiment) {
  Palette palette;
  for (const PolicyGrid& grid : experiment.policies) palette.push_back(grid.label);
  return palette;
}

Style style_of(const Palette& palette, const std::string& label) {
  const auto found = std::find(palette.begin(), palette.end(), label);
  if (found == palette.end()) throw InvalidInput("label", label, "must be in the palette");
  const auto place = static_cast<std::size_t>(found - palette.begin());
  return {kColours[place % kColours.size()], kDashes[place % kDashes.size()],
          kMarks[place % kMarks.size()]};
}

std::string data_block(const std::string& name, const std::string& rows) {
  return fmt::format("{} << EOD\n{}EOD\n", name, rows);
}

Layer band(const std::string& block, const Style& style, double opacity) {
  return {block + " using 1:3:4",
          fmt::format("with filledcurves fc rgb '{}' fs transparent solid {} noborder",
                      style.colour, opacity)};
}

std::string runs_text(std::uint32_t runs, const std::string& remark) {
  const std::string text =
      runs == 1 ? "one run"
                : fmt::format("{} runs; bands: one standard error of the mean", grouped(runs, 0));
  return remark.empty() ? text : fmt::format("{}; {}", text, remark);
}

std::string legend_text(const Layer& layer) {
  return layer.note.empty() ? layer.label : fmt::format("{} ({})", layer.label, layer.note);
}

std::size_t longest_legend(const Panel& panel) {
  std::size_t longest = 0;
  for (const Layer& layer : panel.layers) longest = std::max(longest, length(legend_text(layer)));
  return longest;
}

std::size_t longest_tick(const Axis& axis) {
  std::size_t longest = 0;
  for (const Tick& tick : axis.ticks) longest = std::max(longest, length(tick.label));
  return longest;
}

std::string plot_command(const std::vector<Layer>& layers, bool with_legend) {
  std::vector<std::string> items;
  for (const Layer& layer : layers) {
    const bool titled = with_legend && !layer.label.empty();
    items.push_back(
        fmt::format("{} {} {}", layer.data, layer.style,
                    titled ? "title " + in_quotes(legend_text(layer)) : std::string("notitle")));
  }
  return fmt::format("plot {}\n", fmt::join(items, ", \\\n     "));
}

}  // namespace updraft

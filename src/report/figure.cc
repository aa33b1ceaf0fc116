#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "report/axis.h"
#include "report/bound_lines.h"
#include "report/numbers.h"
#include "updraft/error.h"
#include "updraft/report.h"

namespace updraft {
namespace {

// Okabe and Ito's colours, which colour-blind readers can tell apart, with yellow darkened to be
// seen on white; the dash pattern tells the curves apart without colour.
constexpr std::array<std::string_view, 8> kColours = {"#D55E00", "#0072B2", "#009E73", "#CC79A7",
                                                      "#E69F00", "#56B4E9", "#000000", "#B8A800"};
constexpr std::array<std::string_view, 7> kDashes = {
    "solid", "(14,5)", "(3,4)", "(14,4,3,4)", "(7,4)", "(20,4,3,4,3,4)", "(24,6)"};
constexpr std::array<std::string_view, 4> kBoundDashes = {"(2,3)", "(6,3)", "(10,3,2,3)", "solid"};

/// Sizes in pixels of the SVG; the PNG has twice as many.
struct Layout {
  double width = 900.0;
  double height = 560.0;
  double left = 0.0;    ///< of a panel: tick labels and the name of the axis
  double legend = 0.0;  ///< width at the right
  double top = 78.0;
  static constexpr double kBottom = 62.0;
  static constexpr double kCharacter = 7.6;
};

struct Curve {
  std::size_t policy = 0;
  std::string legend;
};

/// In gnuplot's single quotes nothing is special but the quote itself.
std::string quoted(std::string text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') result += c;
    result += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  }
  return result + "'";
}

/// Characters, not bytes, of UTF-8.
std::size_t length(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

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
    curves.push_back({p, tuned ? fmt::format("{} ({} = {})", grid.label, grid.parameter,
                                             number_text(*point.value))
                               : grid.label});
  }
  if (curves.empty()) throw InvalidInput("policies", "must have at least one");
  std::stable_sort(curves.begin(), curves.end(), [&](const Curve& a, const Curve& b) {
    return result.best(a.policy).final_regret.mean > result.best(b.policy).final_regret.mean;
  });
  return curves;
}

/// The smallest positive and the largest value that the curves show.
struct Extent {
  double low = HUGE_VAL;
  double high = 0.0;

  void add(double value) {
    if (value > 0.0) low = std::min(low, value);
    high = std::max(high, value);
  }
};

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

/// One row per round: round, mean, mean - s.e., mean + s.e., 95th percentile. Rows that a log axis
/// cannot show are left out; a band ends at the axis.
std::string data_block(const ExperimentResult& result, std::size_t policy, const Axis& rounds,
                       const Axis& regret) {
  std::string rows = fmt::format("$policy{} << EOD\n", policy);
  if (!rounds.log && !regret.log) rows += "0 0 0 0 0\n";
  const std::vector<Summary>& curve = result.best(policy).curve;
  for (std::size_t j = 0; j < curve.size(); ++j) {
    const Summary& at = curve[j];
    if (regret.log && !(at.mean > 0.0)) continue;
    const double low = std::max(at.mean - at.stderr_, regret.low);
    rows += fmt::format("{} {:.7g} {:.7g} {:.7g} {:.7g}\n", result.curve_rounds[j], at.mean, low,
                        at.mean + at.stderr_, std::max(at.p95, regret.low));
  }
  return rows + "EOD\n";
}

std::string bound_block(const BoundLine& line, std::size_t number) {
  std::string rows = fmt::format("$bound{} << EOD\n", number);
  for (std::size_t j = 0; j < line.rounds.size(); ++j) {
    rows += fmt::format("{:.10g} {:.7g}\n", line.rounds[j], line.values[j]);
  }
  return rows + "EOD\n";
}

std::string plot_command(const std::vector<Curve>& curves, const std::vector<BoundLine>& lines,
                         bool percentile) {
  std::vector<std::string> items;
  for (std::size_t j = 0; j < curves.size() && !percentile; ++j) {
    const std::size_t p = curves[j].policy;
    items.push_back(
        fmt::format("$policy{} using 1:3:4 with filledcurves fc rgb '{}' "
                    "fs transparent solid 0.22 noborder notitle",
                    p, kColours[p % kColours.size()]));
  }
  for (const Curve& curve : curves) {
    const std::size_t p = curve.policy;
    items.push_back(fmt::format("$policy{} using 1:{} with lines lw 2.2 lc rgb '{}' dt {} title {}",
                                p, percentile ? 5 : 2, kColours[p % kColours.size()],
                                kDashes[p % kDashes.size()], quoted(curve.legend)));
  }
  for (std::size_t j = 0; j < lines.size(); ++j) {
    items.push_back(
        fmt::format("$bound{} using 1:2 with lines lw 1.4 lc rgb '#707070' dt {} title {}", j,
                    kBoundDashes[j % kBoundDashes.size()], quoted(lines[j].label)));
  }
  return fmt::format("plot {}\n", fmt::join(items, ", \\\n     "));
}

std::string terminal_commands(const std::string& terminal, const Layout& layout) {
  if (terminal == "svg") {
    return fmt::format(
        "set terminal svg noenhanced size {:.0f},{:.0f} font 'Helvetica,Arial,sans-serif,14' "
        "background '#ffffff' linewidth 1\n",
        layout.width, layout.height);
  }
  if (terminal == "png") {
    return fmt::format(
        "set terminal pngcairo noenhanced size {:.0f},{:.0f} font 'sans-serif,11' fontscale 2 "
        "background '#ffffff' linewidth 2\n",
        2.0 * layout.width, 2.0 * layout.height);
  }
  throw InvalidInput("terminal", terminal, "must be svg or png");
}

std::string panel_margins(const Layout& layout, bool two, int panel) {
  const double inside = layout.width - layout.left - layout.legend;
  const double gap =
      two ? layout.left - 8.0 : 0.0;  // no axis name, but a tick label that sticks out
  const double panel_width = two ? (inside - gap) / 2.0 : inside;
  const double from = layout.left + panel * (panel_width + gap);
  return fmt::format(
      "set lmargin at screen {:.5f}\nset rmargin at screen {:.5f}\n"
      "set tmargin at screen {:.5f}\nset bmargin at screen {:.5f}\n",
      from / layout.width, (from + panel_width) / layout.width, 1.0 - layout.top / layout.height,
      Layout::kBottom / layout.height);
}

std::string subtitle(const Experiment& experiment, bool bounds_left_out) {
  std::string text = experiment.runs == 1
                         ? "one run"
                         : fmt::format("{} runs; bands: one standard error of the mean",
                                       grouped(experiment.runs, 0));
  if (bounds_left_out) text += "; bounds above the figure are not drawn";
  return text;
}

}  // namespace

std::string figure_script(const ExperimentResult& result, const std::string& terminal,
                          const std::filesystem::path& output) {
  const Experiment& experiment = result.experiment;
  const bool two = experiment.figure.percentile;
  const std::vector<Curve> curves = curves_of(result);
  std::vector<BoundLine> lines;
  if (experiment.figure.bounds) lines = bound_lines(result);
  const Axis regret = regret_axis(result, lines);
  const Axis rounds = rounds_axis(result);
  const std::size_t hidden = std::erase_if(lines, [&](const BoundLine& line) {
    return std::none_of(line.values.begin(), line.values.end(),
                        [&](double value) { return value <= regret.high; });
  });

  std::size_t longest_legend = 0;
  for (const Curve& curve : curves) longest_legend = std::max(longest_legend, length(curve.legend));
  for (const BoundLine& line : lines) longest_legend = std::max(longest_legend, length(line.label));
  std::size_t longest_tick = 0;
  for (const Tick& tick : regret.ticks) longest_tick = std::max(longest_tick, length(tick.label));
  Layout layout;
  if (two) layout.top = 108.0;
  layout.left = 58.0 + Layout::kCharacter * static_cast<double>(longest_tick);
  layout.legend = 88.0 + 1.1 * Layout::kCharacter * static_cast<double>(longest_legend);
  layout.width =
      std::max(two ? 1300.0 : 900.0, layout.left + layout.legend + (two ? 800.0 : 480.0));

  std::string script = terminal_commands(terminal, layout);
  script += fmt::format("set encoding utf8\nset output {}\n", quoted(output.string()));
  for (std::size_t p = 0; p < experiment.policies.size(); ++p) {
    script += data_block(result, p, rounds, regret);
  }
  for (std::size_t j = 0; j < lines.size(); ++j) script += bound_block(lines[j], j);
  script += axis_commands(rounds, "x") + axis_commands(regret, "y");
  script += "set border 3 lw 1 lc rgb '#606060'\nset tics nomirror out scale 0.6,0.3\n";
  script += "set grid xtics ytics back lt 1 lw 0.8 dt solid lc rgb '#e4e4e4'\n";
  script +=
      "set xlabel 'round' offset 0,0.2\nset ylabel 'regret (expected reward lost)' offset 0.6,0\n";
  script += fmt::format("set label 1 {} at screen {:.5f},{:.5f} left font ',{}'\n",
                        quoted(experiment.title), 16.0 / layout.width, 1.0 - 26.0 / layout.height,
                        terminal == "svg" ? 18 : 14);
  script += fmt::format("set label 2 {} at screen {:.5f},{:.5f} left textcolor rgb '#606060'\n",
                        quoted(subtitle(experiment, hidden > 0)), 16.0 / layout.width,
                        1.0 - 50.0 / layout.height);
  const std::string key = fmt::format(
      "set key at screen {:.5f},{:.5f} left top Left reverse samplen 3.4 spacing 1.35\n",
      (layout.width - layout.legend + 14.0) / layout.width, 1.0 - layout.top / layout.height);
  if (!two)
    return script + key + panel_margins(layout, two, 0) + plot_command(curves, lines, false);

  script +=
      "set multiplot\nunset key\nset title 'mean' offset 0,-0.4\n" + panel_margins(layout, two, 0);
  script += plot_command(curves, lines, false);
  script +=
      "unset label 1\nunset label 2\nset title '95th percentile' offset 0,-0.4\nunset ylabel\n";
  script += key + panel_margins(layout, two, 1) + plot_command(curves, lines, true);
  return script + "unset multiplot\n";
}

}  // namespace updraft

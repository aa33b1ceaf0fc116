#include "updraft/value_figure.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/axis.h"
#include "report/gnuplot_script.h"
#include "report/panel.h"
#include "updraft/error.h"

namespace updraft {
namespace {

constexpr double kRow = 34.0;  // pixels
constexpr double kLabelCharacter = 7.6;

struct Row {
  const PolicyValue* policy;
  double place;  ///< on the y axis
};

/// What is drawn of a policy: the widest intervals would hide the others, so ips is not.
constexpr Estimator kDrawn[] = {Estimator::kSnips, Estimator::kDr, Estimator::kUpliftDr,
                                Estimator::kReplay};
constexpr const char* kColours[] = {"#999999", "#0072b2", "#d55e00", "#009e73"};

std::vector<Row> rows_of(const Evaluation& evaluation) {
  std::vector<Row> rows;
  for (const PolicyValue& policy : evaluation.policies) {
    if (policy.refusal.empty()) rows.push_back({&policy, 0.0});
  }
  if (rows.empty()) throw InvalidInput("figure", "no policy has an estimate");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].place = static_cast<double>(rows.size() - i);
  }
  return rows;
}

Axis values_axis(const Evaluation& evaluation, const std::vector<Row>& rows) {
  double low = evaluation.logged.interval.low;
  double high = evaluation.logged.interval.high;
  for (const Row& row : rows) {
    for (const Estimator estimator : kDrawn) {
      if (const auto& estimate = (*row.policy)[estimator]) {
        low = std::min(low, estimate->interval.low);
        high = std::max(high, estimate->interval.high);
      }
    }
  }
  Axis axis = linear_axis(high, 8, low);
  axis.low = low - 0.03 * (high - low);
  axis.high = high + 0.03 * (high - low);
  return axis;
}

/// The intervals of an estimator; empty if no policy has it.
std::string block_of(const std::vector<Row>& rows, std::size_t drawn) {
  std::string text;
  for (const Row& row : rows) {
    const auto& estimate = (*row.policy)[kDrawn[drawn]];
    if (!estimate) continue;
    text += fmt::format("{:.10g} {:.10g} {:.10g} {:.10g}\n", estimate->value,
                        row.place + 0.15 * (1.0 - static_cast<double>(drawn)),
                        estimate->interval.low, estimate->interval.high);
  }
  return text;
}

}  // namespace

std::string figure_script(const Evaluation& evaluation, const std::string& terminal,
                          const std::filesystem::path& output) {
  const std::vector<Row> rows = rows_of(evaluation);
  std::size_t longest = 0;
  std::vector<std::string> names;
  for (const Row& row : rows) {
    longest = std::max(longest, length(row.policy->policy));
    names.push_back(fmt::format("{} {}", in_quotes(row.policy->policy), row.place));
  }
  const double left =
      40.0 + kLabelCharacter * static_cast<double>(std::min<std::size_t>(longest, 60));
  const Canvas canvas{left + 620.0, 150.0 + kRow * static_cast<double>(rows.size())};
  const Box box{left, canvas.width - 150.0, 78.0, canvas.height - 62.0};
  std::string script = terminal_commands(terminal, canvas, output.string());
  std::vector<std::string> plots;
  for (std::size_t drawn = 0; drawn < std::size(kDrawn); ++drawn) {
    const std::string block = block_of(rows, drawn);
    if (block.empty()) continue;
    const std::string name = fmt::format("$value{}", drawn);
    script += data_block(name, block);
    plots.push_back(fmt::format(
        "{} using 1:2:3:4 with xerrorbars pt 7 ps 1.6 * mark lw 1.6 lc rgb '{}' title '{}'", name,
        kColours[drawn], estimator_name(kDrawn[drawn])));
  }
  script += frame_commands();
  script += heading_commands(terminal, canvas, "Reward per round",
                             fmt::format("{} logged rounds; 95 % intervals; the line is the log's "
                                         "own mean",
                                         evaluation.rounds));
  script += axis_commands(values_axis(evaluation, rows), "x");
  script += fmt::format("set yrange [0.4:{:.1f}]\nset ytics ({})\n",
                        static_cast<double>(rows.size()) + 0.6, fmt::join(names, ", "));
  script += fmt::format(
      "set arrow from {0:.10g}, graph 0 to {0:.10g}, graph 1 nohead dt 2 lc rgb '#606060'\n",
      evaluation.logged.value);
  script += margin_commands(canvas, box);
  script += legend_commands(canvas, canvas.width - 140.0, 78.0, 1.35);
  return script + fmt::format("plot {}\n", fmt::join(plots, ", "));
}

}  // namespace updraft

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "command.h"
#include "describe.h"
#include "options.h"
#include "output.h"
#include "updraft/error.h"
#include "updraft/instance.h"
#include "updraft/theory.h"
#include "updraft/version.h"

namespace updraft::cli {
namespace {

constexpr std::uint64_t kMostRounds = 1'000'000'000'000'000;  // exact as a double

constexpr const char* kHelp =
    "Evaluates the regret bounds of the theory on an instance.\n"
    "An upper bound holds for its policy with probability 1 - delta when the policy is given that\n"
    "delta; a lower bound is what no consistent policy can beat on the worst instance of this\n"
    "size.";

constexpr const char* kFooter =
    "What comes out: every bound with its value, formula and source, and beside it the trivial\n"
    "bound, rounds times the largest gap: an upper bound above it says nothing. With --json\n"
    "  {version, instance, rounds, delta, max_affected, min_uplift, effect_gap, trivial,\n"
    "  bounds: [{name, kind, formula, reference, value, below_trivial}]}\n"
    "where value is null if the bound needs the least individual uplift or the effect gap and the\n"
    "instance has none.\n"
    "\n"
    "Examples:\n"
    "  updraft bounds --instance criteo --rounds 5000 --delta 0.05\n"
    "  updraft bounds --instance gaussian --rounds 1000000 --max-affected 15";

struct Options {
  std::string instance;
  std::optional<std::string> rounds;
  std::string delta = "0.05";
  std::optional<std::string> max_affected;
  std::optional<std::string> min_uplift;
  std::optional<std::string> effect_gap;
  bool json = false;
};

struct Row {
  BoundInfo info;
  std::optional<double> value;  ///< absent if the Delta it needs is not > 0
};

/// L must bound what every action affects, or the bounds would not hold.
std::size_t parse_max_affected(const std::string& text, const Instance& instance) {
  const std::size_t value = parse_count("--max-affected", text, {1, instance.variables()});
  if (value < instance.max_affected()) {
    throw InvalidInput("--max-affected", text,
                       fmt::format("must be >= {}, the most that an action of {} affects",
                                   instance.max_affected(), instance.name()));
  }
  return value;
}

BoundInputs bound_inputs(const Options& options, const Instance& instance) {
  const std::uint64_t rounds = options.rounds
                                   ? parse_count("--rounds", *options.rounds, {1, kMostRounds})
                                   : default_rounds(options.instance);
  BoundInputs in = BoundInputs::of(instance, static_cast<double>(rounds),
                                   parse_probability("--delta", options.delta));
  if (options.max_affected) in.max_affected = parse_max_affected(*options.max_affected, instance);
  if (options.min_uplift) in.min_uplift = parse_positive("--min-uplift", *options.min_uplift);
  if (options.effect_gap) in.effect_gap = parse_positive("--effect-gap", *options.effect_gap);
  return in;
}

std::vector<Row> evaluate(const BoundInputs& in) {
  std::vector<Row> rows;
  for (const BoundInfo& info : bounds()) {
    rows.push_back({info, applies(info, in) ? std::optional(info.evaluate(in)) : std::nullopt});
  }
  return rows;
}

/// Every round at the largest gap.
double trivial_bound(const BoundInputs& in) {
  return in.rounds * *std::max_element(in.gaps.begin(), in.gaps.end());
}

Json rows_json(const std::vector<Row>& rows, double trivial) {
  Json out = Json::array();
  for (const Row& row : rows) {
    Json bound;
    bound["name"] = row.info.name;
    bound["kind"] = row.info.upper ? "upper" : "lower";
    bound["formula"] = row.info.formula;
    bound["reference"] = row.info.reference;
    bound["value"] = row.value ? Json(*row.value) : Json(nullptr);
    bound["below_trivial"] = row.value && *row.value < trivial;
    out.push_back(std::move(bound));
  }
  return out;
}

std::string share_text(double value, double trivial) {
  if (!(trivial > 0.0)) return "-";
  return value < trivial ? percent_text(value / trivial)
                         : fixed_text(value / trivial, value < 10.0 * trivial ? 1 : 0) + "x";
}

std::string values_table(const std::vector<Row>& rows, double trivial, bool upper) {
  using enum Table::Align;
  Table table({{.title = upper ? "policy" : "lower bound"},
               {.title = upper ? "regret at most" : "regret at least", .align = kRight},
               {.title = "of trivial", .align = kRight},
               {.title = "source"}});
  for (const Row& row : rows) {
    if (row.info.upper != upper) continue;
    table.add_row({std::string(row.info.name),
                   row.value ? fixed_text(*row.value, decimals_for(trivial))
                             : "needs " + short_words(row.info.needs),
                   row.value ? share_text(*row.value, trivial) : "-",
                   std::string(row.info.reference)});
  }
  return table.text();
}

std::string formulas_table(const std::vector<Row>& rows) {
  Table table({{.title = "bound"},
               {.title = "formula (sums over the actions with a gap; a*: the best action)"}});
  for (const Row& row : rows) {
    table.add_row({std::string(row.info.name), std::string(row.info.formula)});
  }
  return table.text();
}

std::string report(const Instance& instance, const BoundInputs& in, const std::vector<Row>& rows) {
  const double trivial = trivial_bound(in);
  const auto delta_text = [](double value) { return value > 0.0 ? short_text(value) : "none"; };
  std::string out =
      fmt::format("{}: {}, L = {}, Delta = {}, effect gap = {}; {} rounds, delta = {}\n",
                  printable_text(instance.name()), size_words(instance),
                  count_text(in.max_affected), delta_text(in.min_uplift), delta_text(in.effect_gap),
                  fixed_text(in.rounds, 0), number_text(in.delta));
  out += fmt::format("Trivial bound, every round at the largest gap: {}\n\n",
                     fixed_text(trivial, decimals_for(trivial)));
  out += values_table(rows, trivial, true) + '\n';
  out += values_table(rows, trivial, false) + '\n';
  out += formulas_table(rows);
  out +=
      "\nAn upper bound says something only where it is below the trivial one. Lower bounds are for"
      "\nthe worst instance of this size and many rounds; above the trivial one they say "
      "nothing.\n";
  if (!(in.min_uplift > 0.0)) {
    out += fmt::format("Delta, the least individual uplift: {}; --min-uplift gives one.\n",
                       min_uplift_words(instance));
  }
  if (!(in.effect_gap > 0.0)) {
    out += fmt::format("Effect gap: {}; --effect-gap gives one.\n", effect_gap_words(instance));
  }
  return out;
}

void run(const Options& options) {
  if (options.instance.empty()) {
    throw InvalidInput("--instance", "must be given; updraft instance lists what there is");
  }
  const auto instance = load_instance(options.instance);
  const BoundInputs in = bound_inputs(options, *instance);
  const std::vector<Row> rows = evaluate(in);
  if (!options.json) {
    write_output(report(*instance, in, rows));
    return;
  }
  Json out;
  out["version"] = UPDRAFT_VERSION;
  out["instance"] = instance_json(*instance);
  out["rounds"] = static_cast<std::uint64_t>(in.rounds);
  out["delta"] = in.delta;
  out["max_affected"] = in.max_affected;
  out["min_uplift"] = in.min_uplift > 0.0 ? Json(in.min_uplift) : Json(nullptr);
  out["effect_gap"] = in.effect_gap > 0.0 ? Json(in.effect_gap) : Json(nullptr);
  out["trivial"] = trivial_bound(in);
  out["bounds"] = rows_json(rows, trivial_bound(in));
  write_output(json_text(out));
}

}  // namespace

Command add_bounds_command(CLI::App& program) {
  auto options = std::make_shared<Options>();
  CLI::App* command = program.add_subcommand("bounds", kHelp);
  command->add_option("--instance", options->instance, "A shipped instance or an instance file")
      ->option_text("NAME|FILE");
  command
      ->add_option("--rounds", options->rounds,
                   "Rounds to be played [gaussian 20000, criteo 5000, else 1000]")
      ->option_text("T");
  command
      ->add_option("--delta", options->delta, "Upper bounds hold with probability 1 - delta [0.05]")
      ->option_text("D");
  command
      ->add_option("--max-affected", options->max_affected, "L, if larger than the instance's own")
      ->option_text("L");
  command
      ->add_option("--min-uplift", options->min_uplift,
                   "Delta, in place of the least individual uplift")
      ->option_text("DELTA");
  command
      ->add_option("--effect-gap", options->effect_gap,
                   "In place of the instance's own effect gap, for up_ucb_ilift")
      ->option_text("GAP");
  command->add_flag("--json", options->json, "Machine-readable output");
  command->footer(kFooter);
  return {command, [options] { run(*options); }};
}

}  // namespace updraft::cli

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "add_option.h"
#include "command.h"
#include "describe.h"
#include "options.h"
#include "output.h"
#include "targeting_bounds.h"
#include "updraft/error.h"
#include "updraft/instance.h"
#include "updraft/theory.h"
#include "updraft/version.h"

namespace updraft::cli {
namespace {

constexpr std::uint64_t kMostRounds = 1'000'000'000'000'000;  // exact as a double

constexpr const char* kHelp =
    "Evaluates the regret bounds of the theory on an instance, or for targeting.\n"
    "An upper bound holds for its policy with probability 1 - delta if the policy uses the alpha\n"
    "that is shown. A policy that is given this delta uses that alpha, unless the noise is wider\n"
    "than the theorems allow. A lower bound is what no consistent policy can beat.";

constexpr const char* kFooter =
    "Output: every bound with its value, formula and source. Beside it is its ratio to the\n"
    "trivial bound, which is rounds times the largest gap; an upper bound above the trivial one\n"
    "says nothing. Expected: a bound on the mean regret of the policy that is given\n"
    "delta = 1 / rounds. With --json\n"
    "  {version, instance, rounds, delta, max_affected, min_uplift, effect_gap, trivial,\n"
    "  bounds: [{name, kind, formula, reference, value, below_trivial, alpha, alpha_scale,\n"
    "  expected: {value, delta, alpha}}]}\n"
    "max_affected is a list if it differs between actions. value is null if the bound needs the\n"
    "least individual uplift or the effect gap and the instance has none. Only upper bounds have\n"
    "the last three; alpha_scale is their alpha divided by the alpha of delta. For\n"
    "targeting with linear payoffs, give --features, --individuals and --budget in place of\n"
    "--instance.\n"
    "\n"
    "Examples:\n"
    "  updraft bounds --instance criteo --rounds 5000 --delta 0.05\n"
    "  updraft bounds --instance gaussian --rounds 1000000 --max-affected 15\n"
    "  updraft bounds --instance hard-affected --max-affected '[4, 4, 6, 8, 20]'\n"
    "  updraft bounds --features 12 --individuals 100 --budget 10 --rounds 1000000";

struct Options {
  std::string instance;
  std::optional<std::string> rounds;
  std::string delta = "0.05";
  std::optional<std::string> max_affected;
  std::optional<std::string> min_uplift;
  std::optional<std::string> effect_gap;
  TargetingBoundOptions targeting;
  bool json = false;
};

struct Row {
  BoundInfo info;
  std::optional<double> value = {};  ///< absent if the Delta it needs is not > 0
  // Of upper bounds with a value.
  double alpha = 0.0;
  double scale = 1.0;  ///< alpha divided by the alpha of delta
  ExpectedBound expected = {};

  bool bounded() const { return info.upper && value; }
};

/// One L for all actions, or a list with an L(a) for each.
void tell_max_affected(const std::string& text, BoundInputs& in) {
  constexpr const char* kOption = "--max-affected";
  if (!is_list(text)) {
    in.set_max_affected(parse_count(kOption, text, {1, in.variables}), kOption);
    return;
  }
  const std::vector<std::uint64_t> counts = parse_counts(kOption, text, {0, in.variables});
  in.set_max_affected(std::vector<std::size_t>(counts.begin(), counts.end()), kOption);
}

/// The L of all actions; absent if they differ.
std::optional<std::size_t> one_max_affected(const BoundInputs& in) {
  const auto& all = in.max_affected;
  const bool equal = std::equal(all.begin() + 1, all.end(), all.begin());
  return equal ? std::optional(all.front()) : std::nullopt;
}

std::string max_affected_text(const BoundInputs& in) {
  if (const auto one = one_max_affected(in)) return "L = " + count_text(*one);
  const auto [least, most] = std::minmax_element(in.max_affected.begin(), in.max_affected.end());
  return fmt::format("L(a) = {} to {}", count_text(*least), count_text(*most));
}

double given_rounds(const Options& options) {
  return static_cast<double>(options.rounds
                                 ? parse_count("--rounds", *options.rounds, {1, kMostRounds})
                                 : default_rounds(options.instance));
}

BoundInputs bound_inputs(const Options& options, const Instance& instance) {
  BoundInputs in =
      BoundInputs::of(instance, given_rounds(options), parse_probability("--delta", options.delta));
  if (options.max_affected) tell_max_affected(*options.max_affected, in);
  if (options.min_uplift) {
    in.set_min_uplift(parse_positive("--min-uplift", *options.min_uplift), "--min-uplift");
  }
  if (options.effect_gap) {
    in.set_effect_gap(parse_positive("--effect-gap", *options.effect_gap), "--effect-gap");
  }
  return in;
}

std::vector<Row> evaluate(const BoundInputs& in) {
  std::vector<Row> rows;
  for (const BoundInfo& info : bounds()) {
    Row row{.info = info};
    if (applies(info, in)) row.value = info.evaluate(in);
    if (row.bounded()) {
      row.alpha = info.alpha(in);
      row.scale = alpha_scale(info, in);
      row.expected = expected_bound(info, in);
    }
    rows.push_back(row);
  }
  return rows;
}

/// The regret of losing the largest gap in every round.
double trivial_bound(const BoundInputs& in) {
  return in.rounds * *std::max_element(in.gaps.begin(), in.gaps.end());
}

Json rows_json(const std::vector<Row>& rows, double trivial) {
  Json out = Json::array();
  for (const Row& row : rows) {
    Json bound = {{"name", row.info.name},
                  {"kind", row.info.upper ? "upper" : "lower"},
                  {"formula", row.info.formula},
                  {"reference", row.info.reference},
                  {"value", row.value ? Json(*row.value) : Json(nullptr)},
                  {"below_trivial", row.value && *row.value < trivial}};
    if (row.bounded()) {
      bound["alpha"] = row.alpha;
      bound["alpha_scale"] = row.scale;
      bound["expected"] = {{"value", row.expected.value},
                           {"delta", row.expected.delta},
                           {"alpha", row.expected.alpha}};
    } else if (row.info.upper) {
      for (const char* key : {"alpha", "alpha_scale", "expected"}) bound[key] = nullptr;
    }
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
  std::vector<Table::Column> columns = {
      {.title = upper ? "policy" : "lower bound"},
      {.title = upper ? "regret at most" : "regret at least", .align = kRight},
      {.title = "of trivial", .align = kRight}};
  if (upper) {
    columns.push_back({.title = "alpha", .align = kRight});
    columns.push_back({.title = "expected", .align = kRight});
  }
  columns.push_back({.title = "source"});
  Table table(std::move(columns));
  const int decimals = decimals_for(trivial);
  for (const Row& row : rows) {
    if (row.info.upper != upper) continue;
    std::vector<std::string> cells = {
        std::string(row.info.name),
        row.value ? fixed_text(*row.value, decimals) : "needs " + short_words(row.info.needs),
        row.value ? share_text(*row.value, trivial) : "-"};
    if (upper) {
      cells.push_back(row.value ? short_text(row.alpha) : "-");
      cells.push_back(row.value ? fixed_text(row.expected.value, decimals) : "-");
    }
    cells.emplace_back(row.info.reference);
    table.add_row(std::move(cells));
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

constexpr const char* kLegend =
    "\nV(a): the variables that a affects; max|V|: their largest number, at least 1. L(a): the\n"
    "bound on their number that policies are told if they do not know V(a); L: the largest L(a).\n"
    "D: Delta, or sqrt(8 alpha) if that is less. s^2: 1, or sigma^2 if that is more; sigma^2: the\n"
    "sub-Gaussian scale of a payoff's noise, for ucb that of the reward's over m^2. v(a): the\n"
    "variance of the sum over V(a) given all others.\n"
    "comb_ucb: the regret of up_ucb by the general analysis of CombUCB.\n"
    "An upper bound says something only if it is below the trivial one. Expected: a bound on the\n"
    "mean regret, for delta = 1/T. Lower bounds are for many rounds, and all but lower_covariance\n"
    "for the worst instance of this size; above the trivial one they say nothing.\n";

/// The bounds that do not hold for a policy that is given delta, because the noise is too wide.
std::string noise_note(const BoundInputs& in, const std::vector<Row>& rows) {
  std::vector<std::string_view> names;
  for (const Row& row : rows) {
    if (row.bounded() && row.scale > 1.0) names.push_back(row.info.name);
  }
  if (names.empty()) return "";
  const std::string note = fmt::format(
      "The noise is wider than the theorems allow: sigma^2 = {}, and they assume at most "
      "1. These bounds hold for the alpha shown, not for a policy that is given delta, "
      "whose alpha is smaller: {}.",
      short_text(in.variance_proxy), fmt::join(names, ", "));
  std::string out;
  for (const std::string& line : wrap_text(note, 96)) out += line + '\n';
  return out;
}

std::string report(const Instance& instance, const BoundInputs& in, const std::vector<Row>& rows) {
  const double trivial = trivial_bound(in);
  const auto delta_text = [](double value) { return value > 0.0 ? short_text(value) : "none"; };
  std::string out =
      fmt::format("{}: {}, {}, Delta = {}, effect gap = {}, sigma^2 = {};\n{} rounds, delta = {}\n",
                  printable_text(instance.name()), size_words(instance), max_affected_text(in),
                  delta_text(in.min_uplift), delta_text(in.effect_gap),
                  short_text(in.variance_proxy), fixed_text(in.rounds, 0), number_text(in.delta));
  out += fmt::format("Trivial bound, the largest gap in every round: {}\n\n",
                     fixed_text(trivial, decimals_for(trivial)));
  out += values_table(rows, trivial, true) + '\n';
  out += values_table(rows, trivial, false) + '\n';
  out += formulas_table(rows);
  out += kLegend + noise_note(in, rows);
  const bool nothing = instance.max_affected() == 0;  // is affected, so that every Delta is right
  if (!(in.min_uplift > 0.0)) {
    out += fmt::format("Delta, the least individual uplift: {}{}.\n", min_uplift_words(instance),
                       nothing ? "; --min-uplift gives one" : "");
  }
  if (!(in.effect_gap > 0.0)) {
    out += fmt::format("Effect gap: {}{}.\n", effect_gap_words(instance),
                       nothing ? "; --effect-gap gives one" : "");
  }
  return out;
}

void run(const Options& options) {
  if (options.targeting.given()) {
    if (!options.instance.empty()) {
      throw InvalidInput("--instance", "cannot be combined with the options for targeting");
    }
    write_output(targeting_bounds_text(options.targeting, given_rounds(options),
                                       parse_probability("--delta", options.delta), options.json));
    return;
  }
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
  const auto one = one_max_affected(in);
  out["max_affected"] = one ? Json(*one) : Json(in.max_affected);
  out["min_uplift"] = in.min_uplift > 0.0 ? Json(in.min_uplift) : Json(nullptr);
  out["effect_gap"] = in.effect_gap > 0.0 ? Json(in.effect_gap) : Json(nullptr);
  out["trivial"] = trivial_bound(in);
  out["bounds"] = rows_json(rows, trivial_bound(in));
  write_output(json_text(out));
}

}  // namespace

Command add_bounds_command(CLI::App& program) {
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(program, "bounds", kHelp, kFooter);
  add_option(*command, "--instance NAME|FILE", options->instance,
             "A shipped instance or an instance file");
  add_option(*command, "--rounds T", options->rounds,
             "Number of rounds [gaussian 20000, criteo 5000, else 1000]");
  add_option(*command, "--delta D", options->delta,
             "Upper bounds hold with probability 1 - delta [0.05]");
  add_option(*command, "--max-affected L|[L,...]", options->max_affected,
             "An L larger than the instance's own, or a list with an L(a) for each action");
  add_option(*command, "--min-uplift DELTA", options->min_uplift,
             "A Delta smaller than the least individual uplift");
  add_option(*command, "--effect-gap GAP", options->effect_gap,
             "An effect gap for up_ucb_ilift, smaller than the instance's own");
  add_targeting_bound_options(*command, options->targeting);
  add_flag(*command, "--json", options->json, "Machine-readable output");
  return {command, [options] { run(*options); }};
}

}  // namespace updraft::cli

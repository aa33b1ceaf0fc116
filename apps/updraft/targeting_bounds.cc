#include "targeting_bounds.h"

#include <fmt/format.h>

#include "add_option.h"
#include "options.h"
#include "output.h"
#include "updraft/error.h"
#include "updraft/theory.h"
#include "updraft/version.h"

namespace updraft::cli {
namespace {

std::size_t required_count(std::string_view option, const std::optional<std::string>& text) {
  if (!text) {
    throw InvalidInput(option,
                       "must be given: targeting needs --features, --individuals and "
                       "--budget");
  }
  return parse_count(option, *text);
}

TargetingBoundInputs inputs(const TargetingBoundOptions& options, double rounds, double delta) {
  TargetingBoundInputs in;
  in.features = required_count("--features", options.features);
  in.individuals = required_count("--individuals", options.individuals);
  in.budget = required_count("--budget", options.budget);
  if (options.treatments) in.treatments = parse_count("--treatments", *options.treatments);
  in.ridge =
      options.ridge ? parse_positive("--ridge", *options.ridge) : static_cast<double>(in.budget);
  if (options.norm_bound) in.norm_bound = parse_positive("--norm-bound", *options.norm_bound);
  in.rounds = rounds;
  in.delta = delta;
  return in;
}

/// A round loses at most 2B on each person who should be treated and on each who is treated.
double trivial_bound(const TargetingBoundInputs& in) {
  return 4.0 * in.norm_bound * static_cast<double>(in.budget) * in.rounds;
}

Json as_json(const TargetingBoundInputs& in) {
  const double trivial = trivial_bound(in);
  Json out;
  out["version"] = UPDRAFT_VERSION;
  out["features"] = in.features;
  out["individuals"] = in.individuals;
  out["budget"] = in.budget;
  out["treatments"] = in.treatments;
  out["ridge"] = in.ridge;
  out["norm_bound"] = in.norm_bound;
  out["rounds"] = static_cast<std::uint64_t>(in.rounds);
  out["delta"] = in.delta;
  out["trivial"] = trivial;
  out["bounds"] = Json::array();
  for (const TargetingBoundInfo& info : targeting_bounds()) {
    const double value = info.evaluate(in);
    Json bound;
    bound["name"] = info.name;
    bound["kind"] = "upper";
    bound["formula"] = info.formula;
    bound["reference"] = info.reference;
    bound["value"] = value;
    bound["below_trivial"] = value < trivial;
    out["bounds"].push_back(std::move(bound));
  }
  return out;
}

std::string as_text(const TargetingBoundInputs& in) {
  const double trivial = trivial_bound(in);
  std::string out = fmt::format(
      "Targeting: d = {} features, m = {} individuals per round, at most L = {} "
      "treated,\nZ = {} treatments, lambda = {}, B = {}; {} rounds, delta = {}\n",
      count_text(in.features), count_text(in.individuals), count_text(in.budget),
      count_text(in.treatments), number_text(in.ridge), number_text(in.norm_bound),
      fixed_text(in.rounds, 0), number_text(in.delta));
  out += fmt::format("Trivial bound, 4 B L in every round: {}\n\n",
                     fixed_text(trivial, decimals_for(trivial)));
  using enum Table::Align;
  Table table({{.title = "policy"},
               {.title = "regret at most", .align = kRight},
               {.title = "of trivial", .align = kRight},
               {.title = "source"}});
  Table formulas({{.title = "bound"}, {.title = "formula", .width = 80}});
  for (const TargetingBoundInfo& info : targeting_bounds()) {
    const double value = info.evaluate(in);
    table.add_row({std::string(info.name), fixed_text(value, decimals_for(trivial)),
                   percent_text(value / trivial), std::string(info.reference)});
    formulas.add_row({std::string(info.name), std::string(info.formula)});
  }
  return out + table.text() + '\n' + formulas.text() +
         "\nThe bound assumes features of length at most 1, coefficients of length at most B and\n"
         "independent 1-sub-Gaussian noise (0/1 payoffs have it), and a policy that is given\n"
         "delta, lambda and B.\n";
}

}  // namespace

bool TargetingBoundOptions::given() const {
  return features || individuals || budget || treatments || ridge || norm_bound;
}

void add_targeting_bound_options(CLI::App& command, TargetingBoundOptions& options) {
  add_option(command, "--features D", options.features,
             "Targeting: number of features of a person");
  add_option(command, "--individuals M", options.individuals, "Targeting: people in a round");
  add_option(command, "--budget L", options.budget, "Targeting: most people treated in a round");
  add_option(command, "--treatments Z", options.treatments, "Targeting: number of treatments [1]");
  add_option(command, "--ridge LAMBDA", options.ridge, "Targeting: lambda >= L [L]");
  add_option(command, "--norm-bound B", options.norm_bound,
             "Targeting: greatest length of the coefficients [1]");
}

std::string targeting_bounds_text(const TargetingBoundOptions& options, double rounds, double delta,
                                  bool json) {
  const TargetingBoundInputs in = inputs(options, rounds, delta);
  return json ? json_text(as_json(in)) : as_text(in);
}

}  // namespace updraft::cli

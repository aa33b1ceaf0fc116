#include "updraft/simulate.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "command.h"
#include "describe.h"
#include "interrupt.h"
#include "options.h"
#include "output.h"
#include "progress.h"
#include "updraft/context_environment.h"
#include "updraft/error.h"
#include "updraft/experiment.h"
#include "updraft/registry.h"
#include "updraft/version.h"

namespace updraft::cli {
namespace {

constexpr std::uint64_t kMostCurvePoints = 100'000;

constexpr const char* kHelp =
    "Simulates policies on an instance and measures their regret.\n"
    "Regret is the expected reward lost by not taking the best action in every round. All\n"
    "policies meet the same noise in the same run. Each is told exactly what it needs to know\n"
    "(see updraft policies) and nothing more.";

constexpr const char* kFooter =
    "Output: a table, least regret first; with --json\n"
    "  {version, seed, rounds, runs, instance, policies: [{spec, final_regret: {mean, sd, stderr,\n"
    "  p95, runs}, pulls, curve: {round, mean, stderr, p95}}], warnings: [text]}\n"
    "A warning says that the theorem of a policy does not hold: the noise is wider than its delta\n"
    "allows, or its max_affected, min_uplift or effect_gap is not true of the instance.\n"
    "--check-assumptions plays the first run of each policy once more with a monitor, as the\n"
    "service does, and reports what the payoffs contradict: affected sets, max_affected, or the\n"
    "scale that alpha, delta or sigma2 stand for; in the JSON as\n"
    "  assumption_warnings: [{policy, kind, message, advice, action}]\n"
    "The same seed gives the same bytes of JSON for any number of threads. Progress and notes go\n"
    "to standard error. Ctrl-C stops without a result.\n"
    "\n"
    "Without --policy, gaussian, gaussian-weak and criteo use the six policies of the paper with\n"
    "the parameters that it chose for them. max_affected=, min_uplift= and effect_gap= in a\n"
    "policy's parentheses tell it another value than the true one; --told-by tells policies\n"
    "what another instance knows. auto chooses a policy from what it may know according to "
    "--tell.\n"
    "\n"
    "--instance contextual-linear is a contextual bandit: each variable has features in every\n"
    "round. It takes the contextual policies lin_up_ucb, lin_up_ucb_bl and lin_ucb; without\n"
    "--policy, all of them with beta = 1. Set other sizes or noise in parentheses: actions,\n"
    "variables, groups, group_features, max_affected, noise_sd and seed.\n"
    "\n"
    "Examples:\n"
    "  updraft simulate --instance criteo --rounds 1000\n"
    "  updraft simulate --instance gaussian --policy 'ucb(alpha=2)' 'up_ucb(alpha=3)' --runs 20\n"
    "  updraft simulate --instance gaussian --policy auto --tell affected\n"
    "  updraft simulate --instance gaussian --policy up_ts --check-assumptions\n"
    "  updraft simulate --instance contextual-linear --policy 'lin_up_ucb(beta=0.5)'\n"
    "  updraft simulate --instance 'contextual-linear(noise_sd=2)' \\\n"
    "      --policy 'lin_ucb(delta=0.05)'\n"
    "  updraft simulate --instance mine.json --policy 'up_ucb_l(delta=0.05)' --json > out.json";

struct Options {
  std::string instance;
  std::vector<std::string> policies;
  std::vector<std::string> told;
  std::optional<std::string> told_by;
  bool check_assumptions = false;
  std::optional<std::string> rounds;
  std::string runs = "10";
  std::string seed = "1";
  std::optional<std::string> threads;
  std::string curve_points = "100";
  bool json = false;
  bool quiet = false;
};

/// The paper's six policies with the parameters that it chose; empty if it has no such experiment.
std::vector<PolicySpec> paper_policies(std::string_view instance) {
  const std::string_view experiment = instance == "gaussian-weak" ? "gaussian" : instance;
  std::vector<PolicySpec> specs;
  for (const ShippedExperiment& shipped : shipped_experiments()) {
    if (shipped.name != experiment) continue;
    for (const PolicyGrid& policy : load_experiment(std::string(experiment)).policies) {
      if (policy.paper) specs.push_back(policy.spec.with(policy.parameter, *policy.paper));
    }
  }
  return specs;
}

std::vector<PolicySpec> chosen_policies(const Options& options) {
  std::vector<PolicySpec> specs;
  specs.reserve(options.policies.size());
  for (const std::string& text : options.policies) specs.push_back(PolicySpec::parse(text));
  if (!specs.empty()) return specs;
  specs = paper_policies(options.instance);
  if (specs.empty()) {
    throw InvalidInput("--policy",
                       fmt::format("must be given for {}: only gaussian, gaussian-weak and "
                                   "criteo have default policies; updraft policies lists "
                                   "all policies",
                                   options.instance));
  }
  if (!options.quiet) {
    write_note(
        fmt::format("no --policy given: using the paper's six policies and parameters for {}",
                    options.instance == "criteo" ? "criteo" : "gaussian"));
  }
  return specs;
}

/// What --tell names; absent if it is not given.
std::optional<Needs> told_needs(const std::vector<std::string>& names) {
  if (names.empty()) return std::nullopt;
  std::vector<std::string> valid;
  for (const Need need : all_needs()) {
    if (need != Need::kObservations) valid.push_back(need_name(need));  // a simulation draws them
  }
  Needs told;
  for (const std::string& name : names) {
    if (name == "nothing" && names.size() == 1) return told;
    const auto found = std::find(valid.begin(), valid.end(), name);
    if (found == valid.end()) {
      valid.emplace_back("nothing");
      throw unknown_name("--tell", name, valid);
    }
    told = told | all_needs()[static_cast<std::size_t>(found - valid.begin())];
  }
  return told;
}

/// Replaces each auto by the policy that it picks, and says so.
void resolve_auto(std::vector<PolicySpec>& specs, const Instance& instance,
                  const SimulationOptions& simulation, bool quiet) {
  const Instance& known = simulation.told_by ? *simulation.told_by : instance;
  Knowledge knowledge = known.knowledge(simulation.rounds);
  if (simulation.told) knowledge = knowledge.only(*simulation.told);
  for (PolicySpec& spec : specs) {
    const Pick pick = pick_policy(spec, knowledge);
    if (!quiet && !pick.reason.empty()) {
      write_note(fmt::format("{} is {}: {}", spec.text(), pick.spec.text(), pick.reason));
    }
    spec = pick.spec;
  }
}

SimulationOptions simulation_options(const Options& options) {
  SimulationOptions out;
  out.told = told_needs(options.told);
  if (options.told_by) out.told_by = load_instance(*options.told_by);
  out.check_assumptions = options.check_assumptions;
  out.rounds = options.rounds ? static_cast<std::uint32_t>(parse_count("--rounds", *options.rounds))
                              : default_rounds(options.instance);
  out.runs = static_cast<std::uint32_t>(parse_count("--runs", options.runs, {1, kMostRuns}));
  out.seed = parse_count("--seed", options.seed, {0, std::numeric_limits<std::uint64_t>::max()});
  out.curve_points = static_cast<std::uint32_t>(
      parse_count("--curve-points", options.curve_points, {1, kMostCurvePoints}));
  if (options.threads) {
    out.threads =
        static_cast<unsigned>(parse_count("--threads", *options.threads, {1, kMostThreads}));
  }
  return out;
}

/// `workload`: an instance, or contexts.
template <typename Workload>
SimulationResult simulate_with_progress(const Workload& workload,
                                        const std::vector<PolicySpec>& specs,
                                        SimulationOptions options, bool quiet) {
  Interrupt interrupt;
  Progress progress(quiet);
  options.stop = interrupt.token();
  options.progress = [&progress](double share) { progress.update(share); };
  SimulationResult result = simulate(workload, specs, options);
  if (options.stop.stop_requested()) throw Cancelled();
  return result;
}

Json policy_json(const PolicyResult& policy) {
  Json curve;
  curve["round"] = policy.curve_rounds;
  for (const char* key : {"mean", "stderr", "p95"}) curve[key] = Json::array();
  for (const Summary& point : policy.curve) {
    curve["mean"].push_back(point.mean);
    curve["stderr"].push_back(point.stderr_);
    curve["p95"].push_back(point.p95);
  }
  Json regret;
  regret["mean"] = policy.final_regret.mean;
  regret["sd"] = policy.final_regret.sd;
  regret["stderr"] = policy.final_regret.stderr_;
  regret["p95"] = policy.final_regret.p95;
  regret["runs"] = policy.final_regrets;
  Json out;
  out["spec"] = policy.spec;
  out["final_regret"] = std::move(regret);
  out["pulls"] = policy.pulls;
  out["curve"] = std::move(curve);
  return out;
}

Json assumption_json(const PolicyWarning& about) {
  Json out;
  out["policy"] = about.spec;
  out["kind"] = kind_name(about.warning.kind);
  out["message"] = about.warning.message;
  out["advice"] = about.warning.advice;
  out["action"] = about.warning.action ? Json(*about.warning.action) : Json(nullptr);
  return out;
}

/// `instance`: the workload.
Json result_json(Json instance, const SimulationOptions& options, const SimulationResult& result) {
  Json out;
  out["version"] = UPDRAFT_VERSION;
  out["seed"] = options.seed;
  out["rounds"] = options.rounds;
  out["runs"] = options.runs;
  out["instance"] = std::move(instance);
  out["policies"] = Json::array();
  for (const PolicyResult& policy : result.policies) {
    out["policies"].push_back(policy_json(policy));
  }
  out["warnings"] = result.warnings;
  if (options.check_assumptions) {
    Json& found = out["assumption_warnings"] = Json::array();
    for (const PolicyWarning& warning : result.assumption_warnings) {
      found.push_back(assumption_json(warning));
    }
  }
  return out;
}

/// The least regret of a ucb among the policies; absent if there is no ucb.
std::optional<double> ucb_regret(const std::vector<PolicySpec>& specs,
                                 const SimulationResult& result) {
  std::optional<double> least;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const double regret = result.policies[i].final_regret.mean;
    if (specs[i].name() == "ucb" && (!least || regret < *least)) least = regret;
  }
  return least;
}

std::string regret_table(const std::vector<PolicySpec>& specs, const SimulationOptions& options,
                         const SimulationResult& result) {
  const std::optional<double> ucb = ucb_regret(specs, result);
  std::vector<std::size_t> order;
  double largest = 0.0;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    order.push_back(i);
    largest = std::max(largest, result.policies[i].final_regret.mean);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return result.policies[a].final_regret.mean < result.policies[b].final_regret.mean;
  });
  const int decimals = decimals_for(largest);

  using enum Table::Align;
  std::vector<Table::Column> columns = {{.title = "policy"},
                                        {.title = "knows", .width = 28},
                                        {.title = "regret", .align = kRight},
                                        {.title = "± s.e.", .align = kRight},
                                        {.title = "95th pct.", .align = kRight},
                                        {.title = "best taken", .align = kRight}};
  if (ucb) columns.push_back({.title = "of ucb", .align = kRight});
  Table table(std::move(columns));
  for (const std::size_t i : order) {
    const PolicyResult& policy = result.policies[i];
    const Needs told = policy_info(specs[i].name()).needs | needs_of(specs[i]);
    std::vector<std::string> row = {
        policy.spec,
        short_words(told),
        fixed_text(policy.final_regret.mean, decimals),
        options.runs > 1 ? "± " + fixed_text(policy.final_regret.stderr_, decimals) : "",
        fixed_text(policy.final_regret.p95, decimals),
        percent_text(policy.best_share)};
    if (ucb) row.push_back(*ucb > 0.0 ? percent_text(policy.final_regret.mean / *ucb) : "-");
    table.add_row(std::move(row));
  }
  return table.text();
}

/// After an empty line.
std::string paragraph(const std::string& text) {
  std::string out = "\n";
  for (const std::string& line : wrap_text(printable_text(text), 96)) out += line + '\n';
  return out;
}

/// `workload`: its name and size.
std::string report(const std::string& workload, const std::vector<PolicySpec>& specs,
                   const SimulationOptions& options, const SimulationResult& result) {
  std::string out =
      fmt::format("{}; {} rounds, {} {}, seed {}\n\n", workload, count_text(options.rounds),
                  count_text(options.runs), options.runs == 1 ? "run" : "runs", options.seed);
  out += regret_table(specs, options, result);
  out +=
      "\nRegret is the expected reward lost by not taking the best action in every round; lower "
      "is\nbetter.";
  out += options.runs > 1
             ? fmt::format(" ± is one standard error over {} runs.\n", count_text(options.runs))
             : " One run gives no standard error; see --runs.\n";
  for (const std::string& warning : result.warnings) out += paragraph("Warning: " + warning + ".");
  for (const auto& [spec, warning] : result.assumption_warnings) {
    out += paragraph(fmt::format("Assumption of {}: {} {}", spec, warning.message, warning.advice));
  }
  if (options.check_assumptions && result.assumption_warnings.empty()) {
    out += "\nThe payoffs contradict no assumption.\n";
  }
  return out;
}

std::vector<PolicySpec> chosen_context_policies(const Options& options) {
  std::vector<PolicySpec> specs;
  for (const std::string& text : options.policies) specs.push_back(PolicySpec::parse(text));
  if (!specs.empty()) return specs;
  for (const PolicyInfo& info : policies(PolicyKind::kContextual)) {
    const PolicySpec spec = PolicySpec::parse(info.name);
    specs.push_back(info.has_parameter("beta") ? spec.with("beta", 1.0) : spec);
  }
  if (!options.quiet) write_note("no --policy given: using all contextual policies, with beta = 1");
  return specs;
}

/// For the contextual bandit.
void run_contexts(const LinearContexts& contexts, const Options& options) {
  const SimulationOptions simulation = simulation_options(options);
  const std::vector<PolicySpec> specs = chosen_context_policies(options);
  const SimulationResult result =
      simulate_with_progress(contexts, specs, simulation, options.quiet);
  write_output(options.json ? json_text(result_json(contexts_json(contexts), simulation, result))
                            : report(fmt::format("{}: {}", kContextInstance, size_words(contexts)),
                                     specs, simulation, result));
}

void run(const Options& options) {
  if (const auto contexts = find_contexts(options.instance)) {
    return run_contexts(*contexts, options);
  }
  if (options.instance.empty()) {
    throw InvalidInput("--instance", "must be given; updraft instance lists what there is");
  }
  SimulationOptions simulation = simulation_options(options);
  const auto instance = load_instance(options.instance);
  std::vector<PolicySpec> specs = chosen_policies(options);
  resolve_auto(specs, *instance, simulation, options.quiet);
  const SimulationResult result =
      simulate_with_progress(instance, specs, simulation, options.quiet);
  const std::string workload =
      fmt::format("{}: {}", printable_text(instance->name()), size_words(*instance));
  write_output(options.json ? json_text(result_json(instance_json(*instance), simulation, result))
                            : report(workload, specs, simulation, result));
}

}  // namespace

Command add_simulate_command(CLI::App& program) {
  auto options = std::make_shared<Options>();
  CLI::App* command = program.add_subcommand("simulate", kHelp);
  command->add_option("--instance", options->instance, "A shipped instance or an instance file")
      ->option_text("NAME|FILE");
  command
      ->add_option("--policy", options->policies,
                   "One or more policies, such as 'up_ucb(alpha=3)'; may be repeated")
      ->option_text("SPEC ...");
  command
      ->add_option("--tell", options->told,
                   "What policies may be told: baseline, affected, max_affected, min_uplift,\n"
                   "effect_gap, horizon, reward_prior, or nothing [all that the instance knows]")
      ->option_text("WHAT ...");
  command
      ->add_option("--told-by", options->told_by,
                   "Policies are told what is true of this instance, not of the one they play on")
      ->option_text("NAME|FILE");
  command->add_flag("--check-assumptions", options->check_assumptions,
                    "Show what payoffs speak against what policies were told");
  command
      ->add_option("--rounds", options->rounds,
                   "Rounds of a run [gaussian 20000, criteo 5000, else 1000]")
      ->option_text("T");
  command->add_option("--runs", options->runs, "Independent runs [10]")->option_text("R");
  command->add_option("--seed", options->seed, "Seed of all random numbers [1]")->option_text("S");
  command
      ->add_option("--threads", options->threads, "Number of threads [as many as the machine has]")
      ->option_text("N");
  command
      ->add_option("--curve-points", options->curve_points,
                   "Largest number of points of a curve in the JSON [100]")
      ->option_text("P");
  command->add_flag("--json", options->json, "Machine-readable output");
  command->add_flag("--quiet", options->quiet, "No progress and no notes");
  command->footer(kFooter);
  return {command, [options] { run(*options); }};
}

}  // namespace updraft::cli

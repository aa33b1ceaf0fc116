#include "updraft/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "add_option.h"
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
constexpr std::uint64_t kMostBatch = 1'000'000;

constexpr const char* kHelp =
    "Simulates policies on an instance and measures their regret.\n"
    "Regret is the expected reward lost by not taking the best action in every round. All\n"
    "policies meet the same noise in the same run. Each is told exactly what it needs to know\n"
    "(see updraft policies) and nothing more.";

constexpr const char* kFooter =
    "Output: a table, least regret first; with --json\n"
    "  {version, seed, rounds, runs, instance, policies: [{spec, final_regret: {mean, sd, stderr,\n"
    "  p95, runs}, pulls, curve: {round, mean, stderr, p95}}], warnings: [text]}\n"
    "With --batch, batch is among them.\n"
    "A warning says that the theorem of a policy does not hold: the noise is wider than its delta\n"
    "allows, or its max_affected, min_uplift or effect_gap is not true of the instance.\n"
    "--check-assumptions plays the first run of each policy once more with a monitor, as the\n"
    "service does, and reports what the payoffs contradict: affected sets, max_affected, or the\n"
    "scale that alpha, delta or sigma2 stand for; in the JSON as\n"
    "  assumption_warnings: [{policy, kind, message, advice, action}]\n"
    "--log writes a decision log (docs/formats/decision-log.md) for updraft evaluate. It plays "
    "the\n"
    "first run once more; with --log-explore, some of its decisions are random, and it differs "
    "from\n"
    "the run that is measured.\n"
    "The same seed gives the same bytes of JSON for any number of threads. Progress and notes go\n"
    "to standard error. Ctrl-C stops without a result.\n"
    "\n"
    "Without --policy, gaussian, gaussian-weak and criteo use the six policies of the paper with\n"
    "the parameters that it chose for them. max_affected=, min_uplift= and effect_gap= in a\n"
    "policy's parentheses tell it another value than the true one; with --knowledge-of, policies\n"
    "know what is true of another instance. auto chooses a policy from what it may know according "
    "to "
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
    "  updraft simulate --instance gaussian --policy up_ts --runs 1 --log log.csv.gz\n"
    "  updraft simulate --instance contextual-linear --policy 'lin_up_ucb(beta=0.5)'\n"
    "  updraft simulate --instance 'contextual-linear(noise_sd=2)' \\\n"
    "      --policy 'lin_ucb(delta=0.05)'\n"
    "  updraft simulate --instance mine.json --policy 'up_ucb_l(delta=0.05)' --json > out.json";

struct Options {
  std::string instance;
  std::vector<std::string> policies;
  std::vector<std::string> tell;
  std::optional<std::string> knowledge_of;
  bool check_assumptions = false;
  std::optional<std::string> rounds;
  std::string runs = "10";
  std::string seed = "1";
  std::optional<std::string> threads;
  std::string curve_points = "100";
  std::string batch = "1";
  std::optional<std::string> warm;
  std::optional<std::string> log;
  std::string log_form = "wide";
  std::string log_explore = "0";
  std::optional<std::string> log_holdout;
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

std::vector<PolicySpec> given_policies(const Options& options) {
  std::vector<PolicySpec> specs;
  for (const std::string& text : options.policies) specs.push_back(PolicySpec::parse(text));
  return specs;
}

std::vector<PolicySpec> chosen_policies(const Options& options) {
  std::vector<PolicySpec> specs = given_policies(options);
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

/// What the policies may know.
Knowledge may_know(const Instance& instance, const SimulationOptions& simulation) {
  const Instance& known = simulation.knowledge_of ? *simulation.knowledge_of : instance;
  return known.knowledge(simulation.rounds, simulation.may_know);
}

/// Replaces each auto by the policy that it picks, and says so. Per spec, whether it was auto.
std::vector<bool> resolve_auto(std::vector<PolicySpec>& specs, const Knowledge& knowledge,
                               bool quiet) {
  std::vector<bool> picked;
  for (PolicySpec& spec : specs) {
    const Pick pick = pick_policy(spec, knowledge);
    picked.push_back(!pick.reason.empty());
    if (!quiet && !pick.reason.empty()) {
      write_note(fmt::format("{} is {}: {}", spec.text(), pick.spec.text(), pick.reason));
    }
    spec = pick.spec;
  }
  return picked;
}

SimulationOptions simulation_options(const Options& options) {
  SimulationOptions out;
  if (!options.tell.empty()) out.may_know = needs_named("--tell", options.tell);
  if (options.knowledge_of) out.knowledge_of = load_instance(*options.knowledge_of);
  out.check_assumptions = options.check_assumptions;
  out.warm_log = options.warm.value_or("");
  out.rounds = options.rounds ? static_cast<std::uint32_t>(parse_count("--rounds", *options.rounds))
                              : default_rounds(options.instance);
  out.runs = static_cast<std::uint32_t>(parse_count("--runs", options.runs, {1, kMostRuns}));
  out.seed = parse_count("--seed", options.seed, {0, std::numeric_limits<std::uint64_t>::max()});
  out.curve_points = static_cast<std::uint32_t>(
      parse_count("--curve-points", options.curve_points, {1, kMostCurvePoints}));
  out.batch = static_cast<std::uint32_t>(parse_count("--batch", options.batch, {1, kMostBatch}));
  if (options.threads) {
    out.threads =
        static_cast<unsigned>(parse_count("--threads", *options.threads, {1, kMostThreads}));
  }
  return out;
}

/// "ACTION=SHARE", by the last =.
void choose_holdout(const std::string& text, const std::vector<std::string>& actions,
                    SimulatedLog& log) {
  const std::size_t equals = text.rfind('=');
  if (equals == text.npos) throw InvalidInput("--log-holdout", text, "must be ACTION=SHARE");
  const std::string name = text.substr(0, equals);
  const auto found = std::find(actions.begin(), actions.end(), name);
  if (found == actions.end()) throw unknown_name("--log-holdout", name, actions);
  log.control = static_cast<ActionId>(found - actions.begin());
  log.holdout = parse_share("--log-holdout", text.substr(equals + 1));
}

/// The log that is asked for; checked before anything is simulated.
std::optional<SimulatedLog> chosen_log(const Options& options, std::size_t policies,
                                       const std::vector<std::string>& actions) {
  if (!options.log) return std::nullopt;
  if (policies != 1) {
    throw InvalidInput("--log", *options.log, "needs one --policy: the log has its decisions");
  }
  if (options.log_form != "wide" && options.log_form != "long") {
    throw InvalidInput("--log-form", options.log_form, "must be wide or long");
  }
  SimulatedLog log{.path = *options.log,
                   .long_form = options.log_form == "long",
                   .explore = parse_share("--log-explore", options.log_explore)};
  if (options.log_holdout) choose_holdout(*options.log_holdout, actions, log);
  return log;
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
  Json curve = {{"round", policy.curve_rounds}};
  for (const char* key : {"mean", "stderr", "p95"}) curve[key] = Json::array();
  for (const Summary& point : policy.curve) {
    curve["mean"].push_back(point.mean);
    curve["stderr"].push_back(point.stderr_);
    curve["p95"].push_back(point.p95);
  }
  return {{"spec", policy.spec},
          {"final_regret",
           {{"mean", policy.final_regret.mean},
            {"sd", policy.final_regret.sd},
            {"stderr", policy.final_regret.stderr_},
            {"p95", policy.final_regret.p95},
            {"runs", policy.final_regrets}}},
          {"pulls", policy.pulls},
          {"curve", std::move(curve)}};
}

Json assumption_json(const PolicyWarning& about) {
  const AssumptionWarning& warning = about.warning;
  return {{"policy", about.spec},
          {"kind", kind_name(warning.kind)},
          {"message", warning.message},
          {"advice", warning.advice},
          {"action", warning.action ? Json(*warning.action) : Json(nullptr)}};
}

/// `instance`: the workload.
Json result_json(Json instance, const SimulationOptions& options, const SimulationResult& result) {
  Json out;
  out["version"] = UPDRAFT_VERSION;
  out["seed"] = options.seed;
  out["rounds"] = options.rounds;
  out["runs"] = options.runs;
  if (options.batch > 1) out["batch"] = options.batch;
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

/// Of the policies that others are measured by, the one with the least regret; absent if there is
/// none.
std::optional<std::size_t> measuring_policy(const std::vector<PolicySpec>& specs,
                                            const SimulationResult& result) {
  const auto regret = [&](std::size_t i) { return result.policies[i].final_regret.mean; };
  std::optional<std::size_t> least;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (!policy_info(specs[i].name()).traits.measures_others) continue;
    if (!least || regret(i) < regret(*least)) least = i;
  }
  return least;
}

/// Of what may be `known`, what the policy takes.
Needs taken(const PolicySpec& spec, Needs known) {
  const PolicyInfo& info = policy_info(spec.name());
  return info.needs | needs_of(spec) | info.uses.without(info.uses.without(known));
}

/// `known`: what policies may know.
std::string regret_table(const std::vector<PolicySpec>& specs, const SimulationOptions& options,
                         const SimulationResult& result, Needs known) {
  const std::optional<std::size_t> measure = measuring_policy(specs, result);
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
  if (measure) columns.push_back({.title = "of " + specs[*measure].name(), .align = kRight});
  Table table(std::move(columns));
  for (const std::size_t i : order) {
    const PolicyResult& policy = result.policies[i];
    std::vector<std::string> row = {
        policy.spec,
        short_words(taken(specs[i], known)),
        fixed_text(policy.final_regret.mean, decimals),
        options.runs > 1 ? "± " + fixed_text(policy.final_regret.stderr_, decimals) : "",
        fixed_text(policy.final_regret.p95, decimals),
        percent_text(policy.best_share)};
    if (measure) {
      const double by = result.policies[*measure].final_regret.mean;
      row.push_back(by > 0.0 ? percent_text(policy.final_regret.mean / by) : "-");
    }
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

/// `workload`: its name and size. `known`: what policies may know.
std::string report(const std::string& workload, const std::vector<PolicySpec>& specs,
                   const SimulationOptions& options, const SimulationResult& result, Needs known) {
  const std::string batches =
      options.batch > 1 ? fmt::format(" in batches of {}", count_text(options.batch)) : "";
  std::string out = fmt::format("{}; {} rounds{}, {} {}, seed {}\n\n", workload,
                                count_text(options.rounds), batches, count_text(options.runs),
                                options.runs == 1 ? "run" : "runs", options.seed);
  out += regret_table(specs, options, result, known);
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

std::vector<PolicySpec> chosen_contextual_policies(const Options& options) {
  std::vector<PolicySpec> specs = given_policies(options);
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
  if (options.log) throw InvalidInput("--log", *options.log, "is for instances of single actions");
  const SimulationOptions simulation = simulation_options(options);
  const std::vector<PolicySpec> specs = chosen_contextual_policies(options);
  const SimulationResult result =
      simulate_with_progress(contexts, specs, simulation, options.quiet);
  write_output(options.json ? json_text(result_json(contexts_json(contexts), simulation, result))
                            : report(fmt::format("{}: {}", kContextInstance, size_words(contexts)),
                                     specs, simulation, result, Needs()));
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
  const Knowledge knowledge = may_know(*instance, simulation);
  const std::vector<bool> picked = resolve_auto(specs, knowledge, options.quiet);
  if (const auto log = chosen_log(options, specs.size(), instance->definition().action_names)) {
    Interrupt interrupt;
    simulation.stop = interrupt.token();
    write_log(instance, specs.front(), simulation, *log);
    if (!options.quiet) {
      write_note(fmt::format("{} has {} decisions of {}", log->path, count_text(simulation.rounds),
                             specs.front().text()));
    }
  }
  const SimulationResult result =
      simulate_with_progress(instance, specs, simulation, options.quiet);
  const std::string workload =
      fmt::format("{}: {}", printable_text(instance->name()), size_words(*instance));
  if (!options.json) {
    write_output(report(workload, specs, simulation, result, knowledge.known()));
    return;
  }
  Json json = result_json(instance_json(*instance), simulation, result);
  for (std::size_t i = 0; i < picked.size(); ++i) {
    if (picked[i]) json["policies"][i]["picked"] = specs[i].text();
  }
  write_output(json_text(json));
}

}  // namespace

Command add_simulate_command(CLI::App& program) {
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(program, "simulate", kHelp, kFooter);
  add_option(*command, "--instance NAME|FILE", options->instance,
             "A shipped instance or an instance file");
  add_option(*command, "--policy SPEC ...", options->policies,
             "One or more policies, such as 'up_ucb(alpha=3)'; may be repeated");
  add_option(*command, "--tell WHAT ...", options->tell,
             "What policies may be told: baseline, affected, max_affected, min_uplift,\n"
             "effect_gap, horizon, reward_prior, segments, or nothing [all that the\n"
             "instance knows but segments]");
  add_option(*command, "--knowledge-of NAME|FILE", options->knowledge_of,
             "Policies know what is true of this instance, not of the one they play on");
  add_flag(*command, "--check-assumptions", options->check_assumptions,
           "Warn if payoffs contradict what policies were told");
  add_option(*command, "--rounds T", options->rounds,
             "Rounds of a run [gaussian 20000, criteo 5000, else 1000]");
  add_option(*command, "--runs R", options->runs, "Independent runs [10]");
  add_option(*command, "--seed S", options->seed, "Seed of all random numbers [1]");
  add_option(*command, "--threads N", options->threads,
             "Number of threads [as many as the machine has]");
  add_option(*command, "--curve-points P", options->curve_points,
             "Largest number of points of a curve in the JSON [100]");
  add_option(*command, "--batch N", options->batch,
             "Policies make N decisions at once: payoffs come after the last of them [1]");
  add_option(*command, "--warm LOG", options->warm,
             "A decision log that policies learn from before each run. A log that was\n"
             "simulated with the same --seed has the noise of the first run");
  add_option(*command, "--log FILE", options->log,
             "Also write the decisions of the first run, with their probabilities and\n"
             "payoffs: CSV, or NDJSON if the name ends in .ndjson; packed if in .gz");
  add_option(*command, "--log-form FORM", options->log_form,
             "wide: a row per decision; long: a row per payoff [wide]");
  add_option(*command, "--log-explore SHARE", options->log_explore,
             "Share of the log's decisions that are taken uniformly at random [0]");
  add_option(*command, "--log-holdout ACTION=SHARE", options->log_holdout,
             "Share of the log's decisions that take this control action");
  add_flag(*command, "--json", options->json, "Machine-readable output");
  add_flag(*command, "--quiet", options->quiet, "No progress and no notes");
  return {command, [options] { run(*options); }};
}

}  // namespace updraft::cli

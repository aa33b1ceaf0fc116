#include "updraft/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "add_option.h"
#include "command.h"
#include "core/input_file.h"
#include "core/json_document.h"
#include "core/json_fields.h"
#include "inference/evidence_json.h"
#include "log_options.h"
#include "options.h"
#include "output.h"
#include "updraft/error.h"
#include "updraft/evidence_text.h"
#include "updraft/instance.h"
#include "updraft/log_evidence.h"
#include "updraft/value_figure.h"
#include "updraft/version.h"

namespace updraft::cli {
namespace {

constexpr const char* kHelp =
    "Estimates from a decision log what other policies would have paid.\n"
    "Always taking an action is evaluated for every action first; then --mix and --policy. The "
    "log\n"
    "must have the probability with which each decision was made, and its payoffs must depend on\n"
    "the action alone. Then come statements that hold at every time: whether the best action is\n"
    "settled, with --control the gain of the log over a control action, and with --guardrail\n"
    "alarms.";

constexpr const char* kFooter =
    "Estimators, of the reward per round, with 95 % intervals:\n"
    "  ips        payoffs weighted by 1 / probability\n"
    "  snips      the same, self-normalised\n"
    "  dr         doubly robust: the mean reward of the action, corrected by ips\n"
    "  uplift_dr  doubly robust for each variable: what an action leaves alone is learned from "
    "the\n"
    "             rounds of all actions that leave it alone. Needs --affected or --instance\n"
    "  replay     of policies that learn: they play the rounds of the log that they agree with\n"
    "docs/evaluation.md has the formulas, docs/formats/decision-log.md the format of logs.\n"
    "\n"
    "Output: a table; with --json\n"
    "  {version, rounds, logged: ESTIMATE, policies: [{policy, rounds, effective_rounds, refusal,\n"
    "  ips: ESTIMATE, ...}]}, ESTIMATE = {value, stderr, low, high, gain, gain_low, gain_high}\n"
    "The gain is that over the policy of the log. A policy without overlap has a refusal in place\n"
    "of estimates. Besides, in the JSON\n"
    "  settled: {settled, text, error, disputed, best, since, leader, more_rounds, rivals}\n"
    "  gain: {control, text, per, counted, held_out, gain, low, high, disagree},\n"
    "    or {control, refusal}\n"
    "  guardrails: [{guardrail, action, text, since, change, low, high, allowed, pauses}]\n"
    "docs/stopping.md explains them.\n"
    "\n"
    "Examples:\n"
    "  updraft simulate --instance gaussian --policy up_ts --rounds 1000 --runs 1 \\\n"
    "      --log log.csv.gz --log-explore 0.2\n"
    "  updraft evaluate log.csv.gz --instance gaussian --policy up_ts --figure values.svg\n"
    "  updraft evaluate clicks.csv --column action=arm probability=pscore --payoff clicks\n"
    "  updraft evaluate log.ndjson --absent zero --mix 'mail=0.5,none=0.5'\n"
    "  updraft evaluate log.csv --control none --guardrail 'returns' 'tea,cake=0.5'";

struct Options {
  std::string log;
  std::vector<std::string> policies;
  std::vector<std::string> mixes;
  std::optional<std::string> instance;
  std::optional<std::string> affected;
  std::vector<std::string> tell;
  std::optional<std::string> control;
  std::vector<std::string> guardrails;
  std::string error = "0.05";
  LogOptions format;
  std::optional<std::string> figure;
  std::string seed = "1";
  bool json = false;
};

std::size_t place_of(const std::vector<std::string>& names, std::string_view field,
                     const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  if (names.size() <= 50) throw unknown_name(field, name, names);
  throw InvalidInput(field, clipped(name), "the log does not have it");
}

/// A file `{"ACTION": ["VARIABLE", ...], ...}`; actions that it leaves out affect nothing.
std::vector<VariableSet> read_affected(const std::string& path, const LogFormat& format) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 26;
  const nlohmann::json document = parse_json_document(
      read_input_file(path, {"--affected", "a file", kMostBytes, "is too large"}, {}), 2);
  if (!document.is_object()) {
    throw InvalidInput("--affected", path, "must be a JSON object: a list for each action");
  }
  std::vector<std::vector<VariableId>> ids(format.actions.size());
  for (const auto& [action, list] : document.items()) {
    std::vector<VariableId>& of = ids[place_of(format.actions, "--affected: action", action)];
    if (!list.is_array()) throw InvalidInput(action, "must be a list of variables");
    for (const auto& variable : list) {
      const std::string name =
          variable.is_number_integer() ? variable.dump() : text_field(variable, action);
      of.push_back(static_cast<VariableId>(place_of(format.variables, action, name)));
    }
    std::sort(of.begin(), of.end());
    of.erase(std::unique(of.begin(), of.end()), of.end());
  }
  std::vector<VariableSet> sets;
  for (const std::vector<VariableId>& of : ids) sets.push_back(VariableSet::from_ids(of));
  return sets;
}

/// "A=0.5,B=0.5": the last = before each comma is the one that counts.
FixedPolicy parse_mix(const std::string& text, const std::vector<std::string>& actions) {
  FixedPolicy mix{.name = "mix " + text, .probabilities = std::vector<double>(actions.size(), 0.0)};
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    const std::string part = text.substr(from, comma - from);
    const std::size_t equals = part.rfind('=');
    if (equals == part.npos) throw InvalidInput("--mix", text, "must be ACTION=SHARE,...");
    mix.probabilities[place_of(actions, "--mix", part.substr(0, equals))] =
        parse_share("--mix", part.substr(equals + 1));
    from = comma + 1;
  }
  return mix;
}

EvaluationOptions evaluation_options(const Options& options) {
  EvaluationOptions out;
  out.format = options.format.format();
  std::shared_ptr<const Instance> instance;
  if (options.instance) {
    instance = load_instance(*options.instance);
    name_as(*instance, out.format);
  }
  const LogSummary summary = survey_log(options.log, out.format);
  out.format = summary.format;
  out.seed = parse_count("--seed", options.seed, {0, std::numeric_limits<std::uint64_t>::max()});
  if (instance) {
    out.knowledge = instance->knowledge(summary.rounds, options.tell.empty()
                                                            ? Needs(Need::kAffected)
                                                            : needs_named("--tell", options.tell));
  } else {
    out.knowledge.emplace(out.format.actions.size(), out.format.variables.size());
    out.knowledge->set_horizon(summary.rounds);
  }
  if (options.affected) out.knowledge->set_affected(read_affected(*options.affected, out.format));
  for (const std::string& mix : options.mixes) {
    out.fixed.push_back(parse_mix(mix, out.format.actions));
  }
  for (const std::string& spec : options.policies) {
    out.learning.push_back(PolicySpec::parse(spec));
  }
  return out;
}

/// "tea,cake=0.5": variables, and after the last = how far their sum may fall; 0 without.
Guardrail parse_guardrail(const std::string& text, const std::vector<std::string>& variables) {
  const std::size_t equals = text.rfind('=');
  const std::string names = text.substr(0, equals);
  Guardrail guardrail{.name = names};
  if (equals != text.npos) {
    guardrail.tolerance = parse_not_negative("--guardrail", text.substr(equals + 1));
  }
  std::vector<VariableId> ids;
  for (std::size_t from = 0; from <= names.size();) {
    const std::size_t comma = std::min(names.find(',', from), names.size());
    ids.push_back(static_cast<VariableId>(
        place_of(variables, "--guardrail", names.substr(from, comma - from))));
    from = comma + 1;
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  guardrail.variables = VariableSet::from_ids(ids);
  return guardrail;
}

LogEvidenceOptions evidence_options(const Options& options, const EvaluationOptions& evaluation) {
  LogEvidenceOptions out{.format = evaluation.format, .knowledge = evaluation.knowledge};
  out.evidence.error = parse_probability("--error", options.error);
  if (options.control) {
    out.evidence.shares.control =
        static_cast<ActionId>(place_of(evaluation.format.actions, "--control", *options.control));
  }
  for (const std::string& text : options.guardrails) {
    out.evidence.guardrails.push_back(parse_guardrail(text, evaluation.format.variables));
  }
  return out;
}

std::string evidence_report(const LogEvidence& evidence, const LogEvidenceOptions& options) {
  const std::vector<std::string>& actions = options.format.actions;
  std::vector<std::string> sentences = {settled_text(evidence.settlement, actions)};
  if (const auto control = options.evidence.shares.control) {
    sentences.push_back(evidence.gain ? gain_text(*evidence.gain, actions[*control])
                                      : fmt::format("gain over control {}: not known: {}",
                                                    actions[*control], evidence.gain_refusal));
  }
  for (const GuardrailAlarm& alarm : evidence.alarms) {
    sentences.push_back(guardrail_text(alarm, options.evidence, actions));
  }
  if (!options.evidence.guardrails.empty() && evidence.alarms.empty()) {
    sentences.push_back("no guardrail is broken");
  }
  std::string out = "\nAt every time:\n";
  for (std::string& sentence : sentences) out += "  " + printable_text(std::move(sentence)) + "\n";
  return out;
}

Json estimate_json(const ValueEstimate& estimate) {
  return {{"value", estimate.value},
          {"stderr", estimate.standard_error},
          {"low", estimate.interval.low},
          {"high", estimate.interval.high},
          {"gain", estimate.gain},
          {"gain_low", estimate.gain_interval.low},
          {"gain_high", estimate.gain_interval.high}};
}

Json evaluation_json(const Evaluation& evaluation) {
  Json out;
  out["version"] = UPDRAFT_VERSION;
  out["rounds"] = evaluation.rounds;
  out["logged"] = estimate_json(evaluation.logged);
  out["policies"] = Json::array();
  for (const PolicyValue& policy : evaluation.policies) {
    Json& row = out["policies"].emplace_back();
    row["policy"] = policy.policy;
    row["rounds"] = policy.rounds;
    row["effective_rounds"] = policy.effective_rounds;
    if (!policy.picked_because.empty()) row["picked_because"] = policy.picked_because;
    if (!policy.refusal.empty()) row["refusal"] = policy.refusal;
    for (std::size_t e = 0; e < kEstimators; ++e) {
      if (!policy.estimates[e]) continue;
      row[std::string(estimator_name(static_cast<Estimator>(e)))] =
          estimate_json(*policy.estimates[e]);
    }
  }
  return out;
}

std::string report(const Evaluation& evaluation) {
  using enum Table::Align;
  Table table({{.title = "policy", .width = 30},
               {.title = "estimator"},
               {.title = "value", .align = kRight},
               {.title = "95 % interval", .align = kRight},
               {.title = "gain", .align = kRight},
               {.title = "95 % interval", .align = kRight},
               {.title = "eff. rounds", .align = kRight}});
  double largest = std::abs(evaluation.logged.value);
  for (const PolicyValue& policy : evaluation.policies) {
    for (const auto& estimate : policy.estimates) {
      if (estimate) largest = std::max(largest, std::abs(estimate->value));
    }
  }
  const int decimals = decimals_for(largest);
  const auto interval_text = [&](const Interval& interval) {
    return fmt::format("{} to {}", fixed_text(interval.low, decimals),
                       fixed_text(interval.high, decimals));
  };
  table.add_row({"as logged", "mean", fixed_text(evaluation.logged.value, decimals),
                 interval_text(evaluation.logged.interval), "", "", count_text(evaluation.rounds)});
  std::string refused;
  for (const PolicyValue& policy : evaluation.policies) {
    if (!policy.refusal.empty()) {
      refused += fmt::format("{}: {}.\n", printable_text(policy.policy), policy.refusal);
    }
    bool first = true;
    for (std::size_t e = 0; e < kEstimators; ++e) {
      const auto& estimate = policy.estimates[e];
      if (!estimate) continue;
      table.add_row({first ? policy.policy : "",
                     std::string(estimator_name(static_cast<Estimator>(e))),
                     fixed_text(estimate->value, decimals), interval_text(estimate->interval),
                     fixed_text(estimate->gain, decimals), interval_text(estimate->gain_interval),
                     first ? fixed_text(policy.effective_rounds, 1) : ""});
      first = false;
    }
  }
  std::string out = table.text();
  if (!refused.empty()) out += "\nNot evaluated:\n" + refused;
  return out + "\nValues are rewards per round; the gain is that over the policy of the log.\n";
}

void run(const Options& options) {
  if (options.log.empty()) throw InvalidInput("LOG", "must be given; see --help");
  const EvaluationOptions evaluated = evaluation_options(options);
  const LogEvidenceOptions asked = evidence_options(options, evaluated);
  const Evaluation evaluation = evaluate(options.log, evaluated);
  const LogEvidence evidence = evidence_of(options.log, asked);
  for (const PolicyValue& policy : evaluation.policies) {
    if (policy.picked_because.empty()) continue;
    write_note(fmt::format("auto is {}: {}", policy.policy, policy.picked_because));
  }
  std::string not_drawn;
  if (options.figure) not_drawn = draw_figure(evaluation, *options.figure);
  if (options.json) {
    Json out = evaluation_json(evaluation);
    put_evidence(evidence, asked, out);
    write_output(json_text(out));
  } else {
    write_output(report(evaluation) + evidence_report(evidence, asked));
  }
  if (!not_drawn.empty()) throw std::runtime_error(not_drawn);
}

}  // namespace

Command add_evaluate_command(CLI::App& program) {
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(program, "evaluate", kHelp, kFooter);
  add_option(*command, "log LOG", options->log, "A decision log: CSV or NDJSON, plain or gzip");
  add_option(*command, "--policy SPEC ...", options->policies,
             "Policies that learn, such as up_ts; they are replayed on the log");
  add_option(*command, "--mix ACTION=SHARE,... ...", options->mixes,
             "Policies that take each action with a fixed share");
  add_option(*command, "--instance NAME|FILE", options->instance,
             "The log has the actions and variables of this instance");
  add_option(*command, "--tell WHAT ...", options->tell,
             "What is known of the instance, as in updraft simulate [affected]");
  add_option(*command, "--affected FILE", options->affected,
             "A JSON file with the variables that each action affects:\n"
             "{\"ACTION\": [\"VARIABLE\", ...], ...}");
  add_option(*command, "--control ACTION", options->control,
             "The control action: what the log gained over always taking it");
  add_option(*command, "--guardrail VARIABLE,...[=X] ...", options->guardrails,
             "Variables whose sum must not fall below that of the control action, or\n"
             "the baseline, by more than X [0]");
  add_option(*command, "--error SHARE", options->error,
             "How often each statement that holds at every time may be wrong [0.05]");
  options->format.add_to(*command);
  add_option(*command, "--figure FILE", options->figure, "Also draw the values as SVG");
  add_option(*command, "--seed S", options->seed, "Seed of the draws of learning policies [1]");
  add_flag(*command, "--json", options->json, "Machine-readable output");
  return {command, [options] { run(*options); }};
}

}  // namespace updraft::cli

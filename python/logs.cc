#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>
#include <limits>

#include "arrays.h"
#include "bindings.h"
#include "evidence.h"
#include "knowledge.h"
#include "seeded_policy.h"
#include "updraft/error.h"
#include "updraft/evaluate.h"
#include "updraft/log_evidence.h"
#include "updraft/registry.h"
#include "updraft/simulate.h"
#include "updraft/warm_start.h"

namespace updraft::python {
namespace {

using Path = std::filesystem::path;

/// From a dict with any of columns, payoff_columns, absent, actions and variables.
LogFormat format_from(const py::dict& given) {
  LogFormat format;
  for (const auto& [key, value] : given) {
    const auto name = key.cast<std::string>();
    if (name == "columns") {
      LogFormat::Columns& columns = format.columns;
      for (const auto& [column, text] : value.cast<py::dict>()) {
        set_log_column(columns, column.cast<std::string>(), text.cast<std::string>());
      }
    } else if (name == "absent") {
      format.absent_is_zero = absent_is_zero("absent", value.cast<std::string>());
    } else if (name == "payoff_columns") {
      format.payoff_columns = value.cast<std::vector<std::string>>();
    } else if (name == "actions") {
      format.actions = value.cast<std::vector<std::string>>();
    } else {
      format.variables = value.cast<std::vector<std::string>>();
    }
  }
  return format;
}

std::size_t place_of(std::string_view field, const std::string& name,
                     const std::vector<std::string>& names) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) throw unknown_name(field, name, names);
  return static_cast<std::size_t>(found - names.begin());
}

void write(const std::shared_ptr<const Instance>& instance, const std::string& spec,
           const Path& path, const py::dict& given) {
  SimulationOptions options;
  options.rounds = static_cast<std::uint32_t>(
      whole_number("rounds", given["rounds"], {1, std::numeric_limits<std::uint32_t>::max()}));
  options.seed = whole_number("seed", given["seed"], kAnyCount);
  if (!given["tell"].is_none()) {
    options.may_know = needs_named("tell", given["tell"].cast<std::vector<std::string>>());
  }
  const Knowledge knowledge = instance->knowledge(options.rounds, options.may_know);
  SimulatedLog log{.path = path.string(),
                   .long_form = given["long"].cast<bool>(),
                   .explore = number("explore", given["explore"])};
  if (!given["holdout"].is_none()) {
    const auto [control, share] = given["holdout"].cast<std::pair<std::string, py::object>>();
    log.control =
        static_cast<ActionId>(place_of("holdout", control, instance->definition().action_names));
    log.holdout = number("holdout", share);
  }
  write_log(instance, pick_policy(PolicySpec::parse(spec), knowledge).spec, options, log);
}

py::dict read(const Path& path, const py::dict& given) {
  const LogSummary summary = survey_log(path.string(), format_from(given));
  const std::size_t actions = summary.format.actions.size();
  const std::size_t variables = summary.format.variables.size();
  const auto rounds = static_cast<std::size_t>(summary.rounds);
  py::array_t<std::int64_t> taken(summary.rounds);
  py::array_t<double> probability(summary.rounds);
  py::array_t<double> payoffs({rounds, variables});
  py::array_t<double> shares({summary.has_distributions ? rounds : 0, actions});
  LogReader reader(path.string(), summary.format);
  LoggedRound round;
  for (std::size_t t = 0; t < rounds && reader.next(round); ++t) {
    taken.mutable_at(t) = round.action;
    probability.mutable_at(t) =
        round.probability.value_or(std::numeric_limits<double>::quiet_NaN());
    if (summary.has_distributions) {
      std::copy(round.distribution.begin(), round.distribution.end(), shares.mutable_data(t, 0));
    }
    double* row = payoffs.mutable_data(t, 0);
    std::fill(row, row + variables, 0.0);
    for (std::size_t i = 0; i < round.values.size(); ++i) {
      row[round.ids.empty() ? i : round.ids[i]] = round.values[i];
    }
  }
  py::dict out;
  out["actions"] = summary.format.actions;
  out["variables"] = summary.format.variables;
  out["action"] = taken;
  out["probability"] = probability;
  if (summary.has_distributions) out["probabilities"] = shares;
  out["payoffs"] = payoffs;
  return out;
}

void add_row(py::list& rows, const std::string& policy, std::string_view estimator,
             const ValueEstimate& about) {
  py::dict row;
  row["policy"] = policy;
  row["estimator"] = estimator;
  row["value"] = about.value;
  row["stderr"] = about.standard_error;
  row["low"] = about.interval.low;
  row["high"] = about.interval.high;
  row["gain"] = about.gain;
  row["gain_low"] = about.gain_interval.low;
  row["gain_high"] = about.gain_interval.high;
  rows.append(row);
}

/// Knowledge of the log's actions and variables.
Knowledge known_of_log(const LogFormat& format, const py::dict& known) {
  py::dict knowledge = known;
  knowledge["actions"] = format.actions.size();
  knowledge["variables"] = format.variables.size();
  return knowledge_from(knowledge);
}

py::dict evaluated(const Path& path, const py::list& policies, const py::dict& fixed,
                   const py::dict& known, const py::dict& format, py::handle seed) {
  EvaluationOptions options;
  options.format = survey_log(path.string(), format_from(format)).format;
  options.seed = whole_number("seed", seed, kAnyCount);
  options.knowledge = known_of_log(options.format, known);
  for (const py::handle spec : policies) {
    options.learning.push_back(PolicySpec::parse(spec.cast<std::string>()));
  }
  for (const auto& [name, probabilities] : fixed) {
    const auto text = name.cast<std::string>();
    options.fixed.push_back({text, double_vector(text, probabilities)});
  }
  const Evaluation evaluation = evaluate(path.string(), options);
  py::list rows;
  add_row(rows, "as logged", "mean", evaluation.logged);
  py::dict picks, refusals, effective, rounds;
  for (const PolicyValue& value : evaluation.policies) {
    for (std::size_t e = 0; e < kEstimators; ++e) {
      if (!value.estimates[e]) continue;
      add_row(rows, value.policy, estimator_name(static_cast<Estimator>(e)), *value.estimates[e]);
    }
    const py::str name(value.policy);
    if (!value.picked_because.empty()) picks[name] = value.picked_because;
    if (!value.refusal.empty()) refusals[name] = value.refusal;
    effective[name] = value.effective_rounds;
    rounds[name] = value.rounds;
  }
  py::dict out;
  out["rows"] = rows;
  out["picked_because"] = picks;
  out["refusals"] = refusals;
  out["effective_rounds"] = effective;
  out["overlap_rounds"] = rounds;
  out["rounds"] = evaluation.rounds;
  return out;
}

/// Names become ids.
py::dict numbered(const py::dict& given, const LogFormat& format) {
  py::dict out(given);
  if (given.contains("control")) {
    out["control"] = place_of("control", given["control"].cast<std::string>(), format.actions);
  }
  py::list guardrails;
  for (const py::handle entry : given["guardrails"].cast<py::list>()) {
    py::dict guardrail(py::reinterpret_borrow<py::dict>(entry));
    std::vector<std::size_t> ids;
    const auto field = guardrail["name"].cast<std::string>();
    for (const py::handle name : guardrail["variables"]) {
      ids.push_back(place_of(field, name.cast<std::string>(), format.variables));
    }
    guardrail["variables"] = ids;
    guardrails.append(guardrail);
  }
  out["guardrails"] = guardrails;
  return out;
}

std::string evidence_text_of(const Path& path, const py::dict& given, const py::dict& known,
                             const py::dict& format) {
  LogEvidenceOptions options{.format = survey_log(path.string(), format_from(format)).format};
  options.knowledge = known_of_log(options.format, known);
  options.evidence = evidence_options(numbered(given, options.format));
  return evidence_json_text(evidence_of(path.string(), options), options);
}

}  // namespace

void bind_logs(py::module_& module) {
  module.def("write_log", &write, py::arg("instance"), py::arg("policy"), py::arg("path"),
             py::arg("options"));
  module.def("read_log", &read, py::arg("path"), py::arg("format"));
  module.def("evaluate", &evaluated, py::arg("path"), py::arg("policies"), py::arg("fixed"),
             py::arg("knowledge"), py::arg("format"), py::arg("seed"));
  module.def("evidence_of", &evidence_text_of, py::arg("path"), py::arg("options"),
             py::arg("knowledge"), py::arg("format"));
  module.def(
      "fit",
      [](SeededPolicy& policy, const Path& path, const py::dict& format) {
        return fit(*policy.policy, path.string(), format_from(format));
      },
      py::arg("policy"), py::arg("path"), py::arg("format"));
}

}  // namespace updraft::python

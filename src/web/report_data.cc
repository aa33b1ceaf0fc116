#include "web/report_data.h"

#include "report/bound_lines.h"
#include "report/compare.h"
#include "report/hindsight.h"
#include "report/measures.h"
#include "report/repeat_command.h"
#include "report/setting_text.h"
#include "updraft/error.h"
#include "updraft/report.h"

namespace updraft {
namespace {

using Json = nlohmann::json;

Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json summary_data(const Summary& summary) {
  return {{"mean", summary.mean},
          {"sd", summary.sd},
          {"stderr", summary.stderr_},
          {"p95", summary.p95}};
}

Json score_data(const RankingScore& score) {
  return {{"mean", score.mean}, {"low", score.interval.low}, {"high", score.interval.high}};
}

Json estimate_data(const Estimate& estimate) {
  return {{"value", estimate.value}, {"error", estimate.error}};
}

/// Lists of equal length: of means, standard errors and 95th percentiles.
struct Columns {
  std::vector<double> mean;
  std::vector<double> error;
  std::vector<double> p95;

  void add(const Summary& summary) {
    mean.push_back(summary.mean);
    error.push_back(summary.stderr_);
    p95.push_back(summary.p95);
  }

  void put_into(Json& json) const {
    json["mean"] = mean;
    json["stderr"] = error;
    json["p95"] = p95;
  }
};

Json policy_data(const ExperimentResult& result, std::size_t policy) {
  const PolicyGrid& grid = result.experiment.policies[policy];
  const GridPoint& best = result.best(policy);
  Json json = {{"label", grid.label},
               {"spec", best.spec.text()},
               {"parameter", grid.parameter.empty() ? Json() : Json(grid.parameter)},
               {"chosen", or_null(best.value)},
               {"paper", or_null(grid.paper)},
               {"note", tuning_note(grid, best)},
               {"regret", summary_data(best.final_regret)}};
  if (best.targeting) {
    json["realised"] = summary_data(best.targeting->realised.back());
    json["uplift"] = summary_data(best.targeting->uplift.back());
    json["slope"] = or_null(log_slope(result, best));
    json["qini"] = score_data(best.targeting->qini);
    json["auuc"] = score_data(best.targeting->auuc);
  }
  return json;
}

Json measure_data(const ExperimentResult& result, const Measure& measure) {
  Json curves = Json::array();
  for (const Curve& curve : curves_of(result, measure)) {
    Columns columns;
    for (const Summary& at : *curve.means) columns.add(at);
    Json json = {{"policy", curve.policy}, {"note", curve.note}};
    columns.put_into(json);
    curves.push_back(std::move(json));
  }
  return {{"name", measure.name}, {"adds_up", measure.adds_up}, {"curves", std::move(curves)}};
}

/// The final regrets of one policy at all values; one without a value where nothing is tuned.
Json grid_data(const ExperimentResult& result, std::size_t policy) {
  Json values = Json::array();
  Columns columns;
  for (const GridPoint& point : result.points) {
    if (point.policy != policy) continue;
    if (point.value) values.push_back(*point.value);
    columns.add(point.final_regret);
  }
  Json json = {{"policy", policy}, {"values", std::move(values)}};
  columns.put_into(json);
  return json;
}

Json value_data(const GridPoint& point) {
  return {{"policy", point.policy},
          {"value", or_null(point.value)},
          {"regret", summary_data(point.final_regret)}};
}

Json hindsight_data(const ExperimentResult& result) {
  Json rows = Json::array();
  if (result.experiment.figure.against != FigureStyle::Against::kParameter) return rows;
  for (const Hindsight& one : hindsight(result)) {
    rows.push_back({{"policy", one.policy->policy},
                    {"least", value_data(*one.least)},
                    {"most", value_data(*one.most)},
                    {"to_least", estimate_data(one.to_least)},
                    {"to_most", estimate_data(one.to_most)}});
  }
  return rows;
}

Json bounds_data(const ExperimentResult& result) {
  Json lines = Json::array();
  if (!result.experiment.figure.bounds) return lines;
  for (const BoundLine& line : bound_lines(result)) {
    lines.push_back({{"label", line.label}, {"rounds", line.rounds}, {"values", line.values}});
  }
  return lines;
}

Json verdicts_data(const ExperimentResult& result) {
  Json verdicts = Json::array();
  for (const Verdict& verdict : judge(result)) {
    verdicts.push_back({{"claim", verdict.claim > 0 ? Json(verdict.claim) : Json(nullptr)},
                        {"statement", verdict.statement},
                        {"outcome", outcome_name(verdict.outcome)},
                        {"evidence", verdict.evidence}});
  }
  return verdicts;
}

Json manifest_data(std::string_view manifest) {
  Json json = Json::parse(manifest, nullptr, false);
  if (json.is_discarded()) throw InvalidInput("manifest", "is not JSON");
  return json;
}

}  // namespace

Json experiment_data(const ExperimentResult& result, std::string_view manifest) {
  const Experiment& experiment = result.experiment;
  Json policies = Json::array();
  Json grid = Json::array();
  for (std::size_t p = 0; p < experiment.policies.size(); ++p) {
    policies.push_back(policy_data(result, p));
    grid.push_back(grid_data(result, p));
  }
  Json measures = Json::array();
  for (const Measure& measure : measures_of(experiment)) {
    measures.push_back(measure_data(result, measure));
  }
  return {{"name", experiment.name},
          {"title", experiment.title},
          {"setting", setting_text(result)},
          {"rounds", experiment.rounds},
          {"runs", experiment.runs},
          {"log_rounds", experiment.figure.log_rounds},
          {"log_regret", experiment.figure.log_regret},
          {"policies", std::move(policies)},
          {"curve_rounds", result.curve_rounds},
          {"measures", std::move(measures)},
          {"grid", std::move(grid)},
          {"hindsight", hindsight_data(result)},
          {"bounds", bounds_data(result)},
          {"verdicts", verdicts_data(result)},
          {"repeat", repeat_command(result)},
          {"manifest", manifest_data(manifest)}};
}

}  // namespace updraft

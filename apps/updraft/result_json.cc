#include "result_json.h"

#include "report/setting_text.h"
#include "updraft/version.h"

namespace updraft::cli {
namespace {

Json summary_json(const Summary& regret) {
  return {
      {"mean", regret.mean}, {"sd", regret.sd}, {"stderr", regret.stderr_}, {"p95", regret.p95}};
}

Json score_json(const RankingScore& score) {
  return {{"mean", score.mean}, {"low", score.interval.low}, {"high", score.interval.high}};
}

void add_measures(Json& policy, const TargetingMeasures& measures) {
  policy["final_realised_regret"] = summary_json(measures.realised.back());
  policy["final_uplift"] = summary_json(measures.uplift.back());
  policy["qini"] = score_json(measures.qini);
  policy["auuc"] = score_json(measures.auuc);
}

Json population_json(const PopulationSummary& population) {
  return {{"summary", population.summary},       {"individuals", population.individuals},
          {"held_out", population.held_out},     {"features", population.features},
          {"treatments", population.treatments}, {"generated", population.generated}};
}

/// Adds the path of the HTML report, if there is one.
void add_html(Json& json, const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "report.html";
  if (std::filesystem::exists(path)) json["html"] = path.string();
}

}  // namespace

Json result_json(const ExperimentResult& result, const std::filesystem::path& folder) {
  const Experiment& experiment = result.experiment;
  Json policies = Json::array();
  for (std::size_t p = 0; p < experiment.policies.size(); ++p) {
    const GridPoint& best = result.best(p);
    const PolicyGrid& grid = experiment.policies[p];
    Json policy = {{"label", grid.label}, {"spec", best.spec.text()}};
    if (best.value) policy["chosen"] = *best.value;
    if (grid.paper) policy["paper"] = *grid.paper;
    policy["final_regret"] = summary_json(best.final_regret);
    if (best.targeting) add_measures(policy, *best.targeting);
    policies.push_back(std::move(policy));
  }
  Json verdicts = Json::array();
  for (const Verdict& verdict : judge(result)) {
    verdicts.push_back({{"claim", verdict.claim > 0 ? Json(verdict.claim) : Json(nullptr)},
                        {"statement", verdict.statement},
                        {"verdict", outcome_name(verdict.outcome)},
                        {"evidence", verdict.evidence}});
  }
  Json json = {{"version", UPDRAFT_VERSION},  {"experiment", experiment.name},
               {"rounds", experiment.rounds}, {"runs", experiment.runs},
               {"seed", experiment.seed},     {"folder", folder.string()},
               {"policies", policies},        {"verdicts", verdicts}};
  if (const std::string shortened = short_run_text(experiment); !shortened.empty()) {
    json["short_run"] = shortened;
  }
  add_html(json, folder);
  if (result.population) json["population"] = population_json(*result.population);
  return json;
}

Json result_json(const SuiteResult& suite, const std::filesystem::path& folder) {
  Json experiments = Json::array();
  for (const ExperimentResult& part : suite.parts) {
    experiments.push_back(result_json(part, folder / part.experiment.name));
  }
  Json json = {{"version", UPDRAFT_VERSION}, {"suite", suite.name}, {"folder", folder.string()}};
  add_html(json, folder);
  json["experiments"] = std::move(experiments);
  return json;
}

}  // namespace updraft::cli

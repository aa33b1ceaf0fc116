#include "result_json.h"

#include "updraft/version.h"

namespace updraft::cli {
namespace {

Json regret_json(const Summary& regret) {
  return {
      {"mean", regret.mean}, {"sd", regret.sd}, {"stderr", regret.stderr_}, {"p95", regret.p95}};
}

}  // namespace

const char* outcome_name(Verdict::Outcome outcome) {
  return outcome == Verdict::Outcome::kSupported      ? "supported"
         : outcome == Verdict::Outcome::kNotSupported ? "not supported"
                                                      : "not tested";
}

Json result_json(const ExperimentResult& result, const std::filesystem::path& folder) {
  const Experiment& experiment = result.experiment;
  Json policies = Json::array();
  for (std::size_t p = 0; p < experiment.policies.size(); ++p) {
    const GridPoint& best = result.best(p);
    const PolicyGrid& grid = experiment.policies[p];
    Json policy = {{"label", grid.label}, {"spec", best.spec.text()}};
    if (best.value) policy["chosen"] = *best.value;
    if (grid.paper) policy["paper"] = *grid.paper;
    policy["final_regret"] = regret_json(best.final_regret);
    policies.push_back(std::move(policy));
  }
  Json verdicts = Json::array();
  for (const Verdict& verdict : judge(result)) {
    verdicts.push_back({{"claim", verdict.claim},
                        {"statement", verdict.statement},
                        {"verdict", outcome_name(verdict.outcome)},
                        {"evidence", verdict.evidence}});
  }
  return {{"version", UPDRAFT_VERSION},  {"experiment", experiment.name},
          {"rounds", experiment.rounds}, {"runs", experiment.runs},
          {"seed", experiment.seed},     {"folder", folder.string()},
          {"policies", policies},        {"verdicts", verdicts}};
}

Json result_json(const SuiteResult& suite, const std::filesystem::path& folder) {
  Json experiments = Json::array();
  for (const ExperimentResult& part : suite.parts) {
    experiments.push_back(result_json(part, folder / part.experiment.name));
  }
  return {{"version", UPDRAFT_VERSION},
          {"suite", suite.name},
          {"folder", folder.string()},
          {"experiments", experiments}};
}

}  // namespace updraft::cli

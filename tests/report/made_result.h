#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "updraft/results.h"

namespace updraft::testing {

/// The runs of one value of a parameter.
struct MadeValue {
  double value = 1.0;
  std::vector<double> regrets;  ///< final, per run
  double growth = 0.3;          ///< (R(T) - R(T/2)) / R(T/2) of the mean
};

/// Whether `part` stands somewhere in `text`.
inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// The same, wherever the lines of either break.
inline bool says(std::string text, std::string part) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  std::replace(part.begin(), part.end(), '\n', ' ');
  return has(text, part);
}

/// `runs` times the same regret, which has no error.
inline std::vector<double> always(double regret, std::size_t runs = 4) {
  return std::vector<double>(runs, regret);
}

/// `mean` minus and plus `spread` in turn: the standard error is spread / sqrt(runs - 1).
inline std::vector<double> around(double mean, double spread, std::size_t runs = 4) {
  std::vector<double> regrets;
  for (std::size_t run = 0; run < runs; ++run) {
    regrets.push_back(run % 2 == 0 ? mean - spread : mean + spread);
  }
  return regrets;
}

/// An experiment of 1,000 rounds and 4 runs on `gaussian` without policies, and its curve of two
/// points.
inline ExperimentResult made_result(std::vector<int> claims) {
  ExperimentResult result;
  result.experiment.name = "made";
  result.experiment.title = "A made result";
  result.experiment.instance = "gaussian";
  result.experiment.rounds = 1000;
  result.experiment.runs = 4;
  result.experiment.seed = 7;
  result.experiment.claims = std::move(claims);
  result.curve_rounds = {500, 1000};
  return result;
}

/// Adds a policy with `parameter` tuned over `values`, chosen as run_experiment does.
inline void add_policy(ExperimentResult& result, const std::string& label, const std::string& spec,
                       const std::vector<MadeValue>& values,
                       const std::string& parameter = "alpha") {
  const std::size_t policy = result.experiment.policies.size();
  PolicyGrid grid;
  grid.label = label;
  grid.spec = PolicySpec::parse(spec);
  grid.parameter = parameter;
  std::size_t chosen = result.points.size();
  for (const MadeValue& made : values) {
    GridPoint point;
    point.policy = policy;
    point.spec = grid.spec;
    if (!parameter.empty()) {
      grid.values.push_back(made.value);
      point.value = made.value;
    }
    point.final_regrets = made.regrets;
    point.final_regret = summarize(made.regrets);
    Summary half = point.final_regret;
    for (double* part : {&half.mean, &half.sd, &half.stderr_, &half.p95})
      *part /= 1.0 + made.growth;
    point.curve = {half, point.final_regret};
    result.points.push_back(point);
    const auto score = [&](std::size_t j) {
      return result.points[j].final_regret.mean + result.points[j].final_regret.sd;
    };
    if (score(result.points.size() - 1) < score(chosen)) chosen = result.points.size() - 1;
  }
  result.experiment.policies.push_back(std::move(grid));
  result.chosen.push_back(chosen);
}

/// The same with targeting in place of the instance: 100 individuals a round, 10 treated.
inline ExperimentResult made_targeting(std::vector<int> claims = {}) {
  ExperimentResult result = made_result(std::move(claims));
  result.experiment.instance.clear();
  result.experiment.targeting = TargetingSetting{.data = "criteo"};
  result.population = PopulationSummary{.summary = "1,000 made customers",
                                        .individuals = 1000,
                                        .held_out = 200,
                                        .features = 12,
                                        .treatments = 1};
  return result;
}

/// Adds a policy with nothing to tune, whose realised regret is twice its regret.
inline void add_targeting_policy(ExperimentResult& result, const std::string& label,
                                 const std::string& spec, double regret, double uplift) {
  add_policy(result, label, spec, {{0.0, always(regret)}}, "");
  GridPoint& point = result.points.back();
  TargetingMeasures& more = point.targeting.emplace();
  for (Summary at : point.curve) {
    at.mean *= 2.0;
    more.realised.push_back(at);
    more.uplift.push_back({.mean = uplift, .sd = 0.02, .stderr_ = 0.01, .p95 = uplift});
  }
  more.qini = {0.25 * uplift, {0.1 * uplift, 0.4 * uplift}};
  more.auuc = {0.5 * uplift, {0.3 * uplift, 0.7 * uplift}};
}

}  // namespace updraft::testing

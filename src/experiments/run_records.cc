#include "experiments/run_records.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "experiments/results_files.h"
#include "updraft/bootstrap.h"
#include "updraft/error.h"
#include "updraft/simulate.h"

namespace updraft {
namespace {

constexpr double kRankingLevel = 0.9;

/// Without those that are not defined; NaN if none is.
double mean_of_defined(std::vector<double> values) {
  std::erase_if(values, [](double value) { return std::isnan(value); });
  return values.empty() ? std::nan("") : summarize(std::move(values)).mean;
}

/// The records of one policy and value, one per run.
class PointRecords {
 public:
  PointRecords(const RunRecords& records, std::size_t point, std::size_t points) {
    for (std::size_t j = point; j < records.size(); j += points) runs_.push_back(&records[j]);
  }

  std::vector<double> over_runs(std::size_t number) const {
    std::vector<double> values;
    for (const std::vector<double>* run : runs_) values.push_back((*run)[number]);
    return values;
  }

  /// The score that begins at `first`, followed by one for each resample; every second number.
  RankingScore ranking(std::size_t first) const {
    std::vector<double> means;
    for (std::uint32_t b = 0; b < kRankingResamples; ++b) {
      const double mean = mean_of_defined(over_runs(first + 2 + 2 * b));
      if (!std::isnan(mean)) means.push_back(mean);
    }
    RankingScore score{mean_of_defined(over_runs(first)), {std::nan(""), std::nan("")}};
    if (!means.empty()) score.interval = percentile_interval(means, kRankingLevel);
    return score;
  }

 private:
  std::vector<const std::vector<double>*> runs_;
};

TargetingMeasures targeting_measures(const PointRecords& records, std::size_t rounds) {
  TargetingMeasures measures;
  for (std::size_t j = 0; j < rounds; ++j) {
    measures.realised.push_back(summarize(records.over_runs(rounds + j)));
    measures.uplift.push_back(summarize(records.over_runs(2 * rounds + j)));
  }
  measures.final_realised = records.over_runs(2 * rounds - 1);
  measures.final_uplift = records.over_runs(3 * rounds - 1);
  measures.final_qini = records.over_runs(3 * rounds);
  measures.final_auuc = records.over_runs(3 * rounds + 1);
  measures.qini = records.ranking(3 * rounds);
  measures.auuc = records.ranking(3 * rounds + 1);
  return measures;
}

}  // namespace

ExperimentResult result_without_regrets(const Experiment& experiment,
                                        const std::optional<PopulationSummary>& population) {
  return {.experiment = experiment,
          .population = population,
          .curve_rounds = spaced_rounds(experiment.rounds, kCurvePoints),
          .points = grid_points(experiment),
          .chosen = {}};
}

RunRecords empty_records(const ExperimentResult& result) {
  return RunRecords(result.points.size() * result.experiment.runs);
}

std::size_t record_size(const ExperimentResult& result) {
  const std::size_t rounds = result.curve_rounds.size();
  return result.experiment.targeting ? 3 * rounds + kRankingNumbers : rounds;
}

void check_shard(const Shard& shard) {
  if (shard.index >= 1 && shard.index <= shard.of) return;
  throw InvalidInput("shard", fmt::format("{}/{}", shard.index, shard.of),
                     "must be I/N with I from 1 to N");
}

bool has_run(const Shard& shard, std::uint32_t run, std::size_t policy, std::size_t policies) {
  const std::size_t task = run * policies + policy;
  const std::size_t period = std::lcm(policies, std::size_t{shard.of});
  return (task + task / period) % shard.of + 1 == shard.index;
}

void add_records(ExperimentResult& result, const RunRecords& records) {
  const std::size_t rounds = result.curve_rounds.size();
  for (std::size_t p = 0; p < result.points.size(); ++p) {
    GridPoint& point = result.points[p];
    const PointRecords of_point(records, p, result.points.size());
    if (result.experiment.targeting) point.targeting = targeting_measures(of_point, rounds);
    for (std::size_t j = 0; j < rounds; ++j) {
      point.curve.push_back(summarize(of_point.over_runs(j)));
    }
    point.final_regrets = of_point.over_runs(rounds - 1);
  }
}

}  // namespace updraft

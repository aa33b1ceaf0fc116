#pragma once

#include <cstdint>
#include <vector>

#include "updraft/results.h"

namespace updraft {

inline constexpr std::uint32_t kCurvePoints = 100;
/// How often the held-out customers are resampled to judge the rankings of targeting policies.
inline constexpr std::uint32_t kRankingResamples = 200;
/// Qini and AUUC of the data, then those of each resample.
inline constexpr std::size_t kRankingNumbers = 2 * (1 + kRankingResamples);

/// What an experiment keeps of each policy, value and run: record run * points + point has the
/// regret after each of curve_rounds, and for targeting policies more (docs/formats/results.md). A
/// record is empty until it is run.
using RunRecords = std::vector<std::vector<double>>;

ExperimentResult result_without_regrets(const Experiment& experiment,
                                        const std::optional<PopulationSummary>& population);

RunRecords empty_records(const ExperimentResult& result);

/// How many numbers a record has.
std::size_t record_size(const ExperimentResult& result);

/// Whether a shard has the run of a policy. Tasks, ordered by run and then by policy, go to the
/// shards in turn. Whenever a shard would get the same policies again, the turns move on by one, so
/// that after `of` runs each shard has had every policy equally often.
bool has_run(const Shard& shard, std::uint32_t run, std::size_t policy, std::size_t policies);

/// Fills in the points of the result from records that are all there.
void add_records(ExperimentResult& result, const RunRecords& records);

}  // namespace updraft

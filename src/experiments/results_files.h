#pragma once

#include <filesystem>

#include "updraft/results.h"

namespace updraft {

/// Every policy and value of an experiment, without results, policy by policy.
std::vector<GridPoint> grid_points(const Experiment& experiment);

/// Fills `chosen`: per policy the least mean + sd of the final regret, as in the paper.
void choose_best(ExperimentResult& result);

/// final.csv: one row per policy, value and run. curves.csv: one row per policy, value and round.
/// Targeting has more columns in both, and ranking.csv: one row per policy and value. Numbers read
/// back exactly.
void write_csvs(const ExperimentResult& result, const std::filesystem::path& folder);

/// Fills the regrets of result.points, which must be grid_points(). Throws InvalidInput, with file
/// and line, if a row is not the one that must stand there.
void read_csvs(ExperimentResult& result, const std::filesystem::path& folder);

}  // namespace updraft

#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "updraft/results.h"

namespace updraft {

/// What a results folder says of itself, manifest.json. The experiment, the instance and the
/// version tell whether a folder belongs to a run; machine and times are for people.
struct Manifest {
  Experiment experiment;
  std::optional<PopulationSummary> population = {};  ///< of targeting policies
  std::string instance_checksum;                     ///< Workload::checksum(), a CRC-32
  std::string version;
  std::string machine;
  std::string started;
  std::optional<std::string> finished;  ///< absent while runs are missing
  double seconds = 0.0;                 ///< of playing, over all sessions
  std::optional<Shard> shard = {};      ///< if the folder has only a part of the runs
};

/// A manifest of this program on this machine, started now; of the result only what is run.
Manifest new_manifest(const ExperimentResult& result, const std::string& instance_checksum);

/// Now, in UTC: 2026-01-31T12:00:00Z.
std::string timestamp();

void write_manifest(const Manifest& manifest, const std::filesystem::path& folder);

/// Throws InvalidInput if the file is not a manifest; nothing if there is none.
std::optional<Manifest> read_manifest(const std::filesystem::path& folder);

/// What keeps two folders from belonging to one run.
struct ManifestDifference {
  std::string what;
  std::string there;
  std::string here;
};

/// The first difference in what decides the numbers of a run: version, experiment, instance. Shards
/// of the same run do not differ.
std::optional<ManifestDifference> first_difference(const Manifest& there, const Manifest& here);

}  // namespace updraft

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "experiments/claim_folder.h"
#include "experiments/folder.h"
#include "experiments/folder_lock.h"
#include "experiments/journal.h"
#include "experiments/results_files.h"
#include "experiments/run_records.h"
#include "experiments/suite_contents.h"
#include "updraft/error.h"
#include "updraft/results.h"
#include "updraft/suite.h"

namespace updraft {
namespace {

struct ShardFolder {
  std::filesystem::path folder;
  Manifest manifest;
};

ShardFolder read_shard(const std::filesystem::path& folder) {
  auto manifest = read_manifest(folder);
  if (!manifest || !manifest->shard) {
    throw InvalidInput(
        folder.string(),
        fmt::format("is not a shard: {}; updraft run --shard I/N makes one",
                    manifest ? "it holds whole results" : "it has no manifest.json"));
  }
  return {folder, *std::move(manifest)};
}

/// Bit for bit, so that NaN equals itself.
bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

/// Adds what the shard has run to `records`.
void take_records(const ShardFolder& shard, const ExperimentResult& result, RunRecords& records) {
  const std::filesystem::path path = shard.folder / kJournalFile;
  if (!std::filesystem::exists(path)) return;
  for (const auto& [record, numbers] : read_journal(path, record_size(result))) {
    if (record >= records.size()) continue;
    if (!records[record].empty() && !same_bits(records[record], numbers)) {
      const std::size_t points = result.points.size();
      throw InvalidInput(
          shard.folder.string(),
          fmt::format("contradicts another shard: run {} of {} has another result there",
                      record / points, result.points[record % points].spec.text()));
    }
    records[record] = numbers;
  }
}

/// "2, 5 and 7": which shards of `of` have runs that are missing.
std::string missing_shards(const ExperimentResult& result, const RunRecords& records,
                           std::uint32_t of) {
  const std::size_t points = result.points.size();
  const std::size_t policies = result.experiment.policies.size();
  std::set<std::uint32_t> missing;
  for (std::size_t j = 0; j < records.size(); ++j) {
    if (!records[j].empty()) continue;
    Shard shard{.index = 1, .of = of};
    const auto run = static_cast<std::uint32_t>(j / points);
    while (!has_run(shard, run, result.points[j % points].policy, policies)) ++shard.index;
    missing.insert(shard.index);
  }
  return fmt::format("{}", fmt::join(missing, ", "));
}

void check_complete(const ExperimentResult& result, const RunRecords& records, std::uint32_t of) {
  const auto missing = std::count_if(records.begin(), records.end(),
                                     [](const auto& numbers) { return numbers.empty(); });
  if (missing == 0) return;
  throw InvalidInput(
      result.experiment.name,
      fmt::format("{} of {} runs of policies and values are missing: those of shard {} of {}; run "
                  "or continue them with updraft run --shard, and give their folders too",
                  missing, records.size(), missing_shards(result, records, of), of));
}

/// Shards that belong together and have everything.
struct Joined {
  Manifest manifest;
  ExperimentResult result;
};

Joined join(const std::vector<std::filesystem::path>& folders) {
  if (folders.empty()) throw InvalidInput("shards", "give at least one folder");
  std::vector<ShardFolder> shards;
  for (const std::filesystem::path& folder : folders) shards.push_back(read_shard(folder));
  const ShardFolder& first = shards.front();
  Joined joined{first.manifest,
                result_without_regrets(first.manifest.experiment, first.manifest.population)};
  joined.manifest.shard.reset();
  joined.manifest.finished.reset();
  joined.manifest.seconds = 0.0;
  RunRecords records = empty_records(joined.result);
  for (const ShardFolder& shard : shards) {
    if (const auto difference = first_difference(shard.manifest, first.manifest)) {
      throw InvalidInput(
          shard.folder.string(),
          fmt::format("is a shard of another run: {} is {} there and {} in {}", difference->what,
                      difference->there, difference->here, first.folder.string()));
    }
    take_records(shard, joined.result, records);
    joined.manifest.started = std::min(joined.manifest.started, shard.manifest.started);
    joined.manifest.seconds += shard.manifest.seconds;
  }
  check_complete(joined.result, records, first.manifest.shard->of);
  add_records(joined.result, records);
  return joined;
}

ExperimentResult write_joined(Joined joined, const std::filesystem::path& out) {
  make_folder(out);
  const FolderLock lock(out);
  claim_folder(joined.manifest, out);
  write_csvs(joined.result, out);
  joined.manifest.finished = timestamp();
  write_manifest(joined.manifest, out);
  std::filesystem::remove(out / kJournalFile);
  return read_results(out);
}

}  // namespace

ExperimentResult merge_shards(const std::vector<std::filesystem::path>& folders,
                              const std::filesystem::path& out) {
  return write_joined(join(folders), out);
}

SuiteResult merge_suite_shards(const std::vector<std::filesystem::path>& folders,
                               const std::filesystem::path& out) {
  if (folders.empty()) throw InvalidInput("shards", "give at least one folder");
  const SuiteContents suite = read_suite_contents(folders.front());
  for (const std::filesystem::path& folder : folders) {
    if (read_suite_contents(folder) == suite) continue;
    throw InvalidInput(folder.string(), fmt::format("is a shard of another suite than {}",
                                                    folders.front().string()));
  }
  std::vector<Joined> parts;
  for (const std::string& name : suite.experiments) {
    std::vector<std::filesystem::path> shards;
    for (const std::filesystem::path& folder : folders) shards.push_back(folder / name);
    parts.push_back(join(shards));
  }
  claim_suite_folder(suite, out);
  SuiteResult result{.name = suite.name, .title = suite.title, .parts = {}};
  for (std::size_t j = 0; j < parts.size(); ++j) {
    result.parts.push_back(write_joined(std::move(parts[j]), out / suite.experiments[j]));
  }
  return result;
}

}  // namespace updraft

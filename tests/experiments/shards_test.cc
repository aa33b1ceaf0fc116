// Shards of an experiment, and their merge: equal to a run on one machine, whatever was killed.

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "core/files.h"
#include "experiments/journal.h"
#include "experiments/run_records.h"
#include "report/made_result.h"
#include "support/folder.h"
#include "support/refusal.h"
#include "updraft/results.h"
#include "updraft/suite.h"

namespace updraft {
namespace {

using testing::has;
using testing::refusal;
using testing::TemporaryFolder;
using Folders = std::vector<std::filesystem::path>;

PolicyGrid grid(const std::string& spec, const std::vector<double>& alphas = {}) {
  PolicyGrid policy;
  policy.label = spec;
  policy.spec = PolicySpec::parse(spec);
  if (!alphas.empty()) policy.parameter = "alpha";
  policy.values = alphas;
  return policy;
}

Experiment small() {
  Experiment experiment;
  experiment.name = "small";
  experiment.title = "A small one";
  experiment.instance = "gaussian";
  experiment.rounds = 120;
  experiment.runs = 5;
  experiment.seed = 4;
  experiment.policies = {grid("ucb", {0.5, 2.0}), grid("up_ucb(alpha=1)"), grid("up_ts")};
  return experiment;
}

Experiment targeting() {
  Experiment experiment = small();
  experiment.instance.clear();
  experiment.targeting = TargetingSetting{
      .data = "synthetic", .response = ResponseKind::kLinear, .individuals = 20, .budget = 3};
  experiment.rounds = 40;
  experiment.policies = {grid("c2_up_ucb(beta=1)"), grid("random")};
  return experiment;
}

class Shards : public ::testing::Test {
 protected:
  std::filesystem::path at(const std::string& name) const { return folder_.path() / name; }

  /// Runs shards 1 to `of` and returns their folders.
  Folders run_all(const Experiment& experiment, std::uint32_t of, const std::string& name) const {
    Folders folders;
    for (std::uint32_t index = 1; index <= of; ++index) {
      folders.push_back(at(name + std::to_string(index)));
      run_shard(experiment, {index, of}, {.folder = folders.back(), .threads = 1});
    }
    return folders;
  }

  void expect_same_files(const std::string& a, const std::string& b, bool ranking = false) const {
    for (const char* name : {"final.csv", "curves.csv", "ranking.csv"}) {
      if (!ranking && name == std::string("ranking.csv")) continue;
      EXPECT_EQ(read_file(at(a) / name), read_file(at(b) / name)) << name;
    }
  }

  std::string merge_refusal(const Folders& folders) const {
    const std::string text = refusal([&] { merge_shards(folders, at("refused")); });
    EXPECT_FALSE(std::filesystem::exists(at("refused")));
    return text;
  }

  TemporaryFolder folder_;
};

TEST(HasRun, GivesEveryRunToOneShardAndEveryPolicyToEveryShard) {
  for (const std::size_t policies : {1u, 3u, 4u, 6u}) {
    for (const std::uint32_t of : {1u, 2u, 3u, 4u, 7u, 12u}) {
      const std::uint32_t runs = 12 * of;
      std::vector<std::size_t> sizes(of);
      std::vector<std::set<std::size_t>> seen(of);
      for (std::uint32_t run = 0; run < runs; ++run) {
        for (std::size_t policy = 0; policy < policies; ++policy) {
          std::size_t owners = 0;
          for (std::uint32_t index = 1; index <= of; ++index) {
            if (!has_run({index, of}, run, policy, policies)) continue;
            ++owners;
            ++sizes[index - 1];
            seen[index - 1].insert(policy);
          }
          ASSERT_EQ(owners, 1u);
        }
      }
      for (std::uint32_t index = 0; index < of; ++index) {
        EXPECT_EQ(sizes[index], 12 * policies);
        EXPECT_EQ(seen[index].size(), policies) << policies << " policies, " << of << " shards";
      }
    }
  }
}

TEST_F(Shards, MergeToTheBytesOfOneRun) {
  run_experiment(small(), {.folder = at("whole")});
  for (const std::uint32_t of : {1u, 2u, 4u, 20u}) {  // 15 runs of policies: some of 20 are empty
    const std::string name = "of-" + std::to_string(of);
    merge_shards(run_all(small(), of, name + "-"), at(name));
    expect_same_files("whole", name);
  }
}

TEST_F(Shards, MergeRankingsOfTargetingPolicies) {
  run_experiment(targeting(), {.folder = at("whole")});
  merge_shards(run_all(targeting(), 3, "shard"), at("merged"));
  expect_same_files("whole", "merged", true);
}

TEST_F(Shards, MayBeGivenTwiceAndCutDifferently) {
  run_experiment(small(), {.folder = at("whole")});
  Folders folders = run_all(small(), 2, "half");
  folders.push_back(folders.front());
  merge_shards(folders, at("twice"));
  expect_same_files("whole", "twice");
  const Folders thirds = run_all(small(), 3, "third");
  folders.insert(folders.end(), thirds.begin(), thirds.end());
  merge_shards(folders, at("mixed"));
  expect_same_files("whole", "mixed");
}

TEST_F(Shards, SayHowManyRunsTheyHave) {
  std::size_t runs = 0;
  for (std::uint32_t index = 1; index <= 4; ++index) {
    const ShardSize size = run_shard(small(), {index, 4}, {.folder = at(std::to_string(index))});
    EXPECT_EQ(size.of, 15u);
    runs += size.runs;
  }
  EXPECT_EQ(runs, 15u);
}

TEST_F(Shards, ContinueWithWhatTheirJournalLacks) {
  const Folders folders = run_all(small(), 2, "shard");
  const std::filesystem::path journal = folders[0] / "runs.journal";
  const std::string bytes = read_file(journal);
  run_shard(small(), {1, 2}, {.folder = folders[0], .threads = 1});
  EXPECT_EQ(read_file(journal), bytes);  // nothing was run again

  std::ofstream(journal, std::ios::binary) << bytes.substr(0, bytes.size() / 2 + 3);
  EXPECT_TRUE(has(merge_refusal(folders), "those of shard 1 of 2"));
  run_shard(small(), {1, 2}, {.folder = folders[0], .threads = 1});
  EXPECT_EQ(read_file(journal), bytes);
  run_experiment(small(), {.folder = at("whole")});
  merge_shards(folders, at("merged"));
  expect_same_files("whole", "merged");
}

TEST_F(Shards, NameWhatIsMissing) {
  const Folders folders = run_all(small(), 4, "shard");
  const std::string text = merge_refusal({folders[0], folders[2]});
  EXPECT_TRUE(has(text, "those of shard 2, 4 of 4")) << text;
  EXPECT_TRUE(has(text, "of 20 runs of policies and values are missing")) << text;
}

TEST_F(Shards, OfAnotherRunAreRefused) {
  const Folders folders = run_all(small(), 2, "shard");
  Experiment other = small();
  other.seed = 5;
  run_shard(other, {2, 2}, {.folder = at("seed")});
  EXPECT_TRUE(has(merge_refusal({folders[0], at("seed")}), "seed is 5 there and 4 in"));

  const auto change = [&](const char* key, const char* value) {
    std::filesystem::copy(folders[1], at(key));
    auto json = nlohmann::json::parse(read_file(at(key) / "manifest.json"));
    json[key] = value;
    std::ofstream(at(key) / "manifest.json") << json;
    return merge_refusal({folders[0], at(key)});
  };
  EXPECT_TRUE(has(change("version", "9.9.9"), "version is 9.9.9 there"));
  EXPECT_TRUE(has(change("instance_checksum", "00000000"), "checksum of the instance"));
}

TEST_F(Shards, ThatContradictEachOtherAreRefused) {
  Folders folders = run_all(small(), 2, "shard");
  std::filesystem::create_directory(at("other"));
  std::filesystem::copy_file(folders[1] / "manifest.json", at("other") / "manifest.json");
  JournalRecords records = read_journal(folders[1] / "runs.journal", 100);
  {
    Journal journal(at("other") / "runs.journal", 100);
    records.begin()->second.back() += 1e-9;
    for (const auto& [task, numbers] : records) journal.append(task, numbers);
  }
  folders.push_back(at("other"));
  EXPECT_TRUE(has(merge_refusal(folders), "contradicts another shard: run "));
}

TEST_F(Shards, AreNoResultsAndNotEachOther) {
  const Folders folders = run_all(small(), 2, "shard");
  EXPECT_TRUE(has(refusal([&] { read_results(folders[0]); }), "is shard 1 of 2: join"));
  EXPECT_TRUE(has(refusal([&] {
                    run_shard(small(), {2, 2}, {.folder = folders[0]});
                  }),
                  "shard is 1/2 there and 2/2 here"));
  EXPECT_TRUE(has(refusal([&] { run_experiment(small(), {.folder = folders[0]}); }),
                  "shard is 1/2 there and none here"));
  EXPECT_TRUE(has(refusal([&] {
                    run_shard(small(), {3, 2}, {.folder = at("x")});
                  }),
                  "must be I/N with I from 1 to N"));
  EXPECT_TRUE(has(refusal([&] {
                    run_shard(small(), {0, 2}, {.folder = at("x")});
                  }),
                  "must be I/N with I from 1 to N"));
  run_experiment(small(), {.folder = at("whole")});
  EXPECT_TRUE(has(merge_refusal({at("whole")}), "it holds whole results"));
  EXPECT_TRUE(has(merge_refusal({at("nowhere")}), "it has no manifest.json"));
  EXPECT_TRUE(has(merge_refusal({}), "give at least one folder"));
}

TEST_F(Shards, OfASuiteAreMergedTogether) {
  Experiment second = small();
  second.name = "second";
  second.seed = 9;
  const Suite suite{.name = "two", .title = "Two", .experiments = {small(), second}};
  Folders folders;
  for (std::uint32_t index = 1; index <= 2; ++index) {
    folders.push_back(at("suite" + std::to_string(index)));
    claim_suite_folder(suite, folders.back());
    for (const Experiment& experiment : suite.experiments) {
      run_shard(experiment, {index, 2}, {.folder = folders.back() / experiment.name});
    }
  }
  EXPECT_TRUE(has(refusal([&] { merge_suite_shards({folders[0]}, at("refused")); }), "missing"));
  EXPECT_FALSE(std::filesystem::exists(at("refused")));
  merge_suite_shards(folders, at("merged"));
  for (const Experiment& experiment : suite.experiments) {
    run_experiment(experiment, {.folder = at(experiment.name)});
    expect_same_files(experiment.name, "merged/" + experiment.name);
  }
  EXPECT_EQ(read_suite_results(at("merged")).parts.size(), 2u);
}

}  // namespace
}  // namespace updraft

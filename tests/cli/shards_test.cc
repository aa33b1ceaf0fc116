// `updraft run --shard` and `updraft merge`.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "checks.h"
#include "process.h"

namespace updraft::cli_test {
namespace {

class CliShards : public ::testing::Test {
 protected:
  CliShards() {
    folder_.write("tiny.json", kTiny);
    experiment_ = folder_.write("mine.toml",
                                "name = 'mine'\ntitle = 'Mine'\ninstance = 'tiny.json'\n"
                                "rounds = 200\nruns = 4\n"
                                "[[policy]]\nspec = 'up_ucb'\nlabel = 'UpUCB'\nalpha = [0.1, 1]\n"
                                "[[policy]]\nspec = 'up_ts'\nlabel = 'UpTS'\n");
  }

  Outcome run(const std::string& out, const Arguments& more = {}) const {
    Arguments arguments = {"run", experiment_, "--out", folder_.path(out), "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return updraft(arguments);
  }

  std::string bytes_of(const std::string& path) const {
    std::ifstream in(folder_.path(path), std::ios::binary);
    EXPECT_TRUE(in) << path;
    return {std::istreambuf_iterator<char>(in), {}};
  }

  TemporaryFolder folder_;
  std::string experiment_;
};

TEST_F(CliShards, MergeToTheFilesOfOneRun) {
  EXPECT_EQ(run("whole").exit_code, 0);
  const Outcome first = run("1", {"--shard", "1/3"});
  EXPECT_EQ(first.exit_code, 0) << first.err;
  expect_contains(first.out, "shard 1 of 3: ");
  expect_contains(first.out, "of 8 runs of policies are finished");
  const auto json = parsed(run("2", {"--shard", "2/3", "--json"}));
  EXPECT_EQ(json["shard"]["index"], 2);
  EXPECT_EQ(json["shard"]["of"], 3);
  EXPECT_EQ(json["of_runs"], 8);
  const Arguments merge = {"merge",           folder_.path("1"), folder_.path("2"),
                           folder_.path("3"), "--out",           folder_.path("merged")};
  Arguments without = merge;
  without.erase(without.begin() + 3);
  expect_refused(without, "are missing: those of shard 3 of 3");
  EXPECT_FALSE(std::filesystem::exists(folder_.path("merged")));
  run("3", {"--shard", "3/3"});
  const Outcome merged = updraft(merge);
  EXPECT_EQ(merged.exit_code, 0) << merged.err;
  expect_contains(merged.out, "# Mine");
  for (const char* file : {"final.csv", "curves.csv", "summary.md", "figure.svg"}) {
    EXPECT_EQ(bytes_of(std::string("merged/") + file), bytes_of(std::string("whole/") + file))
        << file;
  }
}

TEST_F(CliShards, RefuseBadOptions) {
  const auto refused = [&](const Arguments& more, const std::string& part) {
    Arguments arguments = {"run", experiment_, "--out", folder_.path("x")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    expect_refused(arguments, part);
    EXPECT_FALSE(std::filesystem::exists(folder_.path("x")));
  };
  refused({"--shard", "3"}, "--shard = 3: must be I/N with I from 1 to N");
  refused({"--shard", "4/3"}, "--shard, I = 4: must be a whole number from 1 to 3");
  refused({"--shard", "0/3"}, "--shard, I = 0");
  refused({"--shard", "1/0"}, "--shard, N = 0");
  refused({"--shard", "1/x"}, "--shard, N = x");
  refused({"--shard", "1/3", "--html"}, "--html: is for whole results");
  expect_refused({"merge", "--out", folder_.path("x")}, "shards: must be given");
  expect_refused({"merge", folder_.path("nowhere")}, "--out: must be given");
  expect_refused({"merge", folder_.path("nowhere"), "--out", folder_.path("x")},
                 "is not a shard: it has no manifest.json");
}

}  // namespace
}  // namespace updraft::cli_test

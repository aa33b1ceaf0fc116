// `updraft run` and `figure`, as people use and stop them.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <thread>

#include "checks.h"
#include "process.h"

namespace updraft::cli_test {
namespace {

constexpr const char* kExperiment = R"(
name = "tiny"
title = "Three ways to sell"
instance = "tiny.json"
rounds = 30000
runs = 20

[[policy]]
spec = "ucb"
alpha = [0.01, 0.1]

[[policy]]
spec = "up_ucb"
label = "UpUCB"
alpha = [0.1, 1]
)";

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}

class CliRun : public ::testing::Test {
 protected:
  CliRun() {
    folder_.write("tiny.json", kTiny);
    toml_ = folder_.write("tiny.toml", kExperiment);
  }

  Arguments run_into(const std::string& name, const Arguments& more = {}) const {
    Arguments arguments = {"run", toml_, "--out", folder_.path(name), "--threads", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  /// The files that must not depend on how a run went.
  void expect_same(const std::string& one, const std::string& other) const {
    for (const char* name : {"final.csv", "curves.csv", "summary.md"}) {
      EXPECT_EQ(bytes_of(folder_.path(one) + "/" + name),
                bytes_of(folder_.path(other) + "/" + name))
          << name;
    }
    if (std::filesystem::exists(folder_.path(one) + "/figure.svg")) {
      EXPECT_EQ(bytes_of(folder_.path(one) + "/figure.svg"),
                bytes_of(folder_.path(other) + "/figure.svg"));
    }
  }

  TemporaryFolder folder_;
  std::string toml_;
};

TEST_F(CliRun, PrintsTheSummaryAndWhereTheFilesAre) {
  const Outcome outcome = updraft(run_into("a", {"--rounds", "200", "--quiet"}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  expect_contains(outcome.out, "Three ways to sell");
  expect_contains(outcome.out, "UpUCB");
  expect_contains(outcome.out, folder_.path("a") + "/final.csv");
  EXPECT_EQ(bytes_of(folder_.path("a") + "/summary.md"),
            outcome.out.substr(0, bytes_of(folder_.path("a") + "/summary.md").size()));
}

TEST_F(CliRun, PrintsJson) {
  const auto json = parsed(updraft(run_into("a", {"--rounds", "200", "--json", "--quiet"})));
  EXPECT_EQ(json["experiment"], "tiny");
  EXPECT_EQ(json["rounds"], 200);
  EXPECT_EQ(json["short_run"], "200 of 30,000 rounds");
  ASSERT_EQ(json["policies"].size(), 2u);
  EXPECT_GT(json["policies"][0]["final_regret"]["mean"].get<double>(), 0.0);
  const double chosen = json["policies"][1]["chosen"];
  EXPECT_TRUE(chosen == 0.1 || chosen == 1.0);
}

TEST_F(CliRun, KilledFiveTimesGivesTheSameBytes) {
  ASSERT_EQ(updraft(run_into("whole", {"--quiet"})).exit_code, 0);
  // 80 runs of 816 bytes each end up in the journal. Each attempt is killed a random moment after
  // another 13 of them are there.
  std::mt19937 random(5);
  const std::string journal = folder_.path("killed") + "/runs.journal";
  for (std::uintmax_t kills = 1; kills <= 5; ++kills) {
    Process process(run_into("killed", {"--quiet"}));
    std::error_code missing;
    for (int wait = 0; wait < 60000; ++wait) {
      const std::uintmax_t size = std::filesystem::file_size(journal, missing);
      if (!missing && size >= kills * 13 * 816) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 10000));
    kill(process.id(), SIGKILL);
    // A busy machine may let a later attempt finish before it is killed.
    const int code = process.wait().exit_code;
    if (kills > 1 && code == 0) break;
    ASSERT_EQ(code, 128 + SIGKILL);
  }
  const Outcome last = updraft(run_into("killed", {"--quiet"}));
  EXPECT_EQ(last.exit_code, 0) << last.err;
  expect_same("whole", "killed");
}

TEST_F(CliRun, StoppedByCtrlCSaysHowToGoOn) {
  Process process(run_into("a", {"--rounds", "40000000"}));
  ASSERT_TRUE(process.wait_until_blocked(SIGINT)) << process.wait().err;
  kill(process.id(), SIGINT);
  const Outcome outcome = process.wait();
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.out, "");
  expect_contains(outcome.err, "stopped: the finished runs are kept in " + folder_.path("a") +
                                   "; the same command continues from there");
}

TEST_F(CliRun, TwoProcessesOnOneFolderAreRefused) {
  Process first(run_into("a", {"--rounds", "40000000", "--quiet"}));
  ASSERT_TRUE(first.wait_until_blocked(SIGINT)) << first.wait().err;
  Outcome second;
  for (int attempt = 0; attempt < 1200; ++attempt) {  // until the first holds the folder
    if (std::filesystem::exists(folder_.path("a") + "/runs.journal")) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  second = updraft(run_into("a", {"--rounds", "40000000", "--quiet"}));
  EXPECT_EQ(second.exit_code, 1);
  expect_contains(second.err, "another process is working on " + folder_.path("a"));
  kill(first.id(), SIGKILL);
  first.wait();
}

TEST_F(CliRun, AFullDiskLosesNothingThatWasWritten) {
  ASSERT_EQ(updraft(run_into("whole", {"--quiet"})).exit_code, 0);
  // Files may grow to 30 kB: the journal of 80 runs with 100 points each does not fit.
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit tight = {30000, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &tight), 0);
  const Outcome full = updraft(run_into("full", {"--quiet"}));
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_EQ(full.exit_code, 1);
  expect_contains(full.err, "cannot write " + folder_.path("full") + "/runs.journal");
  EXPECT_GT(std::filesystem::file_size(folder_.path("full") + "/runs.journal"), 20000u);
  ASSERT_EQ(updraft(run_into("full", {"--quiet"})).exit_code, 0);
  expect_same("whole", "full");
}

TEST_F(CliRun, WithoutGnuplotTheResultsAreKept) {
  const std::string path = std::getenv("PATH");
  setenv("PATH", folder_.path("empty").c_str(), 1);
  const Outcome outcome = updraft(run_into("a", {"--rounds", "200", "--quiet"}));
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(outcome.exit_code, 0);
  expect_contains(outcome.err, "updraft figure " + folder_.path("a"));
  EXPECT_TRUE(std::filesystem::exists(folder_.path("a") + "/final.csv"));
  EXPECT_FALSE(std::filesystem::exists(folder_.path("a") + "/figure.svg"));
}

TEST_F(CliRun, FigureDrawsAgain) {
  ASSERT_EQ(updraft(run_into("a", {"--rounds", "200", "--quiet"})).exit_code, 0);
  const Outcome outcome = updraft({"figure", folder_.path("a"), "--log-regret", "--bounds"});
  if (outcome.err.find("gnuplot is not installed") != std::string::npos) GTEST_SKIP();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  expect_contains(outcome.out, folder_.path("a") + "/figure.svg");
  expect_contains(outcome.out, folder_.path("a") + "/figure.png");
}

TEST_F(CliRun, HtmlIsWrittenOnlyWhereAskedFor) {
  const Outcome without = updraft(run_into("a", {"--rounds", "200", "--quiet"}));
  EXPECT_EQ(without.exit_code, 0) << without.err;
  EXPECT_FALSE(std::filesystem::exists(folder_.path("a") + "/report.html"));
  const Outcome with = updraft(run_into("b", {"--rounds", "200", "--quiet", "--html"}));
  EXPECT_EQ(with.exit_code, 0) << with.err;
  expect_contains(with.out, folder_.path("b") + "/report.html\n");
  const std::string page = bytes_of(folder_.path("b") + "/report.html");
  expect_contains(page, "<title>Three ways to sell</title>");
  expect_contains(page, "Content-Security-Policy");
  const auto json = parsed(updraft(run_into("b", {"--rounds", "200", "--html", "--json"})));
  EXPECT_EQ(json["html"], folder_.path("b") + "/report.html");
}

TEST_F(CliRun, FigureMakesTheSameHtmlFromTheResults) {
  ASSERT_EQ(updraft(run_into("a", {"--rounds", "200", "--quiet", "--html"})).exit_code, 0);
  const std::string path = folder_.path("a") + "/report.html";
  const std::string played = bytes_of(path);
  std::filesystem::remove(path);
  const Outcome outcome = updraft({"figure", folder_.path("a"), "--html"});
  EXPECT_EQ(bytes_of(path), played);  // also without gnuplot
  if (outcome.err.find("gnuplot is not installed") != std::string::npos) GTEST_SKIP();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  expect_contains(outcome.out, path + "\n");
}

TEST_F(CliRun, RefusesBadInput) {
  expect_refused({"run"}, "experiment: must be given");
  expect_refused({"run", "gausian"}, "did you mean gaussian?");
  expect_refused(run_into("a", {"--rounds", "0"}), "--rounds = 0: must be a whole number");
  expect_refused(run_into("a", {"--runs", "0"}), "--runs = 0: must be a whole number");
  expect_refused(run_into("a", {"--policies", "ubc"}), "did you mean ucb?");
  expect_refused(run_into("a", {"--qiuck"}), "did you mean --quick?");
  expect_refused(run_into("a", {"--htm"}), "did you mean --html?");
  expect_refused({"figure"}, "folder: must be given");
  expect_refused({"figure", folder_.path("")}, "is not a results folder");
  EXPECT_FALSE(std::filesystem::exists(folder_.path("a")));
  const Outcome unwritable = updraft({"run", toml_, "--rounds", "10", "--out", "/dev/null/a"});
  EXPECT_EQ(unwritable.exit_code, 1);
  expect_contains(unwritable.err, "cannot make the folder /dev/null/a");
}

TEST_F(CliRun, RefusesAFolderOfAnotherRun) {
  ASSERT_EQ(updraft(run_into("a", {"--rounds", "50", "--quiet"})).exit_code, 0);
  expect_refused(run_into("a", {"--rounds", "60", "--quiet"}), "rounds is 50 there and 60 here");
}

}  // namespace
}  // namespace updraft::cli_test

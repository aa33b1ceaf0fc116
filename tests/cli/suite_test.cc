// `updraft run`, `paper` and `figure` with suites of experiments.
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "checks.h"
#include "process.h"

namespace updraft::cli_test {
namespace {

class CliSuite : public ::testing::Test {
 protected:
  CliSuite() {
    folder_.write("tiny.json", kTiny);
    write_experiment("rounds", "");
    write_experiment("values", "[figure]\nagainst = 'parameter'\n");
    suite_ = folder_.write("suite.toml",
                           "name = 'shop'\ntitle = 'Two ways to look'\n"
                           "experiments = ['rounds.toml', 'values.toml']\n");
  }

  void write_experiment(const std::string& name, const std::string& figure) const {
    folder_.write(name + ".toml",
                  "name = '" + name + "'\ntitle = 'Against " + name +
                      "'\ninstance = 'tiny.json'\n" +
                      "rounds = 300\nruns = 3\n[quick]\nrounds = 40\nruns = 2\n" + figure +
                      "[[policy]]\nspec = 'up_ucb'\nlabel = 'UpUCB'\nalpha = [0.1, 1]\n"
                      "[[policy]]\nspec = 'up_ts'\nlabel = 'UpTS'\n");
  }

  Arguments run_into(const std::string& name, const Arguments& more = {}) const {
    Arguments arguments = {"run", suite_, "--out", folder_.path(name), "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  bool exists(const std::string& path) const { return std::filesystem::exists(folder_.path(path)); }

  std::string bytes_of(const std::string& path) const {
    std::ifstream in(folder_.path(path), std::ios::binary);
    EXPECT_TRUE(in) << path;
    return {std::istreambuf_iterator<char>(in), {}};
  }

  TemporaryFolder folder_;
  std::string suite_;
};

TEST_F(CliSuite, PlaysEachExperimentIntoAFolder) {
  const Outcome outcome = updraft(run_into("a"));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  expect_contains(outcome.out, "# Two ways to look");
  expect_contains(outcome.out, "[values](values/summary.md)");
  expect_contains(outcome.out, folder_.path("a") + "/summary.md");
  for (const char* name : {"rounds", "values"}) {
    for (const char* file : {"/summary.md", "/final.csv", "/curves.csv", "/manifest.json"}) {
      EXPECT_TRUE(exists("a/" + std::string(name) + file)) << name << file;
    }
  }
  EXPECT_TRUE(exists("a/suite.json"));
  EXPECT_EQ(updraft(run_into("a")).out, outcome.out);  // read, not played
}

TEST_F(CliSuite, TakesTheOptionsOfARun) {
  const auto json = parsed(updraft(
      run_into("a", {"--json", "--quick", "--runs", "4", "--seed", "9", "--threads", "1"})));
  EXPECT_EQ(json["suite"], "shop");
  ASSERT_EQ(json["experiments"].size(), 2u);
  for (const auto& experiment : json["experiments"]) {
    EXPECT_EQ(experiment["rounds"], 40);
    EXPECT_EQ(experiment["runs"], 4);
    EXPECT_EQ(experiment["seed"], 9);
    EXPECT_EQ(experiment["policies"].size(), 2u);
  }
  const auto one = parsed(updraft(run_into("b", {"--json", "--policies", "UpTS"})));
  EXPECT_EQ(one["experiments"][1]["policies"].size(), 1u);
}

TEST_F(CliSuite, GoesOnAfterAStop) {
  Process process({"run", suite_, "--out", folder_.path("a"), "--rounds", "4000000"});
  ASSERT_TRUE(process.wait_until_blocked(SIGINT)) << process.wait().err;
  kill(process.id(), SIGINT);
  const Outcome stopped = process.wait();
  EXPECT_EQ(stopped.exit_code, 1);
  expect_contains(stopped.err, "stopped: the finished runs are kept in " + folder_.path("a") + "/");
  expect_refused({"figure", folder_.path("a")}, "is not finished");
  // The first is finished alone; the suite then plays the second only.
  ASSERT_EQ(updraft(run_into("b")).exit_code, 0);
  std::filesystem::remove_all(folder_.path("b") + "/values");
  const Outcome rest = updraft(run_into("b"));
  EXPECT_EQ(rest.exit_code, 0) << rest.err;
  EXPECT_TRUE(exists("b/values/final.csv"));
}

TEST_F(CliSuite, FigureDrawsAgain) {
  ASSERT_EQ(updraft(run_into("a")).exit_code, 0);
  for (const char* name : {"a/summary.md", "a/figure.svg", "a/rounds/figure.svg"}) {
    std::filesystem::remove(folder_.path(name));
  }
  const Outcome outcome = updraft({"figure", folder_.path("a")});
  if (outcome.err.find("gnuplot is not installed") != std::string::npos) GTEST_SKIP();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  expect_contains(outcome.out, folder_.path("a") + "/figure.svg");
  for (const char* name : {"a/summary.md", "a/figure.svg", "a/rounds/figure.svg"}) {
    EXPECT_TRUE(exists(name)) << name;
  }
}

TEST_F(CliSuite, HtmlHasAPageForAllAndOneForEach) {
  const auto json = parsed(updraft(run_into("a", {"--json", "--html"})));
  EXPECT_EQ(json["html"], folder_.path("a") + "/report.html");
  EXPECT_EQ(json["experiments"][1]["html"], folder_.path("a") + "/values/report.html");
  const std::string all = bytes_of("a/report.html");
  expect_contains(all, "<title>Two ways to look</title>");
  expect_contains(all, "Against rounds");
  expect_contains(all, "Against values");
  expect_contains(bytes_of("a/rounds/report.html"), "<title>Against rounds</title>");
  for (const char* name : {"a/report.html", "a/values/report.html"}) {
    std::filesystem::remove(folder_.path(name));
  }
  updraft({"figure", folder_.path("a"), "--html"});
  EXPECT_EQ(bytes_of("a/report.html"), all);
  EXPECT_TRUE(exists("a/values/report.html"));
}

TEST_F(CliSuite, PaperPlaysItsFiveExperiments) {
  const Outcome outcome = updraft({"paper", "--quick", "--rounds", "30", "--runs", "2", "--quiet",
                                   "--html", "--out", folder_.path("all")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* name :
       {"gaussian", "gaussian-weak", "criteo", "baseline-bound", "misspecified-l"}) {
    expect_contains(outcome.out, name);
    EXPECT_TRUE(exists("all/" + std::string(name) + "/summary.md"));
  }
  expect_contains(outcome.out, "Not knowing the baseline costs little");
  EXPECT_FALSE(exists("all/tuning-free-gaussian"));
  EXPECT_TRUE(exists("all/summary.md"));
  expect_contains(outcome.out, folder_.path("all") + "/report.html");
}

TEST_F(CliSuite, RefusesBadInput) {
  expect_refused({"run", "papper"}, "did you mean paper?");
  expect_refused(run_into("a", {"--policies", "UpTs"}), "policy of shop = UpTs: unknown");
  expect_refused(run_into("a", {"--threads", "0"}), "--threads = 0: must be a whole number");
  expect_refused(run_into("a", {"--rounds", "0"}), "--rounds = 0: must be a whole number");
  expect_refused(
      run_into("a", {"--bounds"}),
      "--bounds: is for figures against rounds; the figure of values is against the parameter");
  EXPECT_FALSE(exists("a"));
  const std::string twice = folder_.write(
      "twice.toml", "name = 'a'\ntitle = 'b'\nexperiments = ['gaussian', 'gaussian']\n");
  expect_refused({"run", twice}, twice + ":3: experiments[1] = gaussian: has the name gaussian");
  ASSERT_EQ(updraft(run_into("a")).exit_code, 0);
  expect_refused({"figure", folder_.path("a"), "--log-regret"}, "--log-regret: is for figures");
  expect_refused({"run", "gaussian", "--out", folder_.path("a")},
                 "is neither a results folder nor empty");
}

}  // namespace
}  // namespace updraft::cli_test

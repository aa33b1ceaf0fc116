// `updraft run` on targeting experiments, with and without the published data.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <stdlib.h>
#include <algorithm>

#include "checks.h"
#include "process.h"

namespace updraft::cli_test {
namespace {

/// A table in the form of Hillstrom's, made up: e-mails help those who bought such things before.
std::string made_emails(int rows) {
  static constexpr const char* kSegments[] = {"No E-Mail", "Mens E-Mail", "Womens E-Mail"};
  std::string text =
      "recency,history_segment,history,mens,womens,zip_code,newbie,channel,segment,visit,"
      "conversion,spend\n";
  unsigned state = 1;
  const auto draw = [&state](unsigned sides) {
    state = state * 1664525u + 1013904223u;
    return (state >> 16) % sides;
  };
  for (int row = 0; row < rows; ++row) {
    const unsigned mens = draw(2);
    const unsigned segment = draw(3);
    const bool fits = (segment == 1 && mens == 1) || (segment == 2 && mens == 0);
    const bool visit = draw(100) < (fits ? 45 : 15);
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},0,0\n", 1 + draw(12), "1) $0 - $100",
                        30 + draw(70), mens, 1 - mens, "Rural", draw(2), "Web", kSegments[segment],
                        visit ? 1 : 0);
  }
  return text;
}

class CliTargeting : public ::testing::Test {
 protected:
  CliTargeting() { ::unsetenv("UPDRAFT_DATA"); }

  Arguments run(const std::string& experiment, const Arguments& more = {}) const {
    Arguments arguments = {"run",    experiment, "--rounds", "30",
                           "--runs", "2",        "--out",    folder_.path("out")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  TemporaryFolder folder_;
};

TEST_F(CliTargeting, WithoutItsDataIsPlayedOnGeneratedIndividualsAndSaysSo) {
  const Outcome outcome = updraft(run("targeting-model", {"--quick"}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  expect_contains(outcome.err,
                  "no criteo data: targeting-model runs on generated individuals instead; give the "
                  "table with --data, or its folder in UPDRAFT_DATA");
  std::string said = outcome.out;
  std::replace(said.begin(), said.end(), '\n', ' ');
  expect_contains(said, "in place of criteo");
  expect_contains(outcome.out, "Run on generated individuals, not on the paper's data");
  expect_contains(outcome.out, folder_.path("out") + "/ranking.csv");
}

TEST_F(CliTargeting, TakesATableOrAFolderThatHasIt) {
  folder_.write("hillstrom.csv", made_emails(1500));
  const auto by_file = parsed(updraft(
      run("hillstrom", {"--quick", "--json", "--quiet", "--data", folder_.path("hillstrom.csv")})));
  EXPECT_EQ(by_file["population"]["generated"], false);
  EXPECT_EQ(by_file["population"]["individuals"], 1500);
  EXPECT_EQ(by_file["population"]["treatments"], 2);
  for (const auto& policy : by_file["policies"]) {
    if (policy["label"] != "oracle") continue;
    EXPECT_EQ(policy["final_regret"]["mean"], 0.0);
    // Each fitting e-mail adds 0.3 visits.
    EXPECT_GT(policy["final_uplift"]["mean"].get<double>(), 0.2);
    EXPECT_GT(policy["qini"]["high"].get<double>(), policy["qini"]["low"].get<double>());
  }
  ::setenv("UPDRAFT_DATA", folder_.path("").c_str(), 1);
  const auto by_folder = parsed(updraft(run("hillstrom", {"--quick", "--json", "--quiet"})));
  ::unsetenv("UPDRAFT_DATA");
  EXPECT_EQ(by_folder, by_file);
}

TEST_F(CliTargeting, RefusesDataThatIsNotThere) {
  expect_refused(run("targeting-model", {"--data", folder_.path("")}),
                 "must contain one of criteo-uplift-v2.1.csv.gz");
  expect_refused(run("targeting-model", {"--data", folder_.path("none.csv")}),
                 "none.csv: no such file or folder");
  expect_refused(
      {"paper", "--quick", "--data", folder_.path("none.csv"), "--out", folder_.path("out")},
      "none.csv: no such file or folder");
  expect_refused(run("gaussian", {"--data", folder_.path("")}),
                 "is only for experiments on published data");
  folder_.write("other.csv", "a,b\n1,2\n");
  expect_refused(run("targeting-model", {"--quiet", "--data", folder_.path("other.csv")}),
                 "treatment");
  EXPECT_FALSE(std::filesystem::exists(folder_.path("out")));
}

TEST_F(CliTargeting, RefusesWhatAFigureOfPanelsCannotHave) {
  expect_refused(
      run("targeting-synthetic", {"--bounds"}),
      "--bounds: is for experiments on an instance; targeting-synthetic is on a population");
  expect_refused(
      run("contextual-linear", {"--bounds"}),
      "--bounds: is for experiments on an instance; contextual-linear is a contextual bandit");
  EXPECT_FALSE(std::filesystem::exists(folder_.path("out")));
}

}  // namespace
}  // namespace updraft::cli_test

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "checks.h"
#include "process.h"

namespace updraft::cli_test {
namespace {

using nlohmann::json;

/// 600 customers, young and old in turn; every third is mailed, every third called. Young ones buy
/// when mailed, old ones when called.
std::string shop_table() {
  std::string text = "age,city,arm,bought\n";
  for (int i = 0; i < 600; ++i) {
    const int arm = i % 3;
    const bool old = i / 3 % 2 == 1;
    const int luck = i * 37 % 10;
    const int chance = arm == 0 ? 2 : (arm == 1) != old ? 7 : 3;
    text += fmt::format("{},{},{},{}\n", (old ? 60 : 20) + i % 7, i % 5 == 0 ? "Ulm" : "Bonn",
                        arm == 0   ? "none"
                        : arm == 1 ? "mail"
                                   : "call",
                        luck < chance ? 1 : 0);
  }
  return text;
}

class BuildInstance : public ::testing::Test {
 protected:
  Arguments with(const Arguments& more, const std::string& csv = "") const {
    Arguments all = {"build-instance", csv.empty() ? shop_ : csv,
                     "--treatment",    "arm",
                     "--control",      "none",
                     "--outcome",      "bought",
                     "--out",          out_};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  void expect_nothing_written() const {
    EXPECT_FALSE(std::filesystem::exists(out_));
    EXPECT_FALSE(std::filesystem::exists(out_ + ".partial"));
  }

  /// A table with `text` in it is refused with `part` and nothing is written.
  void expect_table_refused(const std::string& text, const std::string& part,
                            const Arguments& more = {}) const {
    expect_refused(with(more, folder_.write("bad.csv", text)), part);
    expect_nothing_written();
  }

  TemporaryFolder folder_;
  const std::string shop_ = folder_.write("shop.csv", shop_table());
  const std::string out_ = folder_.path("out.json");
};

TEST_F(BuildInstance, HelpNamesEveryOptionAndGivesExamples) {
  const Outcome outcome = updraft({"build-instance", "--help"});
  EXPECT_EQ(outcome.exit_code, 0);
  for (const char* option :
       {"CSV",           "--out",        "--preset",       "--config",   "--treatment",
        "--control",     "--treatments", "--outcome",      "--features", "--ignore",
        "--categorical", "--response",   "--outcome-rate", "--rows",     "--seed",
        "--clusters",    "--restarts",   "--ridge",        "--name",     "--keep-rows",
        "--json",        "--quiet"}) {
    expect_contains(outcome.out, std::string("\n  ") + option);
  }
  expect_contains(outcome.out, "Output: ");
  expect_contains(outcome.out, "Examples:\n  updraft build-instance");
}

TEST_F(BuildInstance, WritesResponseModels) {
  const Outcome outcome = updraft(with({}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  expect_contains(outcome.out, "600 of 600 rows, 3 features, outcome bought");
  expect_contains(outcome.out, "none (control)");
  expect_contains(outcome.out, "predicted uplift");
  const json models = json::parse(std::ifstream(out_));
  EXPECT_EQ(models["format"], "updraft-response-models/1");
  EXPECT_EQ(models["name"], "shop");
  EXPECT_EQ(models["treatments"].size(), 3u);
  EXPECT_FALSE(models.contains("rows"));
}

TEST_F(BuildInstance, KeepsRowsWhereAsked) {
  const json said = parsed(updraft(with({"--keep-rows", "--json", "--rows", "200"})));
  EXPECT_EQ(said["kind"], "response-models");
  EXPECT_EQ(said["rows"], 200);
  EXPECT_EQ(said["rows_read"], 600);
  EXPECT_EQ(said["features"], (json{"age", "city=Bonn", "city=Ulm"}));
  EXPECT_TRUE(said["models"][1]["quality"].contains("auc"));
  EXPECT_TRUE(said["models"][1].contains("uplift"));
  EXPECT_EQ(json::parse(std::ifstream(out_))["rows"]["count"], 200);
}

TEST_F(BuildInstance, WritesAnInstanceThatOtherCommandsRead) {
  const Outcome built = updraft(with({"--clusters", "2", "--features", "age"}));
  EXPECT_EQ(built.exit_code, 0) << built.err;
  expect_contains(built.out, "untreated rate");
  const json instance = parsed(updraft({"instance", out_, "--json"}));
  EXPECT_EQ(instance["variables"], 600);
  EXPECT_EQ(instance["actions"], 4);
  EXPECT_EQ(updraft({"simulate", "--instance", out_, "--policy", "ucb(alpha=1)", "--rounds", "20",
                     "--quiet"})
                .exit_code,
            0);
  const json said = parsed(updraft(with({"--clusters", "2", "--json"})));
  EXPECT_EQ(said["kind"], "instance");
  EXPECT_EQ(said["clusters"].size(), 2u);
}

TEST_F(BuildInstance, TheSameSeedGivesTheSameBytes) {
  const auto bytes = [&](const char* seed) {
    EXPECT_EQ(updraft(with({"--rows", "300", "--seed", seed, "--keep-rows"})).exit_code, 0);
    std::ifstream in(out_, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  const std::string one = bytes("1");
  EXPECT_EQ(bytes("1"), one);
  EXPECT_NE(bytes("2"), one);
}

TEST_F(BuildInstance, ReadsAConfigThatTheCommandLineOverrides) {
  const std::string config = folder_.write(
      "shop.toml", "treatment = \"arm\"\ncontrol = \"none\"\noutcome = \"city\"\nrows = 100\n");
  const json said = parsed(updraft({"build-instance", shop_, "--config", config, "--outcome",
                                    "bought", "--out", out_, "--json"}));
  EXPECT_EQ(said["rows"], 100);
  EXPECT_EQ(said["outcome"], "bought");
}

TEST_F(BuildInstance, RefusesBadTables) {
  const std::string head = "age,arm,bought\n1,none,0\n";
  expect_table_refused("", "is empty; the first line must name the columns");
  expect_table_refused("age,arm,age,bought\n", "column 3 is named \"age\", like another column");
  expect_table_refused("age,arm,sold\n1,none,0\n", "outcome = bought: unknown; did you mean");
  expect_table_refused(head + "2,mail\n", "bad.csv:3: has 2 fields; must have 3");
  expect_table_refused(head + "2,mail,0,0\n", "bad.csv:3: has 4 fields; must have 3");
  expect_table_refused(head + "old,mail,0\n", "bad.csv:3: age = old: must be a number");
  expect_table_refused(head + "nan,mail,0\n", "bad.csv:3: age = nan: must be finite");
  expect_table_refused(head + "2,mail,0.5\n", "bad.csv:3: bought = 0.5: must be 0 or 1");
  expect_table_refused(head + "2,mail,\"0\n", "bad.csv:3: has a quote that is not closed");
  expect_table_refused(head + "2,mail,0\n", "call: never occurs in column arm",
                       {"--treatments", "mail,call"});
  std::string none_bought = "age,arm,bought\n";
  for (int i = 0; i < 40; ++i) {
    none_bought += fmt::format("{},{},{}\n", i, i % 2 == 0 ? "none" : "mail", i % 4 == 0 ? 1 : 0);
  }
  expect_table_refused(none_bought, "treatment = mail: has no row with outcome 1");
  expect_table_refused(none_bought,
                       "clusters = 41: must be at most 40, the number of different rows",
                       {"--clusters", "41"});
}

TEST_F(BuildInstance, RefusesBadOptions) {
  expect_refused({"build-instance"}, "CSV: must be given");
  expect_refused({"build-instance", shop_}, "--out: must be given");
  expect_refused({"build-instance", shop_, "--out", out_}, "--treatment: must name a column");
  expect_refused(with({"--preset", "critteo"}), "did you mean criteo?");
  expect_refused(with({"--outcome-rate", "1"}), "--outcome-rate = 1: must be a number in (0, 1)");
  expect_refused(with({"--rows", "0"}), "--rows = 0: must be a whole number from 1");
  expect_refused(with({"--clusters", "0"}), "--clusters = 0: must be a whole number from 1");
  expect_refused(with({"--features", "age,,city"}), "contains an empty name");
  expect_refused(with({"--response", "probit"}), "--response = probit: unknown");
  expect_refused(with({"--clusters", "2", "--keep-rows"}),
                 "--keep-rows: is for response model files");
  expect_refused(with({"--restarts", "2"}), "--restarts: can be used only with --clusters");
  expect_refused(with({}, folder_.path("none.csv")), "no such file");
  expect_refused(with({}, folder_.path().string()), "must be a regular file");
  expect_refused({"build-instance", shop_, "--out", shop_}, "must not be the data file");
  expect_refused({"build-instance", shop_, "--out", folder_.path("no/such.json")},
                 "must be in a directory that exists");
  expect_nothing_written();
}

}  // namespace
}  // namespace updraft::cli_test

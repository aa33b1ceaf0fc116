#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/folder.h"
#include "support/refusal.h"
#include "updraft/customer_table.h"

namespace updraft {
namespace {

std::string refused(const std::string& toml) {
  return testing::refusal([&] { parse_table_options(toml, "c.toml"); });
}

TEST(TableOptionsToml, ReadsEveryKey) {
  const CustomerTableOptions options = parse_table_options(R"(
treatment = "arm"
outcome = "spend"
features = ["age", "city, country"]
ignore = ["id"]
categorical = ["age"]
control = "none"
treatments = ["mail", "call"]
response = "linear"
outcome_rate = 0.25
rows = 1000
seed = 7
)",
                                                           "c.toml");
  EXPECT_EQ(options.treatment, "arm");
  EXPECT_EQ(options.outcome, "spend");
  EXPECT_EQ(options.features, (std::vector<std::string>{"age", "city, country"}));
  EXPECT_EQ(options.ignore, std::vector<std::string>{"id"});
  EXPECT_EQ(options.categorical, std::vector<std::string>{"age"});
  EXPECT_EQ(options.control, "none");
  EXPECT_EQ(options.treatments, (std::vector<std::string>{"mail", "call"}));
  EXPECT_EQ(options.response, ResponseKind::kLinear);
  EXPECT_EQ(options.outcome_rate, 0.25);
  EXPECT_EQ(options.rows, 1000u);
  EXPECT_EQ(options.seed, 7u);
}

TEST(TableOptionsToml, StartsFromAPreset) {
  const CustomerTableOptions options =
      parse_table_options("outcome = \"spend\"\npreset = \"hillstrom\"\n", "c.toml");
  EXPECT_EQ(options.outcome, "spend");
  EXPECT_EQ(options.treatment, "segment");
  const testing::TemporaryFolder folder;
  const std::string path = folder.write("c.toml", "rows = 5\n");
  EXPECT_EQ(load_table_options(path, table_preset("criteo")).outcome, "visit");
}

TEST(TableOptionsToml, RefusesWithTheLine) {
  EXPECT_EQ(refused("rows = 5\ntreatmnt = \"x\"\n").substr(0, 41),
            "c.toml:2: treatmnt: unknown; did you mean");
  EXPECT_EQ(refused("\noutcome_rate = 1\n"), "c.toml:2: outcome_rate = 1: must be in (0, 1)");
  EXPECT_EQ(refused("rows = 0"), "c.toml:1: rows = 0: must be a whole number from 1 to 4294967296");
  EXPECT_EQ(refused("response = \"probit\"").substr(0, 40),
            "c.toml:1: response = probit: unknown; di");
  EXPECT_EQ(refused("preset = \"none\"").substr(0, 35), "c.toml:1: preset = none: unknown; d");
  EXPECT_NE(refused("features = \"age\"").find("must be a list of strings"), std::string::npos);
  EXPECT_NE(testing::refusal([] { load_table_options("/none.toml"); }).find("no"),
            std::string::npos);
}

}  // namespace
}  // namespace updraft

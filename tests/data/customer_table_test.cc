#include "updraft/customer_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "data/made_table.h"
#include "data/row_sample.h"
#include "support/folder.h"
#include "support/refusal.h"
#include "support/statistics.h"

namespace updraft {
namespace {

class CustomerTables : public ::testing::Test {
 protected:
  CustomerTables() {
    options_.treatment = "arm";
    options_.outcome = "bought";
    options_.control = "none";
  }

  CustomerTable read(const std::string& text) {
    return read_customer_table(folder_.write("t.csv", text), options_).table;
  }

  std::string refused(const std::string& text) {
    const std::string path = folder_.write("t.csv", text);
    std::string message = testing::refusal([&] { read_customer_table(path, options_); });
    for (std::size_t at; (at = message.find(path)) != message.npos;) {
      message.replace(at, path.size(), "t.csv");
    }
    return message;
  }

  testing::TemporaryFolder folder_;
  CustomerTableOptions options_;
};

constexpr const char* kSmall =
    "id,age,city,arm,bought,same\n"
    "1,20,Ulm,none,0,7\n"
    "2,60,Aachen,mail,1,7\n"
    "3,30,Ulm,mail,0,7\n";

TEST_F(CustomerTables, ScalesNumbersAndSplitsNames) {
  options_.ignore = {"id"};
  const CustomerTable table = read(kSmall);
  EXPECT_EQ(read_customer_table(folder_.path("t.csv"), options_).rows_read, 3u);
  EXPECT_EQ(table.features,
            (std::vector<Feature>{
                {"age", 20, 60}, {"city=Aachen", 0, 1}, {"city=Ulm", 0, 1}, {"same", 7, 7}}));
  EXPECT_EQ(table.values, (std::vector<double>{0, 0, 1, 0, 1, 1, 0, 0, 0.25, 0, 1, 0}));
  EXPECT_EQ(table.treatments, (std::vector<std::string>{"none", "mail"}));
  EXPECT_EQ(table.treatment, (std::vector<Treatment>{0, 1, 1}));
  EXPECT_EQ(table.outcomes, (std::vector<double>{0, 1, 0}));
  EXPECT_EQ(table.features[0].scaled(40), 0.5);
  EXPECT_EQ(table.features[0].scaled(1e9), 1.0);
  EXPECT_EQ(table.features[3].scaled(3), 0.0);
}

TEST_F(CustomerTables, ReadSegments) {
  options_.ignore = {"id"};
  options_.segment = "city";
  const CustomerTable table = read(kSmall);
  EXPECT_EQ(table.segments, (std::vector<std::string>{"Ulm", "Aachen"}));
  EXPECT_EQ(table.segment_of, (std::vector<std::uint32_t>{0, 1, 0}));
  EXPECT_EQ(table.features, (std::vector<Feature>{{"age", 20, 60}, {"same", 7, 7}}));
  const std::vector<std::size_t> rows = {1, 2};
  EXPECT_EQ(table.subset(rows).segment_of, (std::vector<std::uint32_t>{1, 0}));
  options_.segment = "arm";
  EXPECT_EQ(refused(kSmall), "segment = arm: must not be the treatment or the outcome");
  options_.segment = "town";
  EXPECT_EQ(refused(kSmall).find("t.csv: segment = town: unknown"), 0u) << refused(kSmall);
}

TEST_F(CustomerTables, SubsetsHaveTheChosenRowsInTheirOrder) {
  options_.ignore = {"id"};
  const CustomerTable table = read(kSmall);
  const CustomerTable part = table.subset(std::vector<std::size_t>{2, 0});
  EXPECT_EQ(part.values, (std::vector<double>{0.25, 0, 1, 0, 0, 0, 1, 0}));
  EXPECT_EQ(part.treatment, (std::vector<Treatment>{1, 0}));
  EXPECT_EQ(part.outcomes, (std::vector<double>{0, 0}));
  EXPECT_EQ(part.features, table.features);
  EXPECT_EQ(part.treatments, table.treatments);
  EXPECT_EQ(table.subset(std::vector<std::size_t>{0, 1, 2}), table);
  EXPECT_EQ(table.subset({}).rows(), 0u);
}

TEST_F(CustomerTables, NumbersMayBeDeclaredNames) {
  options_.features = {"age", "id"};
  options_.categorical = {"id"};
  const CustomerTable table = read(kSmall);
  ASSERT_EQ(table.features.size(), 4u);
  EXPECT_EQ(table.features[1].name, "id=1");
  EXPECT_EQ(table.features[3].name, "id=3");
}

TEST_F(CustomerTables, TreatmentsComeInTheOrderGiven) {
  options_.treatments = {"mail", "call"};
  EXPECT_EQ(read(testing::made_table(50)).treatments,
            (std::vector<std::string>{"none", "mail", "call"}));
  options_.treatments = {};
  EXPECT_EQ(read(testing::made_table(50)).treatments,
            (std::vector<std::string>{"none", "call", "mail"}));
}

TEST_F(CustomerTables, OutcomeRateIsReachedExactly) {
  const CustomerTable all = read(testing::made_table(2000));
  const double ones = std::accumulate(all.outcomes.begin(), all.outcomes.end(), 0.0);
  options_.outcome_rate = 0.75;
  const CustomerTable table = read(testing::made_table(2000));
  EXPECT_EQ(std::accumulate(table.outcomes.begin(), table.outcomes.end(), 0.0), ones);
  EXPECT_EQ(table.rows(), static_cast<std::size_t>(ones + std::round(ones / 3.0)));
  options_.rows = 300;
  EXPECT_EQ(read(testing::made_table(2000)).rows(), 300u);
}

TEST_F(CustomerTables, TheSeedDecidesWhichRowsAreKept) {
  options_.rows = 100;
  const CustomerTable one = read(testing::made_table(1000));
  EXPECT_EQ(read(testing::made_table(1000)).values, one.values);
  options_.seed = 2;
  EXPECT_NE(read(testing::made_table(1000)).values, one.values);
}

TEST(RowSample, EveryRowHasTheSameChance) {
  CustomerTableOptions options;
  options.rows = 30;
  std::vector<std::uint64_t> counts(100, 0);
  constexpr std::uint64_t kTries = 20'000;
  for (options.seed = 0; options.seed < kTries; ++options.seed) {
    RowSample sample(options, 100, 50);
    std::uint64_t kept = 0;
    for (std::uint64_t row = 0; row < 100; ++row) {
      if (!sample.keeps(row, row % 2 == 0)) continue;
      ++counts[row];
      ++kept;
    }
    ASSERT_EQ(kept, 30u);
  }
  for (const std::uint64_t count : counts) {
    EXPECT_TRUE(testing::agrees(static_cast<double>(count) / kTries, 0.3,
                                std::sqrt(0.3 * 0.7 / kTries), counts.size()));
  }
}

/// Of 50 zeros 25 are to stay, and 30 of the 75 rows that are left.
TEST(RowSample, WhichZerosStayDoesNotTellWhichRowsAreKept) {
  CustomerTableOptions options;
  options.rows = 30;
  options.outcome_rate = 2.0 / 3.0;
  std::vector<std::uint64_t> counts(100, 0);
  constexpr std::uint64_t kTries = 20'000;
  for (options.seed = 0; options.seed < kTries; ++options.seed) {
    RowSample sample(options, 100, 50);
    for (std::uint64_t row = 0; row < 100; ++row) counts[row] += sample.keeps(row, row % 2 == 0);
  }
  for (std::size_t row = 0; row < counts.size(); ++row) {
    const double chance = row % 2 == 0 ? 0.5 * 0.4 : 0.4;
    EXPECT_TRUE(testing::agrees(static_cast<double>(counts[row]) / kTries, chance,
                                std::sqrt(chance * (1.0 - chance) / kTries), counts.size()))
        << row;
  }
}

TEST_F(CustomerTables, RefusesMissingOrMisusedColumns) {
  options_.outcome = "bougth";
  EXPECT_EQ(refused(kSmall).substr(0, 60),
            "t.csv: outcome = bougth: unknown; did you mean bought? Valid");
  options_.outcome = "arm";
  EXPECT_EQ(refused(kSmall), "outcome = arm: must not be the treatment column");
  options_.outcome = "bought";
  options_.features = {"age", "age"};
  EXPECT_EQ(refused(kSmall), "features = age: is given twice, or is the treatment or the outcome");
  options_.features = {"age"};
  options_.categorical = {"city"};
  EXPECT_EQ(refused(kSmall), "categorical = city: is not a feature");
  EXPECT_EQ(refused("age,arm,bought,arm\n"),
            "t.csv:1: column 4 is named \"arm\", like another column; names must be distinct");
}

TEST_F(CustomerTables, RefusesTablesWithoutRows) {
  EXPECT_EQ(refused(""), "data = t.csv: is empty; the first line must name the columns");
  EXPECT_EQ(refused("age,arm,bought\n"), "data = t.csv: has no rows below its header");
  EXPECT_EQ(refused("age,arm,bought\n1,none,0\n1,mail\n"),
            "t.csv:3: has 2 fields; must have 3, like the first line");
}

TEST_F(CustomerTables, RefusesFeaturesThatAreNotNumbers) {
  const std::string head = "age,arm,bought\n1,none,0\n";
  EXPECT_EQ(refused(head + "old,mail,0\n"),
            "t.csv:3: age = old: must be a number; declare a column of names as categorical");
  EXPECT_EQ(refused(head + "nan,mail,0\n"), "t.csv:3: age = nan: must be finite");
  EXPECT_EQ(refused(head + "-inf,mail,0\n"), "t.csv:3: age = -inf: must be finite");
  EXPECT_EQ(refused(head + ",mail,0\n"), "t.csv:3: age: is empty; must be a number");
  EXPECT_EQ(refused("age,arm,bought\nold,none,0\n3,mail,1\n"),
            "t.csv:3: age = 3: is a number, but earlier rows have names; declare a column with "
            "both as categorical");
}

TEST_F(CustomerTables, RefusesTooManyNames) {
  std::string text = "who,arm,bought\n";
  for (int i = 0; i < 101; ++i) text += "person" + std::to_string(i) + ",none,0\n";
  EXPECT_EQ(refused(text),
            "t.csv:102: who = person100: is value number 101 of a column of names; there may be at "
            "most 100");
}

TEST_F(CustomerTables, RefusesTreatmentsThatNeverOccur) {
  options_.control = "nothing";
  EXPECT_EQ(
      refused(kSmall),
      "control = nothing: never occurs in column arm: unknown; did you mean none? Valid: mail, "
      "none");
  options_.control = "none";
  options_.treatments = {"mail", "call"};
  EXPECT_EQ(refused(kSmall).substr(0, 49), "treatments = call: never occurs in column arm: un");
  options_.treatments = {"call"};
  EXPECT_EQ(refused(kSmall),
            "t.csv:3: arm = mail: is neither the control nor one of the treatments");
  options_.treatments = {};
  EXPECT_EQ(refused("age,arm,bought\n1,none,0\n"),
            "treatment = arm: contains only the control \"none\"; must also contain a treatment");
}

TEST_F(CustomerTables, RefusesOutcomesThatTheResponseDoesNotAllow) {
  const std::string text = "age,arm,bought\n1,none,0\n2,mail,0.5\n";
  EXPECT_EQ(
      refused(text),
      "t.csv:3: bought = 0.5: must be 0 or 1, because the response is logistic; linear takes any "
      "number");
  options_.response = ResponseKind::kLinear;
  EXPECT_EQ(read(text).outcomes, (std::vector<double>{0, 0.5}));
  EXPECT_EQ(refused("age,arm,bought\n1,none,nan\n"),
            "t.csv:2: bought = nan: must be a finite number, because it is an outcome");
}

TEST_F(CustomerTables, RefusesNamesThatAreNotUtf8) {
  EXPECT_EQ(refused("town,arm,bought\nUlm,none,0\nK\xF6ln,mail,1\n"),
            "t.csv: feature = town=K?ln: must be UTF-8 text; convert the file");
  EXPECT_EQ(refused("age,arm,bought\n1,none,0\n2,\xE9mail,1\n"),
            "t.csv: treatment = ?mail: must be UTF-8 text; convert the file");
  EXPECT_EQ(read("town,arm,bought\nUlm,none,0\nK\xC3\xB6ln,mail,1\n").features[0].name,
            "town=K\xC3\xB6ln");
}

TEST_F(CustomerTables, RefusesRatesThatCannotBeReached) {
  options_.outcome_rate = 0.2;
  EXPECT_EQ(
      refused(kSmall),
      "outcome_rate = 0.2: must be at least 0.3333, the share of outcomes other than 0 in the "
      "data");
  options_.outcome_rate = 1.0;
  EXPECT_EQ(refused(kSmall), "outcome_rate = 1: must be in (0, 1)");
  options_.outcome_rate = 0.5;
  EXPECT_EQ(refused("age,arm,bought\n1,none,0\n2,mail,0\n"),
            "outcome_rate = 0.5: leaves no rows, because all outcomes are 0");
}

TEST(TablePresets, AreKnownByName) {
  EXPECT_EQ(table_preset("criteo").features.size(), 12u);
  EXPECT_EQ(table_preset("hillstrom").control, "No E-Mail");
  EXPECT_TRUE(is_table_preset("hillstrom"));
  EXPECT_FALSE(is_table_preset("critteo"));
  EXPECT_EQ(testing::refusal([] { table_preset("critteo"); }),
            "preset = critteo: unknown; did you mean criteo? Valid: criteo, hillstrom");
}

}  // namespace
}  // namespace updraft

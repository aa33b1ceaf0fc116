#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "data/made_table.h"
#include "support/folder.h"
#include "support/mutator.h"
#include "updraft/customer_table.h"
#include "updraft/error.h"
#include "updraft/response_models.h"

namespace updraft {
namespace {

constexpr std::size_t kModels = 3000;
constexpr std::size_t kTables = 1500;

void expect_message(const InvalidInput& error, const std::string& text) {
  EXPECT_FALSE(error.field().empty()) << text;
  EXPECT_FALSE(error.rule().empty()) << text;
  EXPECT_LT(std::string(error.what()).size(), 2000u) << text;
}

CustomerTableOptions made_options() {
  CustomerTableOptions options;
  options.treatment = "arm";
  options.outcome = "bought";
  options.control = "none";
  return options;
}

/// A damaged file is read or refused; anything else that comes out fails the test.
TEST(DataFuzz, DamagedModelsAreReadOrRefused) {
  const testing::TemporaryFolder folder;
  const CustomerTable table =
      read_customer_table(folder.write("t.csv", testing::made_table(60)), made_options()).table;
  const std::vector<std::string> files = {
      format_response_models(fit_response_models(table, {.name = "bare"})),
      format_response_models(
          fit_response_models(table, {.name = "rows", .ridge = 1.0, .keep_rows = true}))};
  std::size_t read = 0;
  std::size_t refused = 0;
  testing::Mutator mutator(
      1, {"{",          "}",         "[",       "]",       ",",    ":",          "\"",  "null",
          "-",          "0",         "1e999",   "1e308",   "-1",   "4294967296", "0.5", "\"rows\":",
          "\"count\":", "\"auc\":1", "\\u0000", "\\ud800", "\xEF", "=",          "eJw"});
  for (std::size_t i = 0; i < kModels; ++i) {
    const std::string text = mutator.mutated(files[i % 2]);
    try {
      const ResponseModels models = parse_response_models(text);
      EXPECT_EQ(parse_response_models(format_response_models(models)), models) << text;
      ++read;
    } catch (const InvalidInput& error) {
      expect_message(error, text);
      ++refused;
    }
  }
  EXPECT_GT(read, 20u);
  EXPECT_GT(refused, 1000u);
}

TEST(DataFuzz, DamagedTablesAreReadOrRefused) {
  const testing::TemporaryFolder folder;
  const std::string table = testing::made_table(40);
  std::size_t read = 0;
  std::size_t refused = 0;
  testing::Mutator mutator(2, {",", "\"", "\"\"", "\n", "\r\n", "nan", "-inf", "1e999", "none", "-",
                               "", "\xEF\xBB\xBF", "\x1f\x8b"});
  for (std::size_t i = 0; i < kTables; ++i) {
    const std::string text = mutator.mutated(table);
    try {
      const CustomerTable kept =
          read_customer_table(folder.write("t.csv", text), made_options()).table;
      EXPECT_EQ(kept.values.size(), kept.rows() * kept.features.size());
      ++read;
    } catch (const InvalidInput& error) {
      expect_message(error, text);
      ++refused;
    }
  }
  EXPECT_GT(read, 100u);
  EXPECT_GT(refused, 100u);
}

}  // namespace
}  // namespace updraft

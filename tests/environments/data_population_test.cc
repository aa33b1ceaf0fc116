// Populations made of tables and of response models.

#include <gtest/gtest.h>

#include <cmath>

#include "data/made_table.h"
#include "support/folder.h"
#include "support/refusal.h"
#include "updraft/population.h"

namespace updraft {
namespace {

CustomerTable made_customers(std::size_t rows) {
  const testing::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "made.csv";
  std::ofstream(path) << testing::made_table(rows);
  CustomerTableOptions options;
  options.treatment = "arm";
  options.control = "none";
  options.outcome = "bought";
  return read_customer_table(path.string(), options).table;
}

TEST(DataPopulation, HoldsOutEveryFifthRowAndFitsToTheOthers) {
  const CustomerTable table = made_customers(503);
  const Population population = population_of(table);
  check_population(population);
  EXPECT_EQ(population.size(), 503u);
  EXPECT_EQ(population.held_out, 100u);
  EXPECT_EQ(population.treatments(), 2u);
  EXPECT_EQ(population.features(), table.features.size());
  EXPECT_TRUE(population.binary());
  EXPECT_FALSE(population.replay);
  // Row 5 is the fifth of those drawn, since row 4 is held out first.
  for (const auto& [place, row] : {std::pair{std::size_t{3}, std::size_t{3}},
                                   {4, 5},
                                   {population.drawn(), 4},
                                   {population.drawn() + 1, 9}}) {
    EXPECT_EQ(population.table.outcomes[place], table.outcomes[row]);
    EXPECT_EQ(population.table.treatment[place], table.treatment[row]);
    for (std::size_t f = 0; f < population.features(); ++f) {
      EXPECT_EQ(population.table.row(place)[f], table.row(row)[f]);
    }
  }
  // What was held out is not fitted to.
  CustomerTable other = table;
  for (std::size_t row = 4; row < table.rows(); row += 5) {
    other.outcomes[row] = 1.0 - other.outcomes[row];
  }
  EXPECT_EQ(population_of(other).means, population.means);
  other.outcomes[0] = 1.0 - other.outcomes[0];
  EXPECT_NE(population_of(other).means, population.means);
}

TEST(DataPopulation, OfNumbersHasTheNoiseOfTheData) {
  CustomerTable table = made_customers(1000);
  table.response = ResponseKind::kLinear;
  for (double& outcome : table.outcomes) outcome *= 30.0;
  const Population population = population_of(table);
  check_population(population);
  EXPECT_FALSE(population.binary());
  double squares = 0.0;
  for (std::size_t i = 0; i < population.size(); ++i) {
    squares += std::pow(
        population.table.outcomes[i] - population.mean(i, population.table.treatment[i]), 2.0);
  }
  EXPECT_NEAR(population.noise_sd, std::sqrt(squares / 1000.0), 1e-9);
  EXPECT_GT(population.noise_sd, 10.0);
}

TEST(DataPopulation, OfModelsTakesTheseModels) {
  const CustomerTable table = made_customers(300);
  const ResponseModels models = fit_response_models(table, {.name = "shop", .keep_rows = true});
  const Population population = population_of(models);
  EXPECT_EQ(population.name, "shop");
  EXPECT_EQ(population.mean(2, 1), models.predict(1, table.row(2)));
  EXPECT_EQ(
      testing::refusal([&] { population_of(fit_response_models(table, {.name = "shop"})); }),
      "response models = shop: has no rows to draw individuals from; build it with --keep-rows");
}

TEST(DataPopulation, MayHaveAConstantFeature) {
  Population population = synthetic_population({.individuals = 10, .features = 3, .held_out = 2});
  const std::vector<double> before = population.table.values;
  add_constant(population);
  check_population(population);
  EXPECT_EQ(population.features(), 4u);
  EXPECT_EQ(population.size(), 10u);
  EXPECT_EQ(population.drawn(), 8u);
  EXPECT_EQ(population.table.values[4 * 7 + 3], 1.0);
  EXPECT_EQ(population.table.values[4 * 7 + 2], before[3 * 7 + 2]);
}

}  // namespace
}  // namespace updraft

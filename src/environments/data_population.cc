#include <fmt/format.h>

#include <cmath>

#include "updraft/error.h"
#include "updraft/population.h"

namespace updraft {
namespace {

constexpr std::size_t kHeldOutEvery = 5;

/// The numbers of the rows: those that may be drawn, then those held out, which are every fifth.
std::vector<std::size_t> held_out_last(std::size_t rows) {
  std::vector<std::size_t> order;
  for (const bool held_out : {false, true}) {
    for (std::size_t i = 0; i < rows; ++i) {
      if ((i % kHeldOutEvery == kHeldOutEvery - 1) == held_out) order.push_back(i);
    }
  }
  return order;
}

double root_mean_square_error(const Population& population) {
  double squares = 0.0;
  for (std::size_t i = 0; i < population.size(); ++i) {
    const double mean = population.mean(i, population.table.treatment[i]);
    const double error = population.table.outcomes[i] - mean;
    squares += error * error;
  }
  return std::sqrt(squares / static_cast<double>(population.size()));
}

/// `table`: the customers, those held out last.
Population predicted(CustomerTable table, const ResponseModels& models) {
  Population population;
  population.name = models.name;
  population.summary =
      fmt::format("customers with what they had and their {}; {} models of what they would do",
                  table.outcome, response_name(table.response));
  population.table = std::move(table);
  population.held_out = population.size() / kHeldOutEvery;
  for (std::size_t i = 0; i < population.size(); ++i) {
    for (std::size_t z = 0; z <= population.treatments(); ++z) {
      population.means.push_back(models.predict(z, population.table.row(i)));
    }
  }
  if (!population.binary()) population.noise_sd = root_mean_square_error(population);
  return population;
}

}  // namespace

Population population_of(const ResponseModels& models) {
  const std::size_t rows = models.table.rows();
  if (rows < kHeldOutEvery) {
    throw InvalidInput("response models", models.name,
                       "has no rows to draw individuals from; build it with --keep-rows");
  }
  return predicted(models.table.subset(held_out_last(rows)), models);
}

Population population_of(const CustomerTable& table) {
  const std::vector<std::size_t> order = held_out_last(table.rows());
  const auto drawn = std::span(order).first(order.size() - order.size() / kHeldOutEvery);
  return predicted(table.subset(order), fit_response_models(table.subset(drawn)));
}

void add_constant(Population& population) {
  CustomerTable& table = population.table;
  std::vector<double> values;
  values.reserve(table.values.size() + table.rows());
  for (std::size_t i = 0; i < table.rows(); ++i) {
    values.insert(values.end(), table.row(i).begin(), table.row(i).end());
    values.push_back(1.0);
  }
  table.values = std::move(values);
  table.features.push_back({"constant", 0.0, 1.0});
}

}  // namespace updraft

#include <fmt/format.h>

#include <cmath>

#include "updraft/error.h"
#include "updraft/population.h"

namespace updraft {
namespace {

constexpr std::size_t kHeldOutEvery = 5;

bool is_held_out(std::size_t row) { return row % kHeldOutEvery == kHeldOutEvery - 1; }

/// The rows that are not held out.
CustomerTable fitted_part(const CustomerTable& data) {
  CustomerTable part;
  part.outcome = data.outcome;
  part.response = data.response;
  part.features = data.features;
  part.treatments = data.treatments;
  for (std::size_t i = 0; i < data.rows(); ++i) {
    if (is_held_out(i)) continue;
    const std::span<const double> row = data.row(i);
    part.values.insert(part.values.end(), row.begin(), row.end());
    part.treatment.push_back(data.treatment[i]);
    part.outcomes.push_back(data.outcomes[i]);
  }
  return part;
}

void add_row(Population& population, const ResponseModels& campaign, std::size_t row) {
  const std::span<const double> features = campaign.row(row);
  population.rows.insert(population.rows.end(), features.begin(), features.end());
  for (std::size_t z = 0; z <= population.treatments; ++z) {
    population.means.push_back(campaign.predict(z, features));
  }
  population.recorded.push_back(campaign.rows.treatment[row]);
  population.payoffs.push_back(campaign.rows.outcomes[row]);
}

double root_mean_square_error(const Population& population) {
  double squares = 0.0;
  for (std::size_t i = 0; i < population.size(); ++i) {
    const double error = population.payoffs[i] - population.mean(i, population.recorded[i]);
    squares += error * error;
  }
  return std::sqrt(squares / static_cast<double>(population.size()));
}

}  // namespace

Population population_of(const ResponseModels& campaign) {
  if (campaign.rows.size() < kHeldOutEvery) {
    throw InvalidInput("campaign", campaign.name,
                       "has no rows to draw individuals from; build it with --keep-rows");
  }
  Population population;
  population.name = campaign.name;
  population.summary =
      fmt::format("customers with what they had and their {}; {} models of what they would do",
                  campaign.outcome, response_name(campaign.response));
  population.features = campaign.features.size();
  population.treatments = campaign.treatments.size() - 1;
  population.binary = campaign.response == ResponseKind::kLogistic;
  for (const bool held_out : {false, true}) {
    for (std::size_t i = 0; i < campaign.rows.size(); ++i) {
      if (is_held_out(i) == held_out) add_row(population, campaign, i);
    }
  }
  population.held_out = campaign.rows.size() / kHeldOutEvery;
  if (!population.binary) population.noise_sd = root_mean_square_error(population);
  return population;
}

Population population_of(const CustomerTable& data) {
  ResponseModels campaign = fit_response_models(fitted_part(data));
  campaign.rows = {data.values, data.treatment, data.outcomes};
  return population_of(campaign);
}

void add_constant(Population& population) {
  std::vector<double> rows;
  rows.reserve(population.rows.size() + population.size());
  for (std::size_t i = 0; i < population.size(); ++i) {
    const auto row = population.rows.begin() + static_cast<std::ptrdiff_t>(i * population.features);
    rows.insert(rows.end(), row, row + static_cast<std::ptrdiff_t>(population.features));
    rows.push_back(1.0);
  }
  population.rows = std::move(rows);
  ++population.features;
}

}  // namespace updraft

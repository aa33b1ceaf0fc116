#include "updraft/population.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/logistic.h"
#include "updraft/error.h"
#include "updraft/stream.h"

namespace updraft {
namespace {

void check_length(std::string_view field, std::size_t length, std::size_t expected) {
  if (length == expected) return;
  throw InvalidInput(fmt::format("length of {}", field), std::to_string(length),
                     fmt::format("must be {}", expected));
}

}  // namespace

void check_population(const Population& population) {
  const Population& p = population;
  if (p.size() < 1) throw InvalidInput("population", "0 individuals", "must have at least 1");
  if (p.table.treatments.size() < 2) {
    throw InvalidInput("treatments", "must have at least two, the control first");
  }
  const std::vector<double>& values = p.table.values;
  check_length("values", values.size(), p.size() * p.features());
  check_length("treatment", p.table.treatment.size(), p.size());
  check_length("means", p.means.size(), p.size() * p.table.treatments.size());
  for (std::size_t j = 0; j < values.size(); ++j) {
    if (!std::isfinite(values[j])) check_finite(fmt::format("values[{}]", j), values[j]);
  }
  for (std::size_t j = 0; j < p.means.size(); ++j) {
    const double mean = p.means[j];
    if (p.binary() ? mean >= 0.0 && mean <= 1.0 : std::isfinite(mean)) continue;
    throw InvalidInput(fmt::format("means[{}]", j), mean,
                       p.binary() ? "must be in [0, 1]" : "must be finite");
  }
  if (p.held_out >= p.size()) {
    throw InvalidInput("held_out", std::to_string(p.held_out),
                       fmt::format("must be less than the number of individuals, {}", p.size()));
  }
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p.table.treatment[i] > p.treatments()) {
      throw InvalidInput(
          fmt::format("treatment[{}]", i), std::to_string(p.table.treatment[i]),
          fmt::format("must be at most the number of treatments, {}", p.treatments()));
    }
    check_finite(fmt::format("outcomes[{}]", i), p.table.outcomes[i]);
  }
}

Population synthetic_population(const SyntheticPopulationOptions& options) {
  const std::size_t d = options.features;
  if (d < 2) throw InvalidInput("features", std::to_string(d), "must be at least 2");
  const Stream stream(options.seed, 0, Purpose::kInstance);
  const auto uniform = [&](std::uint32_t round, std::uint64_t index, double low, double high) {
    return low + (high - low) * stream.uniform(round, index);
  };

  // Coefficients: round 0. A treatment shifts the untreated ones by about a third of their size.
  std::vector<std::vector<double>> theta(options.treatments + 1, std::vector<double>(d));
  for (std::size_t z = 0; z <= options.treatments; ++z) {
    double square = 0.0;
    for (std::size_t f = 0; f < d; ++f) {
      const double shift = uniform(0, z * d + f, -1.0, 1.0);
      theta[z][f] = z == 0 ? shift : theta[0][f] + 0.5 * shift;
    }
    for (const double t : theta[z]) square += t * t;
    const double length = options.logistic ? 4.0 : 0.9;
    for (double& t : theta[z]) t *= length / std::sqrt(square);
  }

  Population population;
  population.name = "synthetic";
  population.summary =
      fmt::format("generated individuals, {} payoffs", options.logistic ? "0/1" : "normal");
  const double scale = 1.0 / std::sqrt(static_cast<double>(d));  // lengths are then at most 1
  CustomerTable& table = population.table;
  table.outcome = "payoff";
  table.response = options.logistic ? ResponseKind::kLogistic : ResponseKind::kLinear;
  for (std::size_t f = 0; f < d; ++f) {
    table.features.push_back({fmt::format("x{}", f), -scale, scale});
  }
  for (std::size_t z = 0; z <= options.treatments; ++z) {
    table.treatments.push_back(std::to_string(z));
  }
  for (std::uint32_t i = 0; i < options.individuals; ++i) {
    std::vector<double> row(d);
    for (std::size_t f = 0; f + 1 < d; ++f) row[f] = scale * uniform(1 + i, f, -1.0, 1.0);
    row.back() = scale;
    for (std::size_t z = 0; z <= options.treatments; ++z) {
      double score = 0.0;
      for (std::size_t f = 0; f < d; ++f) score += theta[z][f] * row[f];
      population.means.push_back(options.logistic ? sigmoid(score) : score);
    }
    table.values.insert(table.values.end(), row.begin(), row.end());

    // The record: what comes after the features.
    const double place = stream.uniform(1 + i, d) * static_cast<double>(options.treatments + 1);
    const auto had =
        static_cast<Treatment>(std::min(static_cast<std::size_t>(place), options.treatments));
    const double mean = population.mean(i, had);
    table.treatment.push_back(had);
    table.outcomes.push_back(options.logistic
                                 ? (stream.uniform(1 + i, d + 1) < mean ? 1.0 : 0.0)
                                 : mean + population.noise_sd * stream.normal(1 + i, d + 1));
  }
  population.held_out = options.held_out;
  return population;
}

}  // namespace updraft

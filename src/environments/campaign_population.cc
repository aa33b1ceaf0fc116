#include "updraft/campaign_population.h"

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

void check_population(const CampaignPopulation& population) {
  const CampaignPopulation& p = population;
  if (p.size() < 1) throw InvalidInput("population", "0 individuals", "must have at least 1");
  if (p.treatments < 1) throw InvalidInput("treatments", "0", "must be at least 1");
  check_length("rows", p.rows.size(), p.size() * p.features);
  check_length("means", p.means.size(), p.size() * (p.treatments + 1));
  for (std::size_t j = 0; j < p.rows.size(); ++j) {
    if (!std::isfinite(p.rows[j])) check_finite(fmt::format("rows[{}]", j), p.rows[j]);
  }
  for (std::size_t j = 0; j < p.means.size(); ++j) {
    const double mean = p.means[j];
    if (p.binary ? mean >= 0.0 && mean <= 1.0 : std::isfinite(mean)) continue;
    throw InvalidInput(fmt::format("means[{}]", j), mean,
                       p.binary ? "must be in [0, 1]" : "must be finite");
  }
  if (p.held_out >= p.size()) {
    throw InvalidInput("held_out", std::to_string(p.held_out),
                       fmt::format("must be less than the number of individuals, {}", p.size()));
  }
  const bool needed = p.replay || p.held_out > 0;
  if (p.recorded.empty() && p.payoffs.empty() && !needed) return;
  check_length("recorded", p.recorded.size(), p.size());
  check_length("payoffs", p.payoffs.size(), p.size());
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p.recorded[i] > p.treatments) {
      throw InvalidInput(fmt::format("recorded[{}]", i), std::to_string(p.recorded[i]),
                         fmt::format("must be at most the number of treatments, {}", p.treatments));
    }
    check_finite(fmt::format("payoffs[{}]", i), p.payoffs[i]);
  }
}

CampaignPopulation synthetic_population(const SyntheticCampaign& options) {
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

  CampaignPopulation population;
  population.name = "campaign-synthetic";
  population.summary =
      fmt::format("generated individuals, {} payoffs", options.logistic ? "0/1" : "normal");
  population.features = d;
  population.treatments = options.treatments;
  population.binary = options.logistic;
  const double scale = 1.0 / std::sqrt(static_cast<double>(d));  // lengths are then at most 1
  for (std::uint32_t i = 0; i < options.individuals; ++i) {
    std::vector<double> row(d);
    for (std::size_t f = 0; f + 1 < d; ++f) row[f] = scale * uniform(1 + i, f, -1.0, 1.0);
    row.back() = scale;
    for (std::size_t z = 0; z <= options.treatments; ++z) {
      double score = 0.0;
      for (std::size_t f = 0; f < d; ++f) score += theta[z][f] * row[f];
      population.means.push_back(options.logistic ? sigmoid(score) : score);
    }
    population.rows.insert(population.rows.end(), row.begin(), row.end());

    // The record: what comes after the features.
    const double place = stream.uniform(1 + i, d) * static_cast<double>(options.treatments + 1);
    const auto had =
        static_cast<Treatment>(std::min(static_cast<std::size_t>(place), options.treatments));
    const double mean = population.mean(i, had);
    population.recorded.push_back(had);
    population.payoffs.push_back(options.logistic
                                     ? (stream.uniform(1 + i, d + 1) < mean ? 1.0 : 0.0)
                                     : mean + population.noise_sd * stream.normal(1 + i, d + 1));
  }
  population.held_out = options.held_out;
  return population;
}

}  // namespace updraft

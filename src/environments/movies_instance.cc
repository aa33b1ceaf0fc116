#include <array>
#include <cmath>
#include <map>
#include <vector>

#include "environments/application_instances.h"
#include "updraft/stream.h"

// A catalogue in order of popularity: the movie of rank r is watched by a user with a probability
// in proportion to 1 / (r + kTail), give or take one half. A recommender promotes movies at equal
// distances in that order, and takes viewers from some that stand beside them.

namespace updraft {
namespace {

constexpr std::size_t kMovies = 1000;
constexpr double kTail = 20.0;
constexpr double kViews = 1.2;  // sets how many movies a user watches: 4.7 on average

struct Recommender {
  const char* name;
  std::size_t movies;  // promoted
  std::size_t first;   // rank of the first of them
  std::size_t step;    // ranks between them
  double lift;         // share by which promotion raises a watching rate, on average
};

constexpr std::array<Recommender, 12> kRecommenders = {{
    {"most-watched", 20, 0, 1, 0.3},  // who promotes these preaches to the converted
    {"new-releases", 40, 6, 7, 1.3},
    {"award-winners", 25, 3, 11, 1.5},
    {"critics-picks", 50, 12, 9, 1.6},
    {"family-evening", 35, 4, 6, 1.0},
    {"comedies", 45, 1, 8, 1.2},
    {"thrillers", 45, 5, 8, 1.4},
    {"documentaries", 30, 60, 14, 3.5},
    {"world-cinema", 60, 100, 13, 3.5},
    {"hidden-gems", 60, 300, 10, 5.0},
    {"watched-together", 30, 8, 5, 1.2},
    {"because-you-liked", 25, 20, 10, 3.0},
}};

constexpr std::size_t kBeside = 5;     // one movie for so many promoted ones loses viewers
constexpr double kCannibalised = 0.8;  // what is left of its rate
constexpr double kDigits = 1e5;        // rates have five

double rate(double share) { return std::floor(kDigits * share + 0.5) / kDigits; }

/// What the movies are watched at that the recommender promotes or takes viewers from.
std::map<std::size_t, double> moved(const Recommender& recommender, const Stream& stream,
                                    std::uint32_t round, const std::array<double, kMovies>& rates) {
  std::map<std::size_t, double> means;
  for (std::size_t j = 0; j < recommender.movies; ++j) {
    const std::size_t movie = recommender.first + j * recommender.step;
    const double lift = recommender.lift * (0.5 + stream.uniform(round, movie));
    means[movie] = rate(rates[movie] * (1.0 + lift));
  }
  const std::size_t last = recommender.first + (recommender.movies - 1) * recommender.step;
  for (std::size_t j = 0; j < recommender.movies; j += kBeside) {
    // The next in the catalogue, or, where that one is promoted as well, one behind them all.
    const std::size_t next = recommender.first + j * recommender.step + 1;
    const std::size_t movie = recommender.step > 1 ? next : last + 1 + j;
    means[movie] = rate(rates[movie] * kCannibalised);
  }
  return means;
}

}  // namespace

/// Draws: round 0 for what movies are watched, round 1 + a for what recommender a does to them.
InstanceDefinition movies() {
  const Stream stream(kMovies, 0, Purpose::kInstance);
  InstanceDefinition definition;
  definition.name = "movies";
  definition.summary = kMoviesSummary;
  std::array<double, kMovies> rates;
  for (std::size_t i = 0; i < kMovies; ++i) {
    const double usual = kViews / (static_cast<double>(i) + kTail);
    rates[i] = rate(usual * (0.5 + stream.uniform(0, i)));
    definition.variables.push_back({1, rates[i]});
  }
  for (const Recommender& recommender : kRecommenders) {
    const auto round = static_cast<std::uint32_t>(definition.effects.size() + 1);
    std::vector<VariableId> affected;
    std::vector<double> means;
    for (const auto& [movie, mean] : moved(recommender, stream, round, rates)) {
      affected.push_back(static_cast<VariableId>(movie));
      means.push_back(mean);
    }
    definition.action_names.emplace_back(recommender.name);
    definition.effects.push_back({{VariableSet::from_ids(affected), std::move(means)}});
  }
  definition.noise = BernoulliNoise{};
  return definition;
}

}  // namespace updraft

#include "reference/random_targeting.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "support/draws.h"

namespace updraft::testing {

namespace {

constexpr std::uint64_t kSeed = 20221129;

/// The parameters of a learner, as text; tells how the rows must be.
std::string learner_parameters(std::string_view policy, std::string_view model, Draws& draws,
                               RandomTargeting& made) {
  std::string text = model == "linear"
                         ? ""
                         : fmt::format(", model=logistic{}", model == "online"   ? ", fit=online"
                                                             : draws.chance(0.5) ? ", fit=exact"
                                                                                 : "");
  const double budget = static_cast<double>(made.shape.budget);
  const bool theorem = policy.starts_with("c2_") && draws.chance(0.4);
  if (theorem) {
    text += fmt::format(", delta={}", draws.uniform(0.01, 0.5));
    if (draws.chance(0.5)) text += fmt::format(", bound={}", draws.uniform(0.1, 3.0));
    if (draws.chance(0.5)) text += fmt::format(", lambda={}", budget * draws.uniform(1.0, 2.0));
  } else {
    if (policy.starts_with("c2_")) text += fmt::format(", beta={}", draws.log_uniform(0.02, 3.0));
    if (policy.starts_with("eps_")) text += fmt::format(", eps={}", draws.uniform(0.02, 0.98));
    if (draws.chance(0.7)) text += fmt::format(", lambda={}", draws.log_uniform(0.05, 10.0));
  }
  if (draws.chance(0.5)) text += draws.chance(0.8) ? ", fill=yes" : ", fill=no";
  const double norms = draws.uniform(0.0, 1.0);
  if (norms < 0.3) {
    text += ", norms=scale";
    // All long rows have length 1: alike with one feature, and to c2_ucb under what nobody had.
    made.ties = made.ties || made.shape.features == 1 || policy == "c2_ucb";
  } else if (norms < 0.5) {
    text += ", norms=any";
  } else if (norms < 0.7) {
    text += ", norms=refuse";
    made.short_rows = true;
  } else {
    made.short_rows = theorem;
  }
  return text.empty() ? text : text.substr(2);
}

}  // namespace

RandomTargeting random_targeting(std::string_view policy, std::string_view model,
                                 std::uint32_t number) {
  RandomTargeting made;
  made.streams = {kSeed, number};
  Draws draws(made.streams.problem());
  made.logistic = model != "linear";
  made.smallest_pool = static_cast<std::size_t>(std::floor(draws.log_uniform(5.0, 41.0)));
  made.largest_pool =
      draws.chance(0.5) ? made.smallest_pool : draws.integer(made.smallest_pool, 40);
  made.shape.features = draws.integer(1, 6);
  made.shape.treatments = draws.integer(1, 3);
  made.shape.budget =
      draws.integer(1, draws.chance(0.7) ? (made.smallest_pool + 3) / 4 : made.smallest_pool);
  made.feature_size = draws.log_uniform(0.2, 2.0);
  if (draws.chance(0.2)) made.copies = 0.3;
  if (draws.chance(0.2)) made.nothing = 0.1;
  made.lattice = draws.chance(0.1);
  made.ties = made.copies > 0.0 || made.nothing > 0.0 || made.lattice;
  for (std::size_t z = 0; z <= made.shape.treatments; ++z) {
    std::vector<double> theta;
    for (std::size_t k = 0; k < made.shape.features; ++k) {
      theta.push_back(z == 0 ? draws.uniform(-1.0, 1.0)
                             : made.theta[0][k] + draws.uniform(-0.6, 0.6));
    }
    made.theta.push_back(theta);
  }
  std::string parameters;
  if (policy != "random") parameters = learner_parameters(policy, model, draws, made);
  made.spec = PolicySpec::parse(fmt::format("{}({})", policy, parameters));
  return made;
}

double RandomTargeting::mean(std::span<const double> x, Treatment treatment) const {
  double score = 0.0;
  for (std::size_t k = 0; k < x.size(); ++k) score += theta[treatment][k] * x[k];
  return logistic ? 1.0 / (1.0 + std::exp(-score)) : score;
}

MadeRound RandomTargeting::pool(std::uint32_t round) const {
  const Stream stream = streams.rounds();
  std::uint64_t next = 0;
  const auto uniform = [&] { return stream.uniform(round, next++); };
  MadeRound made;
  made.width = shape.features;
  const std::size_t size =
      smallest_pool +
      static_cast<std::size_t>(uniform() * static_cast<double>(largest_pool - smallest_pool + 1));
  for (std::size_t i = 0; i < size; ++i) {
    std::vector<double> x;
    const bool zero = uniform() < nothing;
    const bool copy = i > 0 && uniform() < copies;
    const auto original = static_cast<std::size_t>(uniform() * static_cast<double>(i));
    for (std::size_t k = 0; k < shape.features; ++k) {
      const double u = uniform();
      const double drawn = lattice ? std::floor(3.0 * u) - 1.0 : 2.0 * u - 1.0;
      x.push_back(zero ? 0.0 : feature_size * drawn);
    }
    double squares = 0.0;
    for (const double feature : x) squares += feature * feature;
    const double length = 0.5 + 0.499 * uniform();
    if (short_rows && squares > 0.999) {
      for (double& feature : x) feature *= length / std::sqrt(squares);
    }
    if (copy) x = made.row(original);
    made.add_row(x);
    made.baseline.push_back(mean(x, 0));
  }
  return made;
}

std::vector<double> RandomTargeting::payoffs(std::uint32_t round, const MadeRound& pool,
                                             std::span<const Treatment> treatments) const {
  const Stream stream = streams.payoffs();
  std::vector<double> result;
  for (std::size_t i = 0; i < treatments.size(); ++i) {
    const double expected = mean(pool.view().row(i), treatments[i]);
    result.push_back(logistic ? (stream.uniform(round, i) < expected ? 1.0 : 0.0)
                              : expected + 0.3 * stream.normal(round, i));
  }
  return result;
}

}  // namespace updraft::testing

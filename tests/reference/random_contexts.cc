#include "reference/random_contexts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "support/draws.h"

namespace updraft::testing {

namespace {

constexpr std::uint64_t kSeed = 20221201;

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

bool share_a_feature(std::span<const double> a, std::span<const double> b) {
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (a[k] != 0.0 && b[k] != 0.0) return true;
  }
  return false;
}

std::string parameters(bool sets, Draws& draws, RandomContexts& made) {
  std::string text;
  if (draws.chance(0.4)) {
    text = fmt::format("delta={}", draws.uniform(0.01, 0.5));
    if (draws.chance(0.5)) text += fmt::format(", bound={}", draws.uniform(0.1, 3.0));
    made.short_rows = true;
  } else {
    text = fmt::format("beta={}", draws.log_uniform(0.02, 3.0));
  }
  if (draws.chance(0.7)) text += fmt::format(", lambda={}", draws.log_uniform(0.05, 10.0));
  if (!sets) {
    const std::size_t most = draws.chance(0.2) ? made.most_variables + 2 : 4;
    text += fmt::format(", max_affected={}", draws.integer(1, most));
  }
  return text;
}

}  // namespace

RandomContexts random_contexts(std::string_view policy, bool sets, std::uint32_t number) {
  RandomContexts made;
  made.streams = {kSeed, number};
  Draws draws(made.streams.problem());
  made.shape.features = draws.integer(1, 4);
  made.shape.actions = draws.chance(0.9) ? draws.integer(2, 4) : 1;
  made.fewest_variables = draws.integer(1, 12);
  made.most_variables =
      draws.chance(0.5) ? made.fewest_variables : draws.integer(made.fewest_variables, 12);
  made.feature_size = draws.log_uniform(0.2, 2.0);
  made.density = draws.chance(0.3) ? 1.0 : draws.uniform(0.2, 0.9);
  if (draws.chance(0.2)) made.copies = 0.3;
  made.lattice = draws.chance(0.1);
  made.random_sets = draws.chance(0.3);
  // Rows that leave an action's directions unseen make its bounds those of another.
  made.ties = made.lattice || made.density < 1.0;
  for (std::size_t k = 0; k < made.shape.features; ++k) {
    made.theta0.push_back(draws.uniform(-1.0, 1.0));
  }
  for (std::size_t a = 0; a < made.shape.actions; ++a) {
    std::vector<double> difference;
    for (std::size_t k = 0; k < made.shape.features; ++k) {
      const double size = draws.uniform(-0.8, 0.8);
      difference.push_back(draws.chance(0.4) ? size : 0.0);
    }
    made.differences.push_back(difference);
  }
  made.spec = PolicySpec::parse(fmt::format("{}({})", policy, parameters(sets, draws, made)));
  return made;
}

MadeRound RandomContexts::context(std::uint32_t round) const {
  const Stream stream = streams.rounds();
  std::uint64_t next = 0;
  const auto uniform = [&] { return stream.uniform(round, next++); };
  MadeRound made;
  made.width = shape.features;
  const std::size_t size =
      fewest_variables +
      static_cast<std::size_t>(uniform() *
                               static_cast<double>(most_variables - fewest_variables + 1));
  for (std::size_t i = 0; i < size; ++i) {
    std::vector<double> x;
    const bool copy = i > 0 && uniform() < copies;
    const auto original = static_cast<std::size_t>(uniform() * static_cast<double>(i));
    for (std::size_t k = 0; k < shape.features; ++k) {
      const bool there = uniform() < density;
      const double u = uniform();
      const double drawn = lattice ? std::floor(3.0 * u) - 1.0 : 2.0 * u - 1.0;
      x.push_back(there ? feature_size * drawn : 0.0);
    }
    const double length = std::sqrt(dot(x, x));
    const double wanted = 0.5 + 0.499 * uniform();
    if (short_rows && length > 0.999) {
      for (double& feature : x) feature *= wanted / length;
    }
    if (copy) x = made.row(original);
    made.add_row(x);
    made.baseline.push_back(dot(theta0, x));
  }
  for (std::size_t a = 0; a < shape.actions; ++a) {
    std::vector<VariableId> ids;
    const double share = uniform();
    for (std::size_t i = 0; i < size; ++i) {
      const bool drawn = uniform() < share;
      const bool moved = share_a_feature(differences[a], made.view().row(i));
      if (random_sets ? drawn : moved) ids.push_back(static_cast<VariableId>(i));
    }
    made.affected.push_back(VariableSet::from_ids(ids));
  }
  return made;
}

std::vector<double> RandomContexts::payoffs(std::uint32_t round, const MadeRound& context,
                                            ActionId action) const {
  const Stream stream = streams.payoffs();
  std::vector<double> result;
  for (std::size_t i = 0; i < context.baseline.size(); ++i) {
    result.push_back(context.baseline[i] + dot(differences[action], context.view().row(i)) +
                     0.3 * stream.normal(round, i));
  }
  return result;
}

}  // namespace updraft::testing

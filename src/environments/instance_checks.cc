#include "environments/instance_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "core/limits.h"
#include "core/symmetric.h"
#include "updraft/error.h"

namespace updraft {
namespace {

/// How far a matrix may be from symmetric, relative to its largest entry, and its smallest
/// eigenvalue below 0, relative to the largest: what rounding leaves of a computed covariance.
constexpr double kMatrixTolerance = 1e-9;

using Eigen::MatrixXd;

bool is_bernoulli(const Noise& noise) { return std::holds_alternative<BernoulliNoise>(noise); }

bool is_mean(double value, bool bernoulli) {
  return bernoulli ? value >= 0.0 && value <= 1.0 : std::abs(value) <= kLargestNumber;
}

std::string_view mean_rule(bool bernoulli) {
  return bernoulli ? "must be in [0, 1] for Bernoulli payoffs"
                   : "must be finite and at most 1e100 in size";
}

void check_means(const Effect& effect, bool bernoulli, const std::string& path) {
  const std::size_t count = effect.means.size();
  if (count != 1 && count != effect.variables.size()) {
    throw InvalidInput(
        path + ".means",
        fmt::format("has {} numbers; must have one, or one for each of its {} variables", count,
                    effect.variables.size()));
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (is_mean(effect.means[i], bernoulli)) continue;
    throw InvalidInput(count == 1 ? path + ".mean" : fmt::format("{}.means[{}]", path, i),
                       effect.means[i], mean_rule(bernoulli));
  }
}

/// Throws if a variable is in two effects of one action.
void check_disjoint(const std::vector<Effect>& effects, std::size_t action,
                    const EffectPath& path) {
  if (effects.size() < 2) return;
  std::vector<std::pair<VariableRange, std::size_t>> ranges;
  for (std::size_t e = 0; e < effects.size(); ++e) {
    for (const VariableRange range : effects[e].variables.ranges()) ranges.emplace_back(range, e);
  }
  std::sort(ranges.begin(), ranges.end(),
            [](const auto& a, const auto& b) { return a.first.begin < b.first.begin; });
  for (std::size_t i = 1; i < ranges.size(); ++i) {
    if (ranges[i].first.begin >= ranges[i - 1].first.end) continue;
    const auto [first, second] = std::minmax(ranges[i - 1].second, ranges[i].second);
    throw InvalidInput(path(action, second) + ".variables", std::to_string(ranges[i].first.begin),
                       fmt::format("is also in {}.variables, which belongs to the same action",
                                   path(action, first)));
  }
}

void check_number_of_means(const InstanceDefinition& definition, std::size_t variables) {
  std::size_t means = variables;
  for (const std::vector<Effect>& effects : definition.effects) {
    for (const Effect& effect : effects) means += effect.variables.size();
  }
  if (means > kMostMeans) {
    throw InvalidInput(
        "variables and effects",
        fmt::format("have {} means in all; must have at most {}", means, kMostMeans));
  }
}

void check_symmetric(const MatrixXd& matrix) {
  double scale = 0.0;
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) {
      if (!(std::abs(matrix(i, j)) <= kLargestNumber)) {
        throw InvalidInput(fmt::format("noise.covariance[{}][{}]", i, j), matrix(i, j),
                           mean_rule(false));
      }
      scale = std::max(scale, std::abs(matrix(i, j)));
    }
  }
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    for (Eigen::Index j = 0; j < i; ++j) {
      if (std::abs(matrix(i, j) - matrix(j, i)) <= kMatrixTolerance * scale) continue;
      throw InvalidInput(
          fmt::format("noise.covariance[{}][{}]", i, j), matrix(i, j),
          fmt::format("must be equal to noise.covariance[{}][{}] = {}: the matrix is symmetric", j,
                      i, number_text(matrix(j, i))));
    }
  }
}

void check_semidefinite(const MatrixXd& matrix) {
  // The largest eigenvalue is at least the largest diagonal entry, so a matrix whose shifted
  // Cholesky decomposition exists is within the tolerance. The eigenvalues settle the rest.
  const double diagonal = matrix.diagonal().maxCoeff();
  if (diagonal > 0.0) {
    MatrixXd shifted = matrix;
    shifted.diagonal().array() += kMatrixTolerance * diagonal;
    if (is_positive(shifted)) return;
  }
  const Eigen::VectorXd values = eigenvalues(matrix);
  const double smallest = values.minCoeff();
  const double largest = values.maxCoeff();
  if (!(smallest >= -kMatrixTolerance * std::max(largest, 0.0))) {
    throw InvalidInput(
        "noise.covariance",
        fmt::format("must be positive semidefinite; its smallest eigenvalue is {:.6g}", smallest));
  }
}

}  // namespace

void check_action_names(const std::vector<std::string>& names) {
  if (names.empty()) throw InvalidInput("actions", "must have at least one name");
  if (names.size() > kMostVariables) throw InvalidInput("actions", "must be at most 2147483647");
  std::unordered_set<std::string_view> seen;
  for (std::size_t a = 0; a < names.size(); ++a) {
    const auto field = [&] { return fmt::format("actions[{}]", a); };
    if (names[a].empty()) throw InvalidInput(field(), "\"\"", "must not be empty");
    if (names[a].size() > kLongestName) {
      throw InvalidInput(field(), fmt::format("has {} bytes; must have at most {}", names[a].size(),
                                              kLongestName));
    }
    if (!seen.insert(names[a]).second) {
      throw InvalidInput(field(), names[a], "is repeated; names must be distinct");
    }
  }
}

std::size_t check_variables(const std::vector<VariableRun>& runs, const Noise& noise) {
  if (runs.empty()) throw InvalidInput("variables", "must have at least one run");
  const bool bernoulli = is_bernoulli(noise);
  std::size_t total = 0;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    if (runs[r].count < 1 || runs[r].count > kMostVariables) {
      throw InvalidInput(fmt::format("variables[{}].count", r), std::to_string(runs[r].count),
                         fmt::format("must be a whole number from 1 to {}", kMostVariables));
    }
    if (!is_mean(runs[r].baseline, bernoulli)) {
      throw InvalidInput(fmt::format("variables[{}].baseline", r), runs[r].baseline,
                         mean_rule(bernoulli));
    }
    total += runs[r].count;
  }
  if (total > kMostVariables) {
    throw InvalidInput("variables",
                       fmt::format("are {} in all; must be at most {}", total, kMostVariables));
  }
  return total;
}

void check_effects(const InstanceDefinition& definition, std::size_t variables,
                   const EffectPath& path) {
  if (definition.effects.size() != definition.action_names.size()) {
    throw InvalidInput("effects",
                       fmt::format("has {} lists; must have one for each of {} actions",
                                   definition.effects.size(), definition.action_names.size()));
  }
  const bool bernoulli = is_bernoulli(definition.noise);
  for (std::size_t a = 0; a < definition.effects.size(); ++a) {
    const std::vector<Effect>& effects = definition.effects[a];
    for (std::size_t e = 0; e < effects.size(); ++e) {
      const std::string at = path(a, e);
      if (effects[e].variables.empty()) {
        throw InvalidInput(at + ".variables", "must have at least one variable");
      }
      effects[e].variables.check_below(variables, at + ".variables");
      check_means(effects[e], bernoulli, at);
    }
    check_disjoint(effects, a, path);
  }
  check_number_of_means(definition, variables);
}

void check_noise(const Noise& noise, std::size_t variables) {
  const auto* gaussian = std::get_if<GaussianNoise>(&noise);
  if (gaussian == nullptr) return;
  if (!(gaussian->variance > 0.0 && gaussian->variance <= kLargestNumber)) {
    throw InvalidInput("noise.variance", gaussian->variance, "must be > 0 and at most 1e100");
  }
  if (gaussian->covariance == GaussianNoise::Covariance::kFactor &&
      !(gaussian->factor >= 0.0 && gaussian->factor <= 1.0)) {
    throw InvalidInput("noise.covariance.factor", gaussian->factor, "must be in [0, 1]");
  }
  if (gaussian->tail_degrees == 1 || gaussian->tail_degrees == 2) {
    throw InvalidInput("noise.tail_degrees", std::to_string(gaussian->tail_degrees),
                       "must be at least 3, so that there is a variance");
  }
  if (gaussian->covariance != GaussianNoise::Covariance::kMatrix) return;
  const std::size_t entries = gaussian->matrix.size();
  if (entries / variables != variables || entries % variables != 0) {
    throw InvalidInput(
        "noise.covariance",
        fmt::format("has {} numbers; must be {} x {}, because there are {} variables", entries,
                    variables, variables, variables));
  }
  const auto size = static_cast<Eigen::Index>(variables);
  const MatrixXd matrix =
      Eigen::Map<const MatrixXd>(gaussian->matrix.data(), size, size).transpose();
  check_symmetric(matrix);
  check_semidefinite(matrix);
}

}  // namespace updraft

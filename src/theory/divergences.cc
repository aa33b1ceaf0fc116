#include "theory/divergences.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "core/symmetric.h"

namespace updraft {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A share of the variance below this is a rounding error of 0.
constexpr double kNegligible = 1e-12;

/// The variance of the sum over V given all others, if any two variables have correlation c:
///   v = variance (1 - c) n (1 - c + c m) / (1 - c + c (m - n)), n = |V|.
double equicorrelated_variance(double variance, double c, double m, double n) {
  if (n == 0.0) return 0.0;
  if (n == m) return variance * n * (1.0 - c + c * n);
  return variance * (1.0 - c) * n * (1.0 - c + c * m) / (1.0 - c + c * (m - n));
}

/// The same for any covariance.
double conditional_variance(const MatrixXd& covariance, const VariableSet& set) {
  std::vector<Eigen::Index> in;
  std::vector<Eigen::Index> out;
  for (Eigen::Index i = 0; i < covariance.rows(); ++i) {
    (set.contains(static_cast<VariableId>(i)) ? in : out).push_back(i);
  }
  const double whole = covariance(in, in).sum();
  if (in.empty() || out.empty()) return whole;
  const VectorXd shared = covariance(out, in).rowwise().sum();
  const double rest = whole - shared.dot(solve_any(covariance(out, out), shared));
  return rest <= kNegligible * whole ? 0.0 : rest;
}

std::vector<double> noise_variances(const Instance& instance, const GaussianNoise& noise) {
  const auto m = static_cast<double>(instance.variables());
  MatrixXd covariance;
  if (noise.covariance == GaussianNoise::Covariance::kMatrix) {
    const auto size = static_cast<Eigen::Index>(instance.variables());
    covariance = noise.variance * Eigen::Map<const MatrixXd>(noise.matrix.data(), size, size);
  }
  std::vector<double> variances;
  for (ActionId action = 0; action < instance.actions(); ++action) {
    const VariableSet& set = instance.affected()->of(action);
    const auto n = static_cast<double>(set.size());
    switch (noise.covariance) {
      case GaussianNoise::Covariance::kIdentity:
        variances.push_back(equicorrelated_variance(noise.variance, 0.0, m, n));
        break;
      case GaussianNoise::Covariance::kFactor:
        variances.push_back(equicorrelated_variance(noise.variance, noise.factor, m, n));
        break;
      case GaussianNoise::Covariance::kMatrix:
        variances.push_back(instance.gaps()[action] > 0.0 ? conditional_variance(covariance, set)
                                                          : 0.0);
        break;
      case GaussianNoise::Covariance::kSharedByAffected:
        variances.push_back(noise.variance * n * n);
        break;
    }
  }
  return variances;
}

/// kl(p, q) of 0/1 payoffs.
double divergence(double p, double q) {
  const auto part = [](double x, double y) { return x == 0.0 ? 0.0 : x * std::log(x / y); };
  return part(p, q) + part(1.0 - p, 1.0 - q);
}

/// q with (q - p) / (q (1 - q)) = slope > 0.
double tilted(double p, double slope) {
  const double b = slope - 1.0;
  const double root = std::sqrt(b * b + 4.0 * slope * p);
  // The positive root of slope q^2 - b q - p, without cancellation.
  return b > 0.0 ? (b + root) / (2.0 * slope) : (p == 0.0 ? 0.0 : 2.0 * p / (root - b));
}

/// `counts` variables per mean.
double bernoulli_divergence(const std::map<double, double>& counts, double gap) {
  double room = 0.0;
  for (const auto& [p, count] : counts) room += count * (1.0 - p);
  if (!(gap < room)) return kInfinity;
  const auto gained = [&](double slope) {
    double sum = 0.0;
    for (const auto& [p, count] : counts) sum += count * (tilted(p, slope) - p);
    return sum;
  };
  double low = 0.0;
  double high = 1.0;
  while (gained(high) < gap && high < 1e300) high *= 2.0;
  for (int step = 0; step < 100; ++step) {
    const double middle = 0.5 * (low + high);
    (gained(middle) < gap ? low : high) = middle;
  }
  double sum = 0.0;
  for (const auto& [p, count] : counts) sum += count * divergence(p, tilted(p, high));
  return sum;
}

double bernoulli_divergence(const Instance& instance, ActionId action) {
  std::map<double, double> counts;
  for (const double mean : instance.affected_means(action)) counts[mean] += 1.0;
  return bernoulli_divergence(counts, instance.gaps()[action]);
}

}  // namespace

std::vector<double> least_divergences(const Instance& instance) {
  const auto* gaussian = std::get_if<GaussianNoise>(&instance.noise());
  const std::vector<double> variances =
      gaussian != nullptr ? noise_variances(instance, *gaussian) : std::vector<double>();
  std::vector<double> divergences(instance.actions(), 0.0);
  for (ActionId action = 0; action < instance.actions(); ++action) {
    const double gap = instance.gaps()[action];
    if (!(gap > 0.0)) continue;
    divergences[action] = gaussian == nullptr       ? bernoulli_divergence(instance, action)
                          : variances[action] > 0.0 ? gap * gap / (2.0 * variances[action])
                                                    : kInfinity;
  }
  return divergences;
}

}  // namespace updraft

#include "stats/factor_noise.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/limits.h"
#include "core/symmetric.h"
#include "updraft/error.h"
#include "updraft/state_io.h"

namespace updraft {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// What the dispersion of all units counts for in that of one, as degrees of freedom.
constexpr double kCommonDegrees = 20.0;
/// Of counts: the least multiple of the mean that the variance is taken for.
constexpr double kLeastDispersion = 0.2;
/// Variances below this share of the middle one are taken for this share.
constexpr double kLeastVariance = 1e-9;
/// The same where their logarithms are compared.
constexpr double kLeastCompared = 1e-4;
/// The least variance that effects are measured in, over the mean of all variances.
constexpr double kEffectFloor = 1.0 / 16.0;
/// By how much an eigenvalue must exceed the largest that noise has for very many rounds.
constexpr double kMargin = 1.02;
/// Of looking for factors, each with the bulk that the one before left.
constexpr int kPasses = 6;
constexpr double kLeastBulk = 0.05;

/// The middle one of the positive numbers; without any, the square of what rounding may do to
/// numbers as large as `size`, or 1.
double middle_variance(const VectorXd& variance, double size) {
  std::vector<double> positive;
  const double least = kRounding * kRounding * size * size;
  for (const double v : variance) {
    if (v > least) positive.push_back(v);
  }
  if (positive.empty()) return least > 0.0 ? least : 1.0;
  const auto middle = positive.begin() + static_cast<std::ptrdiff_t>(positive.size() / 2);
  std::nth_element(positive.begin(), middle, positive.end());
  return *middle;
}

/// phi(g) * unit * mean(g), with one count added to each unit.
VectorXd count_variances(const UnitMoments& moments, const FactorSettings& settings,
                         const VectorXd& squares, double degrees) {
  const double unit = settings.counts->unit() > 0.0 ? settings.counts->unit() : 1.0;
  VectorXd mean = VectorXd::Constant(squares.size(), unit);
  double rounds = 0.0;
  for (std::size_t a = 0; a < settings.pulls.size(); ++a) {
    const auto n = static_cast<double>(settings.pulls[a]);
    mean += n * moments.means().row(static_cast<Index>(a)).transpose();
    rounds += n;
  }
  const VectorXd expected = mean * (unit / rounds);
  const double all =
      degrees < 3.0 ? 1.0 : std::max(kLeastDispersion, squares.sum() / (degrees * expected.sum()));
  const Eigen::ArrayXd phi =
      (squares.array() / expected.array() + kCommonDegrees * all) / (degrees + kCommonDegrees);
  return phi * expected.array();
}

/// exp of the logarithms, moved towards their mean; the sum stays as it is.
VectorXd moderated(const VectorXd& variance, double middle, double degrees) {
  const Eigen::ArrayXd logs = variance.array().max(kLeastCompared * middle).log();
  const double chance = 2.0 / degrees;
  const double beyond = std::max(0.0, (logs - logs.mean()).square().mean() - chance);
  const double trust = beyond / (beyond + chance);
  const VectorXd moved = (trust * logs + (1.0 - trust) * logs.mean()).exp();
  return moved * (variance.sum() / moved.sum());
}

VectorXd variances(const UnitMoments& moments, const FactorSettings& settings,
                   const VectorXd& squares, double degrees) {
  const VectorXd raw = squares / degrees;
  const double middle = middle_variance(raw, moments.means().cwiseAbs().maxCoeff());
  VectorXd variance = raw;
  if (settings.counts->counts()) {
    variance = count_variances(moments, settings, squares, degrees);
  } else if (squares.size() > 2 && raw.sum() > 0.0) {
    variance = moderated(raw, middle, degrees);
  }
  return variance.cwiseMax(kLeastVariance * middle);
}

/// What is left of an eigenvalue of sample correlations beyond those of noise, `bulk`, once chance
/// is taken off; 0 if chance alone may have made it. With c units per degree of freedom.
/// [donoho18]
double beyond_chance(double eigenvalue, double bulk, double c) {
  const double e = eigenvalue / bulk;
  const double edge = (1.0 + std::sqrt(c)) * (1.0 + std::sqrt(c));
  if (!(e > kMargin * edge)) return 0.0;
  const double b = e + 1.0 - c;
  return bulk * (0.5 * (b + std::sqrt(std::max(0.0, b * b - 4.0 * e))) - 1.0);
}

/// Per factor, the largest first: the variance that it has in units of the correlations. The bulk
/// is the mean of what the factors leave.
std::vector<double> strengths(const VectorXd& eigenvalues, double units, double degrees,
                              std::size_t most) {
  std::vector<double> kept;
  double bulk = 1.0;
  for (int pass = 0; pass < kPasses; ++pass) {
    kept.clear();
    double taken = 0.0;
    for (Index i = eigenvalues.size() - 1; i >= 0 && kept.size() < most; --i) {
      const double strength = beyond_chance(eigenvalues[i], bulk, units / degrees);
      if (!(strength > 0.0)) break;
      kept.push_back(strength);
      taken += strength;
    }
    bulk = std::max(kLeastBulk, 1.0 - taken / units);
  }
  return kept;
}

}  // namespace

MatrixXd main_factors(MatrixXd columns, const VectorXd& squares, std::uint64_t degrees,
                      std::size_t most, const VectorXd& scale) {
  const Index units = squares.size();
  if (units < 2 || columns.cols() == 0) return MatrixXd(units, 0);
  for (Index g = 0; g < units; ++g) {
    columns.row(g) *= squares[g] > 0.0 ? 1.0 / std::sqrt(squares[g]) : 0.0;
  }
  const Eigenpairs pairs = eigenpairs(columns.transpose() * columns);
  const std::vector<double> kept =
      strengths(pairs.values, static_cast<double>(units), static_cast<double>(degrees), most);
  MatrixXd loadings(units, std::ssize(kept));
  for (Index k = 0; k < loadings.cols(); ++k) {
    const Index place = columns.cols() - 1 - k;
    const double size = std::sqrt(kept[static_cast<std::size_t>(k)] / pairs.values[place]);
    loadings.col(k) = size * scale.cwiseProduct(VectorXd(columns * pairs.vectors.col(place)));
  }
  return loadings;
}

FactorNoise::FactorNoise(std::size_t units) {
  const auto size = static_cast<Index>(units);
  variance = VectorXd::Ones(size);
  loadings.resize(size, 0);
  derive();
}

double FactorNoise::inflation() const {
  const auto dof = static_cast<double>(degrees);
  const double spent = static_cast<double>(loadings.cols()) + 1.0;
  return std::max(1.0, dof / std::max(dof - spent, 0.25 * dof));
}

/// By Woodbury: S^-1 = D - D F (I + F'D F)^-1 F'D with D = diag(1 / psi).
void FactorNoise::derive() {
  const Index factors = loadings.cols();
  effect_variance = variance.cwiseMax(kEffectFloor * variance.mean());
  own = (variance - loadings.rowwise().squaredNorm()).cwiseMax(kLeastOwn * variance);
  const MatrixXd scaled = own.cwiseInverse().asDiagonal() * loadings;
  const MatrixXd inner = MatrixXd::Identity(factors, factors) + loadings.transpose() * scaled;
  controls = solve_root(inner, scaled.transpose());
  precision = own.cwiseInverse() - controls.colwise().squaredNorm().transpose();
  precision = precision.cwiseMax(1e-12 * variance.cwiseInverse());
  const VectorXd common = loadings.colwise().sum();
  total_variance = own.sum() + common.squaredNorm();
  spread = (own + loadings * common) / total_variance;
  controlled = controls * spread;
}

FactorNoise fit_factor_noise(const UnitMoments& moments, const FactorSettings& settings) {
  FactorNoise noise(moments.units());
  for (const std::uint64_t n : settings.pulls) noise.rounds += n;
  const std::uint64_t within = noise.rounds - settings.pulls.size();
  const auto residuals = static_cast<Index>(settings.residuals.cols());
  noise.degrees = std::max<std::uint64_t>(1, within + settings.residual_degrees);

  const auto sketch = moments.sketch();
  MatrixXd rows(sketch.rows(), sketch.cols() + residuals);
  rows.leftCols(sketch.cols()) = sketch;
  VectorXd squares = moments.squares();
  if (residuals > 0) {
    rows.rightCols(residuals) = settings.residuals;
    squares += settings.residuals.rowwise().squaredNorm();
  }
  noise.variance = variances(moments, settings, squares, static_cast<double>(noise.degrees));
  noise.loadings = main_factors(std::move(rows), squares, noise.degrees, UnitMoments::kKept,
                                noise.variance.cwiseSqrt());
  noise.derive();
  return noise;
}

void FactorNoise::write(StateWriter& writer) const {
  writer.u64(rounds);
  writer.u64(degrees);
  writer.f64s({variance.data(), static_cast<std::size_t>(variance.size())});
  writer.u64(static_cast<std::uint64_t>(loadings.cols()));
  writer.f64s({loadings.data(), static_cast<std::size_t>(loadings.size())});
}

void FactorNoise::read(StateReader& reader) {
  rounds = reader.u64();
  degrees = reader.u64();
  if (degrees < 1) throw InvalidInput("policy state: degrees of freedom", "0", "must be >= 1");
  reader.f64s({variance.data(), static_cast<std::size_t>(variance.size())},
              "policy state: variances");
  if (!(variance.minCoeff() > 0.0)) {
    throw InvalidInput("policy state: variances", variance.minCoeff(), "must be > 0");
  }
  loadings.resize(variance.size(), static_cast<Index>(reader.u64_at_most(UnitMoments::kKept,
                                                                         "policy state: factors")));
  reader.f64s({loadings.data(), static_cast<std::size_t>(loadings.size())},
              "policy state: loadings");
  derive();
}

}  // namespace updraft

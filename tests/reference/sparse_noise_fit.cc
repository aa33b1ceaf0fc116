#include "reference/sparse_noise_fit.h"

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numeric>

namespace updraft::testing {

namespace {

constexpr std::size_t kRows = 32;
constexpr std::size_t kFactors = 16;

/// The eigenvalues of R R' for the rows R, largest first, and for each v the row v'R.
struct Spectrum {
  Vector values;
  Matrix rows;
};

Spectrum spectrum(const Matrix& rows, std::size_t most) {
  const std::size_t count = rows.size();
  Eigen::MatrixXd products(count, count);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j) {
      products(i, j) = static_cast<double>(
          std::inner_product(rows[i].begin(), rows[i].end(), rows[j].begin(), 0.0L));
    }
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(products);
  Spectrum result;
  for (std::size_t k = 0; k < std::min(most, count); ++k) {
    const std::size_t column = count - 1 - k;  // Eigen's order is increasing
    result.values.push_back(solver.eigenvalues()(column));
    Vector row = zeros(rows[0].size());
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t g = 0; g < row.size(); ++g) {
        row[g] += static_cast<Real>(solver.eigenvectors()(i, column)) * rows[i][g];
      }
    }
    result.rows.push_back(row);
  }
  return result;
}

Real sum_of(const Vector& values) { return std::accumulate(values.begin(), values.end(), 0.0L); }

/// (1e-13 max |mean|)^2.
Real rounding_of(const Matrix& means) {
  Real largest = 0.0L;
  for (const Vector& of_action : means) {
    for (const Real mean : of_action) largest = std::max(largest, std::abs(mean));
  }
  return 1e-26L * largest * largest;
}

Real middle_variance(const SparseNoiseData& data) {
  const Real floor = rounding_of(data.means);
  Vector above;
  for (const Real square : data.squares) {
    const Real variance = square / static_cast<Real>(data.degrees);
    if (variance > floor) above.push_back(variance);
  }
  if (above.empty()) return floor > 0.0L ? floor : 1.0L;
  std::sort(above.begin(), above.end());
  return above[above.size() / 2];
}

Vector variances_of_counts(const SparseNoiseData& data) {
  const Real q = *data.unit;
  const Real dof = static_cast<Real>(data.degrees);
  Real t = 0.0L;
  for (const std::uint64_t n : data.pulls) t += static_cast<Real>(n);
  Vector h;
  for (std::size_t g = 0; g < data.squares.size(); ++g) {
    Real total = q;
    for (std::size_t a = 0; a < data.pulls.size(); ++a) {
      total += static_cast<Real>(data.pulls[a]) * data.means[a][g];
    }
    h.push_back(q * total / t);
  }
  const Real phi =
      data.degrees < 3 ? 1.0L : std::max(0.2L, sum_of(data.squares) / (dof * sum_of(h)));
  Vector result;
  for (std::size_t g = 0; g < h.size(); ++g) {
    result.push_back(h[g] * (data.squares[g] / h[g] + 20.0L * phi) / (dof + 20.0L));
  }
  return result;
}

Vector variances_of_amounts(const SparseNoiseData& data, Real middle) {
  const Real dof = static_cast<Real>(data.degrees);
  const std::size_t units = data.squares.size();
  Vector plain;
  for (const Real square : data.squares) plain.push_back(square / dof);
  if (units <= 2 || sum_of(data.squares) == 0.0L) return plain;
  Vector logs;
  for (const Real variance : plain) logs.push_back(std::log(std::max(variance, 1e-4L * middle)));
  const Real mean = sum_of(logs) / static_cast<Real>(units);
  Real spread = 0.0L;
  for (const Real log : logs) spread += (log - mean) * (log - mean) / static_cast<Real>(units);
  const Real excess = std::max(0.0L, spread - 2.0L / dof);
  const Real c = excess / (excess + 2.0L / dof);
  Vector result;
  for (const Real log : logs) result.push_back(std::exp(c * log + (1.0L - c) * mean));
  const Real factor = sum_of(plain) / sum_of(result);
  for (Real& variance : result) variance *= factor;
  return result;
}

Vector unit_variances(const SparseNoiseData& data) {
  const Real middle = middle_variance(data);
  Vector result = data.unit ? variances_of_counts(data) : variances_of_amounts(data, middle);
  for (Real& variance : result) variance = std::max(variance, 1e-9L * middle);
  return result;
}

/// The strength of a factor with eigenvalue e.
Real strength_of(Real e, Real bulk, Real ratio) {
  const Real share = e / bulk;
  const Real edge = 1.0L + std::sqrt(ratio);
  if (share <= 1.02L * edge * edge) return 0.0L;
  const Real h = share + 1.0L - ratio;
  const Real l = (h + std::sqrt(std::max(0.0L, h * h - 4.0L * share))) / 2.0L;
  return bulk * (l - 1.0L);
}

/// The columns of F.
Matrix factors_of(const SparseNoiseData& data, const Vector& variances) {
  const std::size_t units = variances.size();
  if (units < 2 || data.rows.empty()) return {};
  Matrix scaled = data.rows;
  for (Vector& row : scaled) {
    for (std::size_t g = 0; g < units; ++g) {
      row[g] = data.squares[g] > 0.0L ? row[g] / std::sqrt(data.squares[g]) : 0.0L;
    }
  }
  const Spectrum found = spectrum(scaled, kFactors);
  const Real ratio = static_cast<Real>(units) / static_cast<Real>(data.degrees);
  Real bulk = 1.0L;
  Vector strengths;
  for (int pass = 0; pass < 6; ++pass) {
    strengths.clear();
    for (const Real e : found.values) {
      const Real strength = strength_of(e, bulk, ratio);
      if (strength == 0.0L) break;
      strengths.push_back(strength);
    }
    bulk = std::max(0.05L, 1.0L - sum_of(strengths) / static_cast<Real>(units));
  }
  Matrix columns;
  for (std::size_t i = 0; i < strengths.size(); ++i) {
    Vector column = zeros(units);
    for (std::size_t g = 0; g < units; ++g) {
      column[g] =
          std::sqrt(variances[g]) * std::sqrt(strengths[i] / found.values[i]) * found.rows[i][g];
    }
    columns.push_back(column);
  }
  return columns;
}

}  // namespace

void KeptRows::add(const Vector& row) {
  for (std::size_t g = 0; g < row.size(); ++g) squares_[g] += row[g] * row[g];
  rows_.push_back(row);
  if (rows_.size() == kRows) rows_ = spectrum(rows_, kRows / 2).rows;
}

SparseNoiseFit fit_sparse_noise(const SparseNoiseData& data) {
  SparseNoiseFit fit{.degrees = data.degrees,
                     .variances = unit_variances(data),
                     .scales = {},
                     .precision = {},
                     .shock = {}};
  const std::size_t units = fit.variances.size();
  const Matrix factors = factors_of(data, fit.variances);
  Matrix covariance = zeros(units, units);
  for (std::size_t g = 0; g < units; ++g) {
    for (std::size_t h = 0; h < units; ++h) {
      for (const Vector& factor : factors) covariance[g][h] += factor[g] * factor[h];
    }
  }
  for (std::size_t g = 0; g < units; ++g) {
    covariance[g][g] += std::max(fit.variances[g] - covariance[g][g], 0.02L * fit.variances[g]);
  }
  fit.precision = inverse(covariance);
  for (std::size_t g = 0; g < units; ++g) fit.total_variance += sum_of(covariance[g]);
  for (std::size_t g = 0; g < units; ++g) {
    fit.shock.push_back(sum_of(covariance[g]) / fit.total_variance);
    fit.scales.push_back(
        std::max(fit.variances[g], sum_of(fit.variances) / static_cast<Real>(units) / 16.0L));
  }
  const Real dof = static_cast<Real>(data.degrees);
  fit.inflation =
      std::max(1.0L, dof / std::max(dof - static_cast<Real>(factors.size()) - 1.0L, dof / 4.0L));
  return fit;
}

}  // namespace updraft::testing

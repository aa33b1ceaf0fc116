#include "reference/noise_variances.h"

#include <algorithm>
#include <cmath>

namespace updraft::testing {

namespace {

/// Euclid's algorithm; remainders of floating-point numbers are exact.
Real greatest_common_divisor(Real a, Real b) {
  while (b != 0.0L) {
    const Real remainder = std::fmod(a, b);
    a = b;
    b = remainder;
  }
  return a;
}

/// The largest power of two that a positive number is a whole multiple of.
Real power_of_two_in(Real number) {
  int exponent = 0;
  std::frexp(number, &exponent);
  Real power = std::ldexp(1.0L, exponent);  // above the number
  while (std::fmod(number, power) != 0.0L) power /= 2.0L;
  return power;
}

struct Shape {
  Real h = 1.0L;
  Real k = 0.0L;
};

Shape shape_of(const NoiseAtom& atom, const NoiseCell& cell, std::optional<Real> unit) {
  if (!unit) return {1.0L, 0.0L};
  const Real size = static_cast<Real>(atom.variables);
  const Real y = cell.rounds * std::max(0.0L, cell.centre) / *unit;
  Real h = (y + 1.0L) / std::max(1.0L, cell.rounds);
  if (atom.largest_sum <= size * *unit) {
    const Real trials = cell.rounds * size;
    const Real p = (std::min(y, trials) + 1.0L) / (trials + 2.0L);
    h = size * p * (1.0L - p);
  }
  return {h, 1.0L / h};
}

Real squares_of(const NoiseAtom& atom, const NoiseCell& cell) {
  return atom.varies ? cell.squares : 0.0L;
}

/// phi, per atom.
Vector dispersions(const std::vector<NoiseAtom>& atoms, std::optional<Real> unit) {
  Vector phi;
  Vector certainty;  // e
  Real all_squares = 0.0L;
  Real all_expected = 0.0L;
  for (const NoiseAtom& atom : atoms) {
    Real squares = 0.0L;
    Real expected = 0.0L;  // E
    Real spread = 0.0L;
    for (const NoiseCell& cell : atom.cells) {
      const Shape shape = shape_of(atom, cell, unit);
      squares += squares_of(atom, cell);
      expected += cell.dof * shape.h;
      spread += cell.dof * shape.h * shape.h * (2.0L + shape.k);
    }
    phi.push_back(expected == 0.0L ? 0.0L : squares / expected);
    certainty.push_back(expected == 0.0L ? 0.0L : 2.0L * expected * expected / spread);
    if (!atom.varies) continue;
    all_squares += squares;
    all_expected += expected;
  }
  if (!unit) return phi;
  const Real of_all = all_expected == 0.0L ? 0.0L : all_squares / all_expected;  // Phi
  for (std::size_t g = 0; g < atoms.size(); ++g) {
    phi[g] = (certainty[g] * phi[g] + 10.0L * of_all) / (certainty[g] + 10.0L);
  }
  return phi;
}

/// q.
Real own_share(const std::vector<NoiseAtom>& atoms, const Vector& phi, std::optional<Real> unit) {
  Real distance = 0.0L;  // Q
  Real chance = 0.0L;    // D
  Real weight = 0.0L;    // B
  for (std::size_t g = 0; g < atoms.size(); ++g) {
    if (!atoms[g].varies) continue;
    Real total = 0.0L;  // T
    for (const NoiseCell& cell : atoms[g].cells) total += cell.dof;
    for (const NoiseCell& cell : atoms[g].cells) {
      if (!(0.0L < cell.dof && cell.dof < total)) continue;
      const Shape shape = shape_of(atoms[g], cell, unit);
      const Real ratio = cell.squares / (cell.dof * phi[g] * shape.h);
      const Real b = cell.dof / (2.0L + shape.k);
      const Real d = 1.0L - cell.dof / total;
      distance += b * (ratio - 1.0L) * (ratio - 1.0L);
      chance += d;
      weight += b * d;
    }
  }
  if (weight == 0.0L) return 0.0L;
  const Real tau2 = std::max(0.0L, distance - chance - 2.0L * std::sqrt(2.0L * chance)) / weight;
  return tau2 / (2.0L + 4.0L * tau2);
}

}  // namespace

std::optional<Real> unit_of_counts(const std::vector<Vector>& sums) {
  Real unit = 0.0L;
  Real largest = 0.0L;
  for (const Vector& round : sums) {
    for (const Real sum : round) {
      const Real value = static_cast<double>(sum);
      if (value < 0.0L) return std::nullopt;
      unit = greatest_common_divisor(value, unit);
      largest = std::max(largest, value);
    }
  }
  if (unit == 0.0L) return 1.0L;
  if (largest > std::ldexp(power_of_two_in(unit), 32)) return std::nullopt;
  return unit;
}

NoiseVariances learn_variances(const std::vector<NoiseAtom>& atoms, std::optional<Real> unit) {
  const Vector phi = dispersions(atoms, unit);
  NoiseVariances result;
  result.own_share = own_share(atoms, phi, unit);
  const Real q = result.own_share;
  for (std::size_t g = 0; g < atoms.size(); ++g) {
    result.of.emplace_back();
    for (const NoiseCell& cell : atoms[g].cells) {
      const Real prior = phi[g] * shape_of(atoms[g], cell, unit).h;
      const Real v = (prior + q * squares_of(atoms[g], cell)) / (1.0L + q * cell.dof);
      result.of[g].push_back(phi[g] == 0.0L ? 0.0L : v);
    }
  }
  return result;
}

}  // namespace updraft::testing

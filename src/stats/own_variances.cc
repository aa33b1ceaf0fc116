#include "stats/own_variances.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace updraft {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// What the phi of all atoms counts for in that of one, as degrees of freedom. Counts only.
constexpr double kDispersionDegrees = 10.0;

/// Rounds of an atom that share a mean and a variance.
struct Cell {
  double rounds = 0.0;
  double mean = 0.0;
  double squares = 0.0;   ///< SS: about the mean
  double degrees = 0.0;   ///< m
  double shape = 1.0;     ///< h
  double kurtosis = 0.0;  ///< excess, of one round
};

/// The cells of one atom: that of the rounds that leave it alone, then one per affecting action.
std::vector<Cell> cells_of(const CentredRounds& rounds, GroupId atom) {
  const auto g = static_cast<Index>(atom);
  const std::span<const ActionId> affecting = rounds.sets->affecting(atom);
  std::vector<Cell> cells(1 + affecting.size());
  Cell& alone = cells.front();
  alone.mean = (*rounds.centre)[g];
  auto next = affecting.begin();
  for (ActionId a = 0; a < rounds.moments->actions(); ++a) {
    const auto n = static_cast<double>(rounds.pulls[a]);
    const double mean = rounds.moments->means()(g, a);
    const double squares = rounds.moments->squares()(g, a);
    if (next != affecting.end() && *next == a) {
      ++next;
      cells[static_cast<std::size_t>(next - affecting.begin())] = {
          .rounds = n, .mean = mean, .squares = squares, .degrees = n - 1.0};
    } else {
      alone.rounds += n;
      alone.squares += squares + n * (mean - alone.mean) * (mean - alone.mean);
    }
  }
  alone.degrees = std::max(0.0, alone.rounds - (rounds.centre_known ? 0.0 : 1.0));
  return cells;
}

/// Of one round, in units squared. `size` > 0 for payoffs of 0 or 1 unit: of how many variables.
double count_variance(const Cell& cell, double unit, double size) {
  const double total = cell.rounds * std::max(0.0, cell.mean) / unit;
  if (!(size > 0.0)) return (total + 1.0) / std::max(1.0, cell.rounds);
  const double trials = cell.rounds * size;
  const double rate = (std::min(total, trials) + 1.0) / (trials + 2.0);
  return size * rate * (1.0 - rate);
}

void use_count_variances(std::vector<Cell>& cells, const CountUnit& counts, GroupId atom,
                         std::size_t variables) {
  const double unit = counts.unit() > 0.0 ? counts.unit() : 1.0;
  const auto size = static_cast<double>(variables);
  const bool binary = counts.largest()[static_cast<Index>(atom)] <= size * unit;
  for (Cell& cell : cells) {
    cell.shape = count_variance(cell, unit, binary ? size : 0.0);
    cell.kurtosis = 1.0 / cell.shape;
  }
}

/// What the rounds of an atom, or of several, say of phi.
struct Dispersion {
  double squares = 0.0;   ///< sum of SS(c)
  double expected = 0.0;  ///< sum of m(c) h(c): its mean where phi = 1
  double variance = 0.0;  ///< sum of m(c) h(c)^2 (2 + kurtosis(c)): its variance where phi = 1

  void add(const Dispersion& other) {
    squares += other.squares;
    expected += other.expected;
    variance += other.variance;
  }
  double phi() const { return expected > 0.0 ? squares / expected : 0.0; }
  /// Of freedom: a normal variance with so many is known as well.
  double degrees() const { return variance > 0.0 ? 2.0 * expected * expected / variance : 0.0; }
};

Dispersion dispersion_of(const std::vector<Cell>& cells, bool varies) {
  Dispersion result;
  for (const Cell& cell : cells) {
    if (varies) result.squares += cell.squares;
    result.expected += cell.degrees * cell.shape;
    result.variance += cell.degrees * cell.shape * cell.shape * (2.0 + cell.kurtosis);
  }
  return result;
}

/// phi per atom.
VectorXd dispersions(const std::vector<std::vector<Cell>>& cells, const Varies& varies,
                     bool counts) {
  VectorXd phi(varies.size());
  VectorXd degrees(varies.size());
  Dispersion all;
  for (Index g = 0; g < varies.size(); ++g) {
    const Dispersion own = dispersion_of(cells[static_cast<std::size_t>(g)], varies[g]);
    phi[g] = own.phi();
    degrees[g] = own.degrees();
    if (varies[g]) all.add(own);
  }
  if (!counts) return phi;
  return (phi.array() * degrees.array() + all.phi() * kDispersionDegrees) /
         (degrees.array() + kDispersionDegrees);
}

/// How far the variances of cells are from their priors, beyond what chance explains: the variance
/// of one with m degrees of freedom, over its prior, is (2 + kurtosis) / m. [dersimonian86]
class Heterogeneity {
 public:
  void add(const std::vector<Cell>& cells, double phi) {
    double all = 0.0;
    for (const Cell& cell : cells) all += cell.degrees;
    for (const Cell& cell : cells) {
      if (!(cell.degrees > 0.0 && cell.degrees < all)) continue;
      const double ratio = cell.squares / (cell.degrees * phi * cell.shape);
      const double weight = cell.degrees / (2.0 + cell.kurtosis);
      const double free = 1.0 - cell.degrees / all;
      distance_ += weight * (ratio - 1.0) * (ratio - 1.0);
      chance_ += free;
      weight_ += weight * free;
    }
  }

  /// q. Variances that scatter by tau^2 about their priors make these worth 4 + 2 / tau^2 rounds.
  double trust() const {
    // The distance that chance explains: its mean and two of its standard deviations.
    const double beyond = distance_ - chance_ - 2.0 * std::sqrt(2.0 * chance_);
    if (!(beyond > 0.0)) return 0.0;
    const double tau2 = beyond / weight_;
    return tau2 / (2.0 + 4.0 * tau2);
  }

 private:
  double distance_ = 0.0;
  double chance_ = 0.0;
  double weight_ = 0.0;
};

}  // namespace

OwnVariances own_variances(const CentredRounds& rounds, const CountUnit& counts,
                           const Varies& varies) {
  const auto atoms = static_cast<GroupId>(rounds.moments->atoms());
  std::vector<std::vector<Cell>> cells;
  for (GroupId g = 0; g < atoms; ++g) {
    cells.push_back(cells_of(rounds, g));
    if (counts.counts()) {
      use_count_variances(cells[g], counts, g, rounds.sets->atoms()->sizes()[g]);
    }
  }
  const VectorXd phi = dispersions(cells, varies, counts.counts());
  Heterogeneity heterogeneity;
  for (GroupId g = 0; g < atoms; ++g) {
    if (varies[g]) heterogeneity.add(cells[g], phi[g]);
  }

  OwnVariances result;
  const double trust = heterogeneity.trust();
  result.trust = trust;
  result.base = VectorXd::Zero(phi.size());
  result.own = MatrixXd::Zero(phi.size(), static_cast<Index>(rounds.moments->actions()));
  for (GroupId g = 0; g < atoms; ++g) {
    if (!(phi[g] > 0.0)) continue;
    const auto variance = [&](const Cell& cell) {
      return (phi[g] * cell.shape + trust * cell.squares) / (1.0 + trust * cell.degrees);
    };
    result.base[g] = variance(cells[g].front());
    const std::span<const ActionId> affecting = rounds.sets->affecting(g);
    for (std::size_t j = 0; j < affecting.size(); ++j) {
      result.own(g, affecting[j]) = variance(cells[g][1 + j]);
    }
  }
  return result;
}

}  // namespace updraft

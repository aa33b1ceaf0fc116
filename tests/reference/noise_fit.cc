#include "reference/noise_fit.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "reference/noise_variances.h"

namespace updraft::testing {

namespace {

bool affects(const AffectedSets& affected, ActionId action, GroupId atom) {
  for (const GroupId g : affected.atoms_of(action)) {
    if (g == atom) return true;
  }
  return false;
}

/// The mean of one atom over the rounds that `counts` picks; 0 where it picks none. Deviations
/// from the first are averaged, so that large means cost no digits.
template <typename Counts>
Real mean_over(const std::vector<AtomRound>& rounds, GroupId atom, Counts counts) {
  std::size_t number = 0;
  Real first = 0.0L;
  Real deviations = 0.0L;
  for (const AtomRound& round : rounds) {
    if (!counts(round.action)) continue;
    if (number == 0) first = round.sums[atom];
    deviations += round.sums[atom] - first;
    ++number;
  }
  return number == 0 ? 0.0L : first + deviations / static_cast<Real>(number);
}

/// A fit in the making.
class Fitter {
 public:
  Fitter(const std::vector<AtomRound>& rounds, const AffectedSets& affected,
         const NoiseFitOptions& options)
      : rounds_(rounds),
        affected_(affected),
        options_(options),
        actions_(affected.actions()),
        atoms_(affected.atoms()->groups()) {
    for (ActionId a = 0; a < actions_; ++a) {
      means_.push_back(options.kept ? options.kept->means[a] : mean_of(rounds, a));
      in_v_.emplace_back();
      for (GroupId g = 0; g < atoms_; ++g) in_v_[a].push_back(affects(affected, a, g));
    }
  }

  NoiseFit fit() {
    find_baseline();
    find_correlations();
    shrink();
    find_variances();
    for (ActionId a = 0; a < actions_; ++a) find_weights(a);
    return std::move(fit_);
  }

 private:
  void find_baseline() {
    if (options_.baseline) {
      fit_.baseline = *options_.baseline;
      return;
    }
    for (GroupId g = 0; g < atoms_; ++g) {
      fit_.baseline.push_back(
          mean_over(rounds_, g, [&](ActionId action) { return !in_v_[action][g]; }));
    }
  }

  Real centre(ActionId action, GroupId g) const {
    return in_v_[action][g] ? means_[action][g] : fit_.baseline[g];
  }

  Matrix residual_products() const {
    Matrix products = zeros(atoms_, atoms_);
    for (const AtomRound& round : rounds_) {
      Vector r;
      for (GroupId g = 0; g < atoms_; ++g) r.push_back(round.sums[g] - centre(round.action, g));
      for (GroupId g = 0; g < atoms_; ++g) {
        for (GroupId h = 0; h < atoms_; ++h) products[g][h] += r[g] * r[h];
      }
    }
    return products;
  }

  /// From products about the means to those about the centres.
  Matrix kept_products() const {
    Matrix products = options_.kept->products;
    for (ActionId a = 0; a < actions_; ++a) {
      for (GroupId g = 0; g < atoms_; ++g) {
        for (GroupId h = 0; h < atoms_; ++h) {
          products[g][h] +=
              taken(a) * (means_[a][g] - centre(a, g)) * (means_[a][h] - centre(a, h));
        }
      }
    }
    return products;
  }

  Real taken(ActionId a) const {
    Real rounds = 0.0L;
    for (const AtomRound& round : rounds_) rounds += round.action == a ? 1.0L : 0.0L;
    return rounds;
  }

  /// dof, which atoms vary, and the correlations before they are shrunk.
  void find_correlations() {
    const Matrix products = options_.kept ? kept_products() : residual_products();  // W
    Vector dof;
    for (GroupId g = 0; g < atoms_; ++g) {
      const Real fitted = static_cast<Real>(affected_.affecting(g).size()) +
                          (options_.baseline.has_value() ? 0.0L : 1.0L);
      dof.push_back(std::max(1.0L, static_cast<Real>(rounds_.size()) - fitted));
      Real largest = std::abs(fit_.baseline[g]);
      for (const Vector& mean : means_) largest = std::max(largest, std::abs(mean[g]));
      fit_.varies.push_back(std::sqrt(products[g][g] / dof[g]) > 1e-13L * largest);
    }
    fit_.dof = static_cast<std::uint64_t>(*std::min_element(dof.begin(), dof.end()));
    fit_.correlation = zeros(atoms_, atoms_);
    for (GroupId g = 0; g < atoms_; ++g) {
      for (GroupId h = 0; h < atoms_; ++h) {
        if (g == h) fit_.correlation[g][h] = 1.0L;
        if (g == h || !fit_.varies[g] || !fit_.varies[h]) continue;
        const Real rho = products[g][h] / std::sqrt(products[g][g]) / std::sqrt(products[h][h]);
        fit_.correlation[g][h] = std::clamp(rho, -1.0L, 1.0L);
      }
    }
  }

  void shrink() {
    const Real dof = static_cast<Real>(fit_.dof);
    Real noise = 0.0L;
    Real signal = 0.0L;
    for (GroupId g = 0; g < atoms_; ++g) {
      for (GroupId h = 0; h < atoms_; ++h) {
        if (g == h || !fit_.varies[g] || !fit_.varies[h]) continue;
        const Real square = fit_.correlation[g][h] * fit_.correlation[g][h];
        noise += (1.0L - square) * (1.0L - square) / dof;
        signal += square;
      }
    }
    fit_.lambda = options_.diagonal || signal == 0.0L ? 1.0L : std::min(1.0L, noise / signal);
    fit_.lambda = std::max(1e-8L, fit_.lambda);
    for (GroupId g = 0; g < atoms_; ++g) {
      for (GroupId h = 0; h < atoms_; ++h) {
        if (g != h) fit_.correlation[g][h] *= 1.0L - fit_.lambda;
      }
    }
    const Real spent = (1.0L - fit_.lambda) * static_cast<Real>(atoms_) + 1.0L;
    fit_.inflation = std::max(1.0L, dof / std::max(dof - spent, dof / 4.0L));
  }

  /// The cells of one atom.
  NoiseAtom atom_of(GroupId g) const {
    NoiseAtom atom;
    atom.variables = affected_.atoms()->sizes()[g];
    atom.varies = fit_.varies[g];
    atom.cells.resize(1 + actions_);
    atom.cells[0].centre = fit_.baseline[g];
    for (const AtomRound& round : rounds_) {
      NoiseCell& cell = atom.cells[in_v_[round.action][g] ? 1 + round.action : 0];
      const Real residual = round.sums[g] - centre(round.action, g);
      cell.rounds += 1.0L;
      cell.centre = centre(round.action, g);
      cell.squares += residual * residual;
      atom.largest_sum =
          std::max(atom.largest_sum, static_cast<Real>(static_cast<double>(round.sums[g])));
    }
    if (options_.kept) use_kept_squares(g, atom);
    for (std::size_t c = 0; c < atom.cells.size(); ++c) {
      const bool known = c == 0 && options_.baseline.has_value();
      atom.cells[c].dof = std::max(0.0L, atom.cells[c].rounds - (known ? 0.0L : 1.0L));
    }
    return atom;
  }

  void use_kept_squares(GroupId g, NoiseAtom& atom) const {
    for (NoiseCell& cell : atom.cells) cell.squares = 0.0L;
    for (ActionId a = 0; a < actions_; ++a) {
      const Real offset = means_[a][g] - centre(a, g);
      atom.cells[in_v_[a][g] ? 1 + a : 0].squares +=
          options_.kept->squares[a][g] + taken(a) * offset * offset;
    }
  }

  void find_variances() {
    std::vector<Vector> sums;
    for (const AtomRound& round : rounds_) sums.push_back(round.sums);
    fit_.unit = unit_of_counts(sums);
    std::vector<NoiseAtom> atoms;
    for (GroupId g = 0; g < atoms_; ++g) atoms.push_back(atom_of(g));
    const NoiseVariances variances = learn_variances(atoms, fit_.unit);
    fit_.own_share = variances.own_share;
    for (GroupId g = 0; g < atoms_; ++g) fit_.sd.push_back(std::sqrt(variances.of[g][0]));
    for (ActionId a = 0; a < actions_; ++a) {
      fit_.sd_under.emplace_back();
      for (GroupId g = 0; g < atoms_; ++g) {
        fit_.sd_under[a].push_back(std::sqrt(variances.of[g][in_v_[a][g] ? 1 + a : 0]));
      }
      const Real dof = static_cast<Real>(fit_.dof);
      fit_.own_dof.push_back(
          fit_.own_share == 0.0L ? dof : std::min(dof, taken(a) - 1.0L + 1.0L / fit_.own_share));
    }
  }

  /// S(a).
  Real covariance(ActionId a, GroupId g, GroupId h) const {
    return fit_.correlation[g][h] * fit_.sd_under[a][g] * fit_.sd_under[a][h];
  }

  /// w, s^2 and R of one action.
  void find_weights(ActionId a) {
    std::vector<GroupId> c;
    for (GroupId g = 0; g < atoms_; ++g) {
      if (!in_v_[a][g]) c.push_back(g);
    }
    Matrix among = zeros(c.size(), c.size());
    for (std::size_t i = 0; i < c.size(); ++i) {
      for (std::size_t j = 0; j < c.size(); ++j) among[i][j] = fit_.correlation[c[i]][c[j]];
    }
    const Matrix precision = inverse(among);

    Matrix known = zeros(atoms_, atoms_);
    Vector with_v = zeros(c.size());  // S(a)_CV 1, each divided by its sd
    for (std::size_t i = 0; i < c.size(); ++i) {
      for (GroupId v = 0; v < atoms_; ++v) {
        if (in_v_[a][v]) with_v[i] += fit_.correlation[c[i]][v] * fit_.sd_under[a][v];
      }
    }
    Vector weights = zeros(atoms_);
    Real variance = 0.0L;
    for (GroupId g = 0; g < atoms_; ++g) {
      if (in_v_[a][g]) weights[g] = 1.0L;
      for (GroupId h = 0; h < atoms_; ++h) {
        if (in_v_[a][g] && in_v_[a][h]) variance += covariance(a, g, h);
      }
    }
    for (std::size_t i = 0; i < c.size(); ++i) {
      Real beta = 0.0L;  // times the sd
      for (std::size_t j = 0; j < c.size(); ++j) {
        beta += precision[i][j] * with_v[j];
        known[c[i]][c[j]] = precision[i][j];
      }
      if (fit_.sd[c[i]] > 0.0L) weights[c[i]] = -beta / fit_.sd[c[i]];
      variance -= with_v[i] * beta;
    }
    fit_.weights.push_back(weights);
    fit_.variances.push_back(fit_.inflation * std::max(0.0L, variance));
    fit_.known.push_back(known);
  }

  const std::vector<AtomRound>& rounds_;
  const AffectedSets& affected_;
  const NoiseFitOptions& options_;
  std::size_t actions_;
  std::size_t atoms_;
  Matrix means_;                         // [action][atom]
  std::vector<std::vector<bool>> in_v_;  // [action][atom]
  NoiseFit fit_;
};

}  // namespace

KeptSums::KeptSums(std::size_t actions, std::size_t atoms)
    : means(zeros(actions, atoms)),
      rounds(zeros(actions, atoms)),
      squares(zeros(actions, atoms)),
      products(zeros(atoms, atoms)) {}

void KeptSums::add(const AtomRound& round) {
  const std::size_t atoms = round.sums.size();
  Vector& mean = means[round.action];
  Vector e;
  for (GroupId g = 0; g < atoms; ++g) {
    const Real r = rounds[round.action][g] += 1.0L;
    const Real deviation = round.sums[g] - mean[g];
    e.push_back(deviation * std::sqrt((r - 1.0L) / r));
    mean[g] += deviation / r;
  }
  for (GroupId g = 0; g < atoms; ++g) {
    squares[round.action][g] += e[g] * e[g];
    for (GroupId h = 0; h < atoms; ++h) products[g][h] += e[g] * e[h];
  }
}

void KeptSums::separate(ActionId action, const AffectedSets& affected, std::size_t old_rounds,
                        const Vector& old_mean, std::size_t new_rounds, const Vector& new_mean) {
  const Real before = static_cast<Real>(old_rounds);
  const Real after = static_cast<Real>(new_rounds);
  const Real c = before * after / (before + after);
  for (GroupId g = 0; g < products.size(); ++g) {
    const Real difference = new_mean[g] - old_mean[g];
    squares[action][g] = std::max(0.0L, squares[action][g] - c * difference * difference);
    for (GroupId h = 0; h < products.size(); ++h) {
      products[g][h] -= c * difference * (new_mean[h] - old_mean[h]);
    }
    products[g][g] = std::max(0.0L, products[g][g]);
    if (!affects(affected, action, g)) continue;
    means[action][g] = new_mean[g];
    rounds[action][g] = after;
  }
}

Vector mean_of(const std::vector<AtomRound>& rounds, ActionId action) {
  Vector mean;
  for (GroupId g = 0; g < rounds.front().sums.size(); ++g) {
    mean.push_back(mean_over(rounds, g, [&](ActionId taken) { return taken == action; }));
  }
  return mean;
}

NoiseFit fit_noise(const std::vector<AtomRound>& rounds, const AffectedSets& affected,
                   const NoiseFitOptions& options) {
  return Fitter(rounds, affected, options).fit();
}

}  // namespace updraft::testing

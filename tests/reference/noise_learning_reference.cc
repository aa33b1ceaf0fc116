// The policies that learn the noise and need no tuning: up_ucb_cv, up_ucb_cv_bl, up_ts, up_ts_bl.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "random/chi_squared.h"
#include "reference/change_search.h"
#include "reference/noise_fit.h"
#include "reference/plain_student.h"
#include "reference/reference_parameters.h"
#include "reference/ucb_reference.h"

namespace updraft::testing {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The sums of `values` over the atoms.
Vector over_atoms(const AffectedSets& affected, std::span<const double> values) {
  Vector sums = zeros(affected.atoms()->groups());
  for (VariableId i = 0; i < values.size(); ++i) sums[affected.atoms()->group_of(i)] += values[i];
  return sums;
}

/// Of the baseline b and of the actions, now.
struct Estimates {
  std::vector<GroupId> learnt;  ///< the atoms whose baseline is learnt
  Matrix precision;             ///< P over these, in units of scale, the ridge added
  Matrix inverse_precision;     ///< P^-1
  Vector baseline;              ///< bhat, per atom
  Matrix means;                 ///< xbar: [action][atom]
  Vector uplifts;               ///< per action
  Vector own_errors;            ///< per action, sqrt(s^2(a) / n(a))
  Vector standard_errors;       ///< per action
};

/// What the four share. All rounds are kept. The noise is fitted (noise_fit.h) at the end of an
/// observation, first when every action has feedback, then whenever t >= (1 + refit) times t at
/// the last fit; w, s^2, nu, R, m(0), f, sd and dof are those of the last fit, n(a) = observations
/// of a and xbar(a) = their mean are those of now.
///
/// The baseline if it is not known, in standardised coordinates (D = diag(sd), 1 for sd = 0), over
/// the atoms that some action leaves alone:
///   P    = sum_a n(a) R(a), plus 1e-9 of the mean of its diagonal on the diagonal
///   bhat = m(0) + D P^-1 sum_a n(a) R(a) D^-1 (xbar(a) - m(0)); 0 for the atoms left out
/// Estimates of the actions' uplifts, their covariance and standard errors, where D has 0 for
/// sd = 0, and the second term of the covariance is there if b is learnt:
///   estimate(a)     = w(a)'(xbar(a) - bhat)
///   covariance(a,b) = [a = b] s^2(a) / n(a) + f w(a)' D P^-1 D w(b)
///   se(a)           = sqrt(covariance(a,a))
/// The interval: estimate(a) +- sqrt(f) se(a) times Student's 97.5 % quantile at the dof
///   min(dof, max(1, floor(1 / (o^2 / nu(a) + (1 - o)^2 / dof)))), o = s^2(a) / n(a) / se(a)^2
/// or at dof if se(a) = 0.
/// The difference of an action a to action 0:
///   estimate(a) - estimate(0)
///   se(a,0)^2 = s^2(a) / n(a) + s^2(0) / n(0) + f (w(a) - w(0))' D P^-1 D (w(a) - w(0)), 0 for a =
///   0
/// and its interval likewise, at the dof of three parts instead of two: with o = s^2(a) / n(a) and
/// o' = s^2(0) / n(0), both divided by se(a,0)^2,
///   min(dof, max(1, floor(1 / (o^2 / nu(a) + o'^2 / nu(0) + (1 - o - o')^2 / dof))))
/// An uplift is identified if b is known or some action leaves each of the action's variables
/// alone.
class NoiseLearning : public ReferencePolicy {
 public:
  NoiseLearning(const PolicySpec& spec, const Knowledge& knowledge, bool knows_baseline)
      : ReferencePolicy(knowledge.actions(), knowledge.variables()),
        affected_(given_affected(knowledge)),
        refit_(spec.number("refit").value_or(0.02)) {
    options_.diagonal = spec.word("covariance").value_or("learned") == "diagonal";
    counted_.resize(actions());
    if (spec.word("forgetting").value_or("none") == "auto") {
      search_.emplace(affected_);
      options_.kept.emplace(actions(), atoms());
    }
    if (knows_baseline) options_.baseline = over_atoms(affected_, given_baseline(knowledge));
  }

  /// Absent before the first fit for actions with feedback.
  std::optional<double> explained_index(ActionId a) const override {
    if (pulls(a) == 0) return kInfinity;
    if (!fit_) return std::nullopt;
    return static_cast<double>(shown_index(estimate(), a));
  }

  std::optional<double> explained_radius(ActionId a) const override {
    if (pulls(a) == 0) return kInfinity;
    if (!fit_) return std::nullopt;
    return static_cast<double>(shown_radius(estimate(), a));
  }

  double magnitude(ActionId a) const override {
    if (!fit_) return 0.0;
    const Estimates estimates = estimate();
    Real total = estimates.standard_errors[a];
    for (GroupId g = 0; g < atoms(); ++g) {
      total += std::abs(fit_->weights[a][g]) *
               (std::abs(estimates.means[a][g]) + std::abs(estimates.baseline[g]));
    }
    for (std::size_t i = 0; i < estimates.learnt.size(); ++i) {
      const GroupId g = estimates.learnt[i];
      total += std::abs(fit_->weights[a][g]) * fit_->sd[g] *
               std::sqrt(fit_->inflation * estimates.inverse_precision[i][i]);
    }
    return static_cast<double>(total);
  }

  std::vector<FoundChange> changes() const override {
    std::vector<FoundChange> result = changes_;
    std::vector<bool> later(actions(), false);  // changed again
    for (std::size_t i = result.size(); i-- > 0;) {
      if (result[i].of_baseline) continue;
      const ActionId a = result[i].action;
      if (!later[a]) result[i].after = static_cast<double>(estimate().uplifts[a]);
      later[a] = true;
    }
    return result;
  }

  std::optional<LearnedNoise> learned_noise() const override {
    if (!fit_) return std::nullopt;
    const Estimates estimates = estimate();
    LearnedNoise noise;
    noise.shrinkage = static_cast<double>(fit_->lambda);
    noise.degrees_of_freedom = fit_->dof;
    for (ActionId a = 0; a < actions(); ++a) {
      noise.standard_errors.push_back(static_cast<double>(estimates.standard_errors[a]));
      noise.reaches.push_back(static_cast<double>(reach(estimates.standard_errors[a], {a})));
      const Real error = difference_error(estimates, a);
      noise.difference_errors.push_back(static_cast<double>(error));
      noise.difference_reaches.push_back(static_cast<double>(reach(error, {a, 0})));
      noise.identified.push_back(knows_baseline() || each_is_left_alone(a));
      noise.weights.emplace_back(fit_->weights[a].begin(), fit_->weights[a].end());
      noise.sds.emplace_back(fit_->sd_under[a].begin(), fit_->sd_under[a].end());
      noise.covariance.emplace_back();
      for (ActionId b = 0; b < actions(); ++b) {
        noise.covariance[a].push_back(static_cast<double>(covariance(estimates, a, b)));
      }
    }
    return noise;
  }

 protected:
  /// What explain() shows as index and radius of an action.
  virtual Real shown_index(const Estimates& estimates, ActionId a) const = 0;
  virtual Real shown_radius(const Estimates& estimates, ActionId a) const = 0;

  bool fitted() const { return fit_.has_value(); }
  const NoiseFit& fit() const { return *fit_; }
  bool knows_baseline() const { return options_.baseline.has_value(); }
  std::size_t atoms() const { return affected_.atoms()->groups(); }
  std::uint64_t observations() const { return rounds_.size(); }

  /// What select() compares before the first fit, for which all actions need feedback; afterwards
  /// `index` of every action. As long as only others need it, all that are allowed come first.
  template <typename Index>
  std::vector<double> indices_of(Index index) const {
    const std::vector<ActionId> choices = allowed();
    const bool others =
        std::all_of(choices.begin(), choices.end(), [this](ActionId a) { return pulls(a) > 0; });
    std::vector<double> result;
    for (ActionId a = 0; a < actions(); ++a) {
      result.push_back(fit_                      ? static_cast<double>(index(a))
                       : pulls(a) == 0 || others ? kInfinity
                                                 : -kInfinity);
    }
    return result;
  }

  Estimates estimate() const {
    Estimates estimates;
    for (ActionId a = 0; a < actions(); ++a)
      estimates.means.push_back(mean_over_numbers(rounds_, counted_[a]));
    if (knows_baseline()) {
      estimates.baseline = *options_.baseline;
    } else {
      learn_baseline(estimates);
    }
    for (ActionId a = 0; a < actions(); ++a) {
      Real uplift = 0.0L;
      for (GroupId g = 0; g < atoms(); ++g) {
        uplift += fit_->weights[a][g] * (estimates.means[a][g] - estimates.baseline[g]);
      }
      estimates.uplifts.push_back(uplift);
      estimates.own_errors.push_back(std::sqrt(own_variance(a)));
      estimates.standard_errors.push_back(std::sqrt(covariance(estimates, a, a)));
    }
    return estimates;
  }

  /// Of w(a)'(xbar(a) - b) - w(0)'(xbar(0) - b) = w(a)'xbar(a) - w(0)'xbar(0) - (w(a) - w(0))'b.
  Real difference_error(const Estimates& estimates, ActionId a) const {
    if (a == 0) return 0.0L;
    Vector w = fit_->weights[a];
    for (GroupId g = 0; g < atoms(); ++g) w[g] -= fit_->weights[0][g];
    return std::sqrt(own_variance(a) + own_variance(0) + baseline_covariance(estimates, w, w));
  }

  /// Whether every variable of the action has another action that does not affect it.
  bool each_is_left_alone(ActionId a) const {
    for (const VariableId i : affected_.of(a).ids()) {
      bool alone = false;
      for (ActionId other = 0; other < actions(); ++other) {
        alone = alone || !affected_.of(other).contains(i);
      }
      if (!alone) return false;
    }
    return true;
  }

  /// s^2(a) / n(a), over the rounds since the last change of a, and after a change of any action q
  /// times the rounds since the last of a.
  Real own_variance(ActionId a) const {
    const Real own = fit_->variances[a] / static_cast<Real>(counted_[a].size());
    if (squared_changes_ == 0.0L) return own;
    const Real age = static_cast<Real>(rounds_.size() - 1 - counted_[a].back());
    const Real q = squared_changes_ / static_cast<Real>(actions() * rounds_.size());
    return own + q * age;
  }

  void after_observe(ActionId action, std::span<const double> payoffs) override {
    rounds_.push_back({action, over_atoms(affected_, payoffs)});
    if (search_) {
      search_->add(rounds_, fit_ ? &*fit_ : nullptr, counted_[action]);
      options_.kept->add(rounds_.back());
    }
    counted_[action].push_back(rounds_.size() - 1);
    for (ActionId a = 0; a < actions(); ++a) {
      if (pulls(a) == 0) return;
    }
    if (!fit_ || static_cast<double>(rounds_.size()) >= (1.0 + refit_) * fitted_at_) fit_now();
    if (search_) look_for_change();
  }

 private:
  void fit_now() {
    fit_ = fit_noise(rounds_, affected_, options_);
    fitted_at_ = static_cast<double>(rounds_.size());
  }

  /// docs/policies/up_ts.md, "A world that changes".
  void look_for_change() {
    const std::optional<ChangeFound> found = search_->look(rounds_, *fit_);
    if (!found) return;
    const ActionId a = found->action;
    const Vector old_mean = mean_over_numbers(rounds_, found->old_part);
    const Vector new_mean = mean_over_numbers(rounds_, found->new_part);
    const Estimates now = estimate();
    Real before = 0.0L;
    Real after = 0.0L;
    for (GroupId g = 0; g < atoms(); ++g) {
      if (found->of_baseline && !affects_atom(a, g)) continue;
      const Real weight = found->of_baseline ? 1.0L : fit_->weights[a][g];
      const Real centre = found->of_baseline ? 0.0L : now.baseline[g];
      before += weight * (old_mean[g] - centre);
      after += weight * (new_mean[g] - centre);
    }
    changes_.push_back({.action = a,
                        .of_baseline = found->of_baseline,
                        .before = static_cast<double>(before),
                        .after = static_cast<double>(after),
                        .round = found->first_new + 1,
                        .found = rounds_.size()});
    if (found->of_baseline) return;
    counted_[a] = found->new_part;
    squared_changes_ += std::max(0.0L, found->difference * found->difference - found->variance);
    options_.kept->separate(a, affected_, found->old_part.size(), old_mean, found->new_part.size(),
                            new_mean);
    fit_now();
  }

  bool affects_atom(ActionId a, GroupId g) const {
    const auto atoms = affected_.atoms_of(a);
    return std::find(atoms.begin(), atoms.end(), g) != atoms.end();
  }

  void learn_baseline(Estimates& estimates) const {
    const Vector& m0 = fit_->baseline;
    estimates.baseline = zeros(atoms());
    Matrix whole_means;  // of all rounds
    for (ActionId a = 0; a < actions(); ++a) whole_means.push_back(mean_of(rounds_, a));
    for (GroupId g = 0; g < atoms(); ++g) {
      if (affected_.affecting(g).size() < actions()) estimates.learnt.push_back(g);
    }
    const std::size_t size = estimates.learnt.size();
    estimates.precision = zeros(size, size);
    Vector seen = zeros(size);  // sum_a n(a) R(a) D^-1 (xbar(a) - m(0))
    for (ActionId a = 0; a < actions(); ++a) {
      for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t j = 0; j < size; ++j) {
          const GroupId h = estimates.learnt[j];
          const Real known = static_cast<Real>(pulls(a)) * fit_->known[a][estimates.learnt[i]][h];
          estimates.precision[i][j] += known;
          seen[i] += known * (whole_means[a][h] - m0[h]) / scale(h);
        }
      }
    }
    Real trace = 0.0L;
    for (std::size_t i = 0; i < size; ++i) trace += estimates.precision[i][i];
    for (std::size_t i = 0; i < size; ++i) {
      estimates.precision[i][i] += 1e-9L * trace / static_cast<Real>(size);
    }
    estimates.inverse_precision = inverse(estimates.precision);
    for (std::size_t i = 0; i < size; ++i) {
      const GroupId g = estimates.learnt[i];
      estimates.baseline[g] = m0[g];
      for (std::size_t j = 0; j < size; ++j) {
        estimates.baseline[g] += scale(g) * estimates.inverse_precision[i][j] * seen[j];
      }
    }
  }

  /// f u' D P^-1 D w, 0 where b is known.
  Real baseline_covariance(const Estimates& estimates, const Vector& u, const Vector& w) const {
    Real result = 0.0L;
    for (std::size_t i = 0; i < estimates.learnt.size(); ++i) {
      for (std::size_t j = 0; j < estimates.learnt.size(); ++j) {
        const GroupId g = estimates.learnt[i];
        const GroupId h = estimates.learnt[j];
        result += u[g] * fit_->sd[g] * estimates.inverse_precision[i][j] * fit_->sd[h] * w[h];
      }
    }
    return fit_->inflation * result;
  }

  /// Of the estimates of two actions. Where the baseline is known, they share nothing.
  Real covariance(const Estimates& estimates, ActionId a, ActionId b) const {
    return (a == b ? own_variance(a) : 0.0L) +
           baseline_covariance(estimates, fit_->weights[a], fit_->weights[b]);
  }

  /// From an estimate with this error, made of these actions, to the end of its interval.
  Real reach(Real error, const std::vector<ActionId>& made_of) const {
    const Real squared_error = error * error;
    Real dof = static_cast<Real>(fit_->dof);
    if (squared_error > 0.0L) {
      Real inverse = 0.0L;
      Real rest = 1.0L;
      for (const ActionId a : made_of) {
        const Real o = own_variance(a) / squared_error;
        inverse += o * o / fit_->own_dof[a];
        rest -= o;
      }
      inverse += rest * rest / dof;
      // Rounding must not turn a whole number into the one below.
      dof = std::min(dof, std::max(1.0L, std::floor((1.0L + 1e-12L) / inverse)));
    }
    return std::sqrt(fit_->inflation) * error *
           student_reach(0.95L, static_cast<std::uint64_t>(dof));
  }

  Real scale(GroupId g) const { return fit_->sd[g] > 0.0L ? fit_->sd[g] : 1.0L; }

  AffectedSets affected_;
  double refit_;
  NoiseFitOptions options_;
  std::vector<AtomRound> rounds_;
  std::optional<NoiseFit> fit_;
  double fitted_at_ = 0.0;                         // t at the last fit
  std::vector<std::vector<std::size_t>> counted_;  // per action, numbers of the rounds of its mean
  std::optional<ChangeSearch> search_;             // with forgetting = auto
  std::vector<FoundChange> changes_;
  Real squared_changes_ = 0.0L;  // of effects, less the variances of the differences
};

/// up_ucb_cv and up_ucb_cv_bl, with t = observations of all actions:
///   index(a) = estimate(a) + sqrt(2 log t) sqrt(s^2(a) / n(a)); with radius = whole, se(a) for the
///   second root
class UpUcbCv final : public NoiseLearning {
 public:
  UpUcbCv(const PolicySpec& spec, const Knowledge& knowledge, bool knows_baseline)
      : NoiseLearning(spec, knowledge, knows_baseline),
        whole_(spec.word("radius").value_or("own") == "whole") {}

  std::vector<double> indices(const Stream&) const override {
    const Estimates estimates = fitted() ? estimate() : Estimates{};
    return indices_of([&](ActionId a) { return shown_index(estimates, a); });
  }

 protected:
  Real shown_index(const Estimates& estimates, ActionId a) const override {
    return estimates.uplifts[a] + shown_radius(estimates, a);
  }

  Real shown_radius(const Estimates& estimates, ActionId a) const override {
    const Real own = estimates.own_errors[a] * estimates.own_errors[a];
    const Real rest =
        whole_ ? estimates.standard_errors[a] * estimates.standard_errors[a] - own : 0;
    const Real n = static_cast<Real>(pulls(a));
    const Real error =
        std::sqrt(own * n / (n + static_cast<Real>(ahead(a))) + std::max(rest, 0.0L));
    return std::sqrt(2.0L * std::log(static_cast<Real>(observations()))) * error;
  }

 private:
  bool whole_;
};

/// up_ts and up_ts_bl: one draw from the posterior. With independent standard normals z(g) and
/// z(a), L L' = P, and kappa = sqrt(dof / chi-squared(dof)):
///   btilde   = bhat + kappa sqrt(f) D L'^-1 z
///   index(a) = w(a)'(xbar(a) - btilde) + kappa sqrt(s^2(a) / n(a)) z(a)
/// Draws are at round decisions(): z(g) at g and z(a) at G + a; without z(g) where the baseline is
/// known, and then z(a) at a; the chi-squared from 2^32 on.
class UpTs final : public NoiseLearning {
 public:
  using NoiseLearning::NoiseLearning;

  std::vector<double> indices(const Stream& stream) const override {
    Vector draws;
    if (fitted()) draws = draw(stream);
    return indices_of([&](ActionId a) { return draws[a]; });
  }

 protected:
  Real shown_index(const Estimates& estimates, ActionId a) const override {
    return estimates.uplifts[a];
  }

  Real shown_radius(const Estimates& estimates, ActionId a) const override {
    return estimates.standard_errors[a];
  }

 private:
  Vector draw(const Stream& stream) const {
    const Estimates estimates = estimate();
    const std::uint32_t round = static_cast<std::uint32_t>(decisions());
    const Real kappa = std::sqrt(static_cast<Real>(fit().dof) /
                                 chi_squared(stream, round, std::uint64_t{1} << 32, fit().dof));
    Vector baseline = estimates.baseline;
    if (!knows_baseline()) {
      Vector z;
      for (const GroupId g : estimates.learnt) z.push_back(stream.normal(round, g));
      const Vector deviation = solve_transposed(cholesky(estimates.precision), z);
      for (std::size_t i = 0; i < estimates.learnt.size(); ++i) {
        const GroupId g = estimates.learnt[i];
        baseline[g] += kappa * std::sqrt(fit().inflation) * fit().sd[g] * deviation[i];
      }
    }
    Vector draws;
    for (ActionId a = 0; a < actions(); ++a) {
      const std::uint64_t own = knows_baseline() ? a : atoms() + a;
      Real value = kappa * std::sqrt(own_variance(a)) * stream.normal(round, own);
      for (GroupId g = 0; g < atoms(); ++g) {
        value += fit().weights[a][g] * (estimates.means[a][g] - baseline[g]);
      }
      draws.push_back(value);
    }
    return draws;
  }
};

}  // namespace

ReferencePointer reference_up_ucb_cv(const PolicySpec& spec, const Knowledge& knowledge) {
  return std::make_unique<UpUcbCv>(spec, knowledge, false);
}

ReferencePointer reference_up_ucb_cv_bl(const PolicySpec& spec, const Knowledge& knowledge) {
  return std::make_unique<UpUcbCv>(spec, knowledge, true);
}

ReferencePointer reference_up_ts(const PolicySpec& spec, const Knowledge& knowledge) {
  return std::make_unique<UpTs>(spec, knowledge, false);
}

ReferencePointer reference_up_ts_bl(const PolicySpec& spec, const Knowledge& knowledge) {
  return std::make_unique<UpTs>(spec, knowledge, true);
}

}  // namespace updraft::testing

#pragma once

#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "reference/noise_fit.h"
#include "reference/plain_student.h"
#include "updraft/decision_log.h"
#include "updraft/knowledge.h"

namespace updraft::testing {

/// The estimators of docs/evaluation.md for one fixed policy, by plain loops over a log whose
/// rounds have the probabilities of all actions and dense payoffs. Every action is taken at least
/// twice.
class PlainEvaluation {
 public:
  struct Estimate {
    Real value = 0.0L;
    Real error = 0.0L;       ///< standard
    Real gain_error = 0.0L;  ///< of the gain over the log
    std::uint64_t degrees = 1;
  };

  PlainEvaluation(const std::vector<LoggedRound>& log, const Knowledge& knowledge)
      : log_(log), knowledge_(knowledge) {
    for (ActionId a = 0; a < knowledge.actions(); ++a) {
      Real sum = 0.0L;
      Real count = 0.0L;
      for (const LoggedRound& round : log) {
        if (round.action != a) continue;
        sum += reward(round);
        count += 1.0L;
      }
      mean_reward_.push_back(count > 0.0L ? sum / count : 0.0L);
      stretch_.push_back(std::sqrt(count / (count - 1.0L)));
    }
  }

  static Real reward(const LoggedRound& round) {
    Real sum = 0.0L;
    for (const double paid : round.values) sum += paid;
    return sum;
  }

  bool overlaps(const LoggedRound& round, const std::vector<double>& policy) const {
    for (std::size_t a = 0; a < policy.size(); ++a) {
      if (policy[a] > 0.0 && round.distribution[a] == 0.0) return false;
    }
    return true;
  }

  Real weight(const LoggedRound& round, const std::vector<double>& policy) const {
    if (!overlaps(round, policy)) return 0.0L;
    return static_cast<Real>(policy[round.action]) / round.distribution[round.action];
  }

  Real effective(const std::vector<double>& policy) const {
    Real sum = 0.0L;
    Real squares = 0.0L;
    for (const LoggedRound& round : log_) {
      sum += weight(round, policy);
      squares += weight(round, policy) * weight(round, policy);
    }
    return squares > 0.0L ? sum * sum / squares : 0.0L;
  }

  Estimate ips(const std::vector<double>& policy) const { return importance(policy, Kind::kIps); }
  Estimate snips(const std::vector<double>& policy) const {
    return importance(policy, Kind::kSnips);
  }
  Estimate dr(const std::vector<double>& policy) const { return importance(policy, Kind::kDr); }

  /// Every action of the knowledge must come in the log.
  Estimate uplift_dr(const std::vector<double>& policy) const {
    const AffectedSets& sets = *knowledge_.affected();
    const std::size_t actions = sets.actions();
    const std::size_t atoms = sets.atoms()->groups();
    std::vector<AtomRound> rounds;
    for (const LoggedRound& round : log_) {
      AtomRound sums{round.action, zeros(atoms)};
      for (VariableId i = 0; i < round.values.size(); ++i) {
        sums.sums[sets.atoms()->group_of(i)] += round.values[i];
      }
      rounds.push_back(std::move(sums));
    }
    NoiseFitOptions options;
    if (knowledge_.baseline() != nullptr) {
      options.baseline = zeros(atoms);
      for (VariableId i = 0; i < knowledge_.variables(); ++i) {
        (*options.baseline)[sets.atoms()->group_of(i)] += (*knowledge_.baseline())[i];
      }
    }
    const NoiseFit fit = fit_noise(rounds, sets, options);
    const auto affects = [&](ActionId a, std::size_t g) {
      const auto of = sets.atoms_of(a);
      return std::find(of.begin(), of.end(), g) != of.end();
    };
    const auto atom_weight = [&](const LoggedRound& round, std::size_t g) -> Real {
      if (affects(round.action, g)) return 0.0L;
      Real left_alone = 1.0L;
      for (ActionId a = 0; a < actions; ++a) {
        if (affects(a, g)) left_alone -= round.distribution[a];
      }
      return 1.0L / std::sqrt(left_alone);
    };

    // bbar, per atom.
    Vector baseline = zeros(atoms);
    Vector total = zeros(atoms);
    for (std::size_t g = 0; g < atoms; ++g) {
      for (std::size_t t = 0; t < log_.size(); ++t) {
        total[g] += atom_weight(log_[t], g);
        baseline[g] += atom_weight(log_[t], g) * rounds[t].sums[g];
      }
      if (total[g] > 0.0L) baseline[g] /= total[g];
    }
    if (options.baseline) baseline = *options.baseline;

    Estimate estimate;
    Vector errors = zeros(log_.size());
    Real inverse_degrees = 0.0L;
    Vector own_variance = zeros(actions);
    Vector own_effective = zeros(actions);
    for (ActionId a = 0; a < actions; ++a) {
      const Real share = policy[a];
      if (share == 0.0L) continue;
      Vector mean = zeros(atoms);
      Real sum = 0.0L;
      Real squares = 0.0L;
      for (std::size_t t = 0; t < log_.size(); ++t) {
        if (log_[t].action != a) continue;
        const Real omega = 1.0L / std::sqrt(static_cast<Real>(log_[t].distribution[a]));
        sum += omega;
        squares += omega * omega;
        for (std::size_t g = 0; g < atoms; ++g) mean[g] += omega * rounds[t].sums[g];
      }
      for (Real& of : mean) of /= sum;
      own_effective[a] = sum * sum / squares;
      for (std::size_t g = 0; g < atoms; ++g) {
        estimate.value += share * fit.weights[a][g] * mean[g];
        if (!affects(a, g)) estimate.value += share * (1.0L - fit.weights[a][g]) * baseline[g];
      }
      for (std::size_t t = 0; t < log_.size(); ++t) {
        if (log_[t].action == a && own_effective[a] > 1.0L) {
          Real off = 0.0L;
          for (std::size_t g = 0; g < atoms; ++g) {
            off += fit.weights[a][g] * (rounds[t].sums[g] - mean[g]);
          }
          const Real omega = 1.0L / std::sqrt(static_cast<Real>(log_[t].distribution[a]));
          const Real own = share * omega / sum * off *
                           std::sqrt(fit.inflation * own_effective[a] / (own_effective[a] - 1.0L));
          errors[t] += own;
          own_variance[a] += own * own;
        }
        if (options.baseline) continue;
        for (std::size_t g = 0; g < atoms; ++g) {
          if (affects(a, g) || affects(log_[t].action, g)) continue;
          errors[t] += share * (1.0L - fit.weights[a][g]) * atom_weight(log_[t], g) / total[g] *
                       (rounds[t].sums[g] - baseline[g]);
        }
      }
    }
    sum_errors(errors, 1.0L, estimate);
    const Real variance = estimate.error * estimate.error;
    for (ActionId a = 0; a < actions; ++a) {
      if (own_variance[a] == 0.0L) continue;
      const Real part = std::min(1.0L, own_variance[a] / variance);
      inverse_degrees += part * part / std::max(1.0L, own_effective[a] - 1.0L);
    }
    const Real most = static_cast<Real>(log_.size()) - static_cast<Real>(actions);
    const Real degrees = std::min(most, 1.0L / std::max(inverse_degrees, 1e-9L));
    estimate.degrees = static_cast<std::uint64_t>(std::max(1.0L, degrees));
    return estimate;
  }

 private:
  enum class Kind { kIps, kSnips, kDr };

  /// Variances are `stretch` times the sums of squares.
  void sum_errors(const Vector& errors, Real stretch, Estimate& estimate) const {
    Real squares = 0.0L;
    Real gain_squares = 0.0L;
    for (std::size_t t = 0; t < log_.size(); ++t) {
      const ActionId a = log_[t].action;
      const Real logged =
          stretch_[a] * (reward(log_[t]) - mean_reward_[a]) / static_cast<Real>(log_.size());
      squares += errors[t] * errors[t];
      gain_squares += (errors[t] - logged) * (errors[t] - logged);
    }
    estimate.error = std::sqrt(stretch * squares);
    estimate.gain_error = std::sqrt(stretch * gain_squares);
  }

  Estimate importance(const std::vector<double>& policy, Kind kind) const {
    Real n = 0.0L;
    Real weights = 0.0L;
    Real weighted = 0.0L;
    Real corrected = 0.0L;
    Real model = 0.0L;
    for (std::size_t a = 0; a < policy.size(); ++a) model += policy[a] * mean_reward_[a];
    for (const LoggedRound& round : log_) {
      if (!overlaps(round, policy)) continue;
      const Real w = weight(round, policy);
      n += 1.0L;
      weights += w;
      weighted += w * reward(round);
      corrected += model + w * (reward(round) - mean_reward_[round.action]);
    }
    Estimate estimate;
    estimate.value = kind == Kind::kIps     ? weighted / n
                     : kind == Kind::kSnips ? weighted / weights
                                            : corrected / n;
    Vector errors = zeros(log_.size());
    for (std::size_t t = 0; t < log_.size(); ++t) {
      const LoggedRound& round = log_[t];
      if (!overlaps(round, policy)) continue;
      const Real w = weight(round, policy);
      errors[t] =
          kind == Kind::kIps ? (w * reward(round) - estimate.value) / n
          : kind == Kind::kSnips
              ? w * (reward(round) - estimate.value) / weights
              : (model + w * (reward(round) - mean_reward_[round.action]) - estimate.value) / n;
    }
    const Real kish = effective(policy);
    sum_errors(errors, kish / (kish - 1.0L), estimate);
    estimate.degrees = static_cast<std::uint64_t>(std::max(1.0L, kish - 1.0L));
    return estimate;
  }

  const std::vector<LoggedRound>& log_;
  const Knowledge& knowledge_;
  Vector mean_reward_;
  Vector stretch_;  // of the residuals of an action: degrees of freedom
};

}  // namespace updraft::testing

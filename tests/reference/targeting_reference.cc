#include "reference/targeting_reference.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace updraft::testing {

TargetingReference::TargetingReference(const PolicySpec& spec, const TargetingShape& shape)
    : spec_(spec), shape_(shape), rows_(shape.treatments + 1) {
  const bool theorem = spec.number("delta").has_value();
  lambda_ = spec.number("lambda").value_or(theorem ? static_cast<double>(shape.budget) : 1.0);
}

bool TargetingReference::learns() const { return spec_.name() != "random"; }

bool TargetingReference::learns_baseline() const {
  return spec_.name() == "c2_up_ucb" || spec_.name() == "greedy" || spec_.name() == "eps_greedy";
}

/// beta, or sqrt(lambda) B + sqrt(2 log((Z+1)/delta) + d log(1 + m t / (d lambda))), or 0, with the
/// rows so far and those of the pool for m t. By the lemma behind the theorem: Z + 1 is for the
/// ellipsoids that must hold together, m t for the trace of the largest V. Where no ellipsoid is
/// for the untreated: Z, and treated rows, at most L more of them in this round.
Real TargetingReference::beta(std::size_t pool_size) const {
  if (const auto given = spec_.number("beta")) return *given;
  const auto delta = spec_.number("delta");
  if (!delta) return 0.0L;
  const Real d = static_cast<Real>(shape_.features);
  Real ellipsoids = 0.0L;
  Real individuals = 0.0L;
  for (std::size_t z = learns_baseline() ? 0 : 1; z <= shape_.treatments; ++z) {
    ellipsoids += 1.0L;
    individuals += static_cast<Real>(rows_[z].size());
  }
  const std::size_t treatable = std::min(pool_size, shape_.budget);
  individuals += static_cast<Real>(learns_baseline() ? pool_size : treatable);
  return std::sqrt(lambda_) * spec_.number("bound").value_or(1.0) +
         std::sqrt(2.0L * std::log(ellipsoids / *delta) +
                   d * std::log(1.0L + individuals / (d * lambda_)));
}

Real TargetingReference::interval_widths(const Round& pool) const {
  const bool optimistic = spec_.name().starts_with("c2_");
  return optimistic ? beta(pool.size()) : 1.0L;
}

/// As the models see them: with norms=scale no longer than 1.
Vector TargetingReference::features(const Round& pool, std::size_t individual) const {
  Vector x;
  for (std::size_t k = 0; k < pool.width; ++k) {
    x.push_back(pool.features[individual * pool.width + k]);
  }
  const Real length = std::sqrt(dot(x, x));
  if (spec_.word("norms") == "scale" && length > 1.0L) {
    for (Real& feature : x) feature /= length;
  }
  return x;
}

TargetingReference::Model TargetingReference::fitted(std::size_t treatment) const {
  const Rows& rows = rows_[treatment];
  const std::size_t d = shape_.features;
  Model model;
  model.inverse_v = inverse(gram(rows, lambda_, d));
  if (spec_.word("model") != "logistic") {
    model.theta = ridge_fit(rows, lambda_, d);
  } else if (spec_.word("fit") == "online") {
    model.theta = online_logistic_fit(rows, lambda_, d);
  } else {
    model.theta = logistic_fit(rows, lambda_, d);
  }
  return model;
}

Real TargetingReference::response(const Model& model, const Vector& x) const {
  const Real score = dot(model.theta, x);
  return spec_.word("model") == "logistic" ? sigmoid(score) : score;
}

std::vector<std::vector<TreatmentEstimate>> TargetingReference::estimates(const Round& pool) const {
  std::vector<std::vector<TreatmentEstimate>> all(pool.size());
  if (spec_.name() == "random") return all;
  std::vector<Model> models(1);
  if (learns_baseline()) models[0] = fitted(0);
  for (std::size_t z = 1; z <= shape_.treatments; ++z) models.push_back(fitted(z));
  const Real factor = beta(pool.size());
  for (std::size_t i = 0; i < pool.size(); ++i) {
    const Vector x = features(pool, i);
    const auto width = [&](const Model& model) {
      return std::sqrt(dot(x, times(model.inverse_v, x)));
    };
    for (std::size_t z = 1; z <= shape_.treatments; ++z) {
      Real baseline = 0.0L;
      Real baseline_width = 0.0L;
      if (learns_baseline()) {
        baseline = response(models[0], x);
        baseline_width = width(models[0]);
      } else if (spec_.name() != "c2_ucb") {
        baseline = pool.baseline[i];
      }
      const Real payoff = response(models[z], x);
      TreatmentEstimate estimate;
      estimate.uplift = payoff - baseline;
      estimate.width = width(models[z]) + baseline_width;
      estimate.index = (payoff + factor * width(models[z])) - (baseline + factor * baseline_width);
      estimate.payoff = payoff;
      estimate.payoff_width = width(models[z]);
      estimate.payoff_determined = spanned(rows_[z], x);
      estimate.uplift_determined = estimate.payoff_determined && spec_.name() != "c2_ucb" &&
                                   (!learns_baseline() || spanned(rows_[0], x));
      estimate.magnitude = std::abs(payoff) + std::abs(baseline) + factor * estimate.width;
      all[i].push_back(estimate);
    }
  }
  return all;
}

std::vector<Treatment> TargetingReference::chosen(const Matrix& indices, std::size_t count) const {
  const bool fill = spec_.word("fill") == "yes";
  std::vector<Treatment> treated(indices.size(), 0);
  for (std::size_t j = 0; j < count; ++j) {
    // The next largest index, of the lowest id and treatment among equals.
    std::size_t best = indices.size();
    std::size_t best_z = 0;
    for (std::size_t i = 0; i < indices.size(); ++i) {
      if (treated[i] != 0) continue;
      for (std::size_t z = 1; z <= shape_.treatments; ++z) {
        const Real index = indices[i][z - 1];
        if (!fill && !(index > 0.0L)) continue;
        if (best < indices.size() && !(index > indices[best][best_z - 1])) continue;
        best = i;
        best_z = z;
      }
    }
    if (best == indices.size()) break;
    treated[best] = static_cast<Treatment>(best_z);
  }
  return treated;
}

void TargetingReference::treat_at_random(std::vector<Treatment>& treated, std::size_t count,
                                         const Stream& stream, std::size_t first) const {
  const auto one_of = [&](std::size_t draw, std::size_t choices) {
    const double u = stream.uniform(static_cast<std::uint32_t>(decisions_), draw);
    const auto place = static_cast<std::size_t>(std::floor(u * static_cast<double>(choices)));
    return std::min(place, choices - 1);
  };
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < treated.size(); ++i) {
    if (treated[i] == 0) left.push_back(i);
  }
  for (std::size_t j = 0; j < count; ++j) {
    std::swap(left[j], left[j + one_of(first + 2 * j, left.size() - j)]);
    treated[left[j]] = static_cast<Treatment>(1 + one_of(first + 2 * j + 1, shape_.treatments));
  }
}

std::vector<Treatment> TargetingReference::choose(const Matrix& indices,
                                                  const Stream& stream) const {
  if (spec_.name() == "random") {
    std::vector<Treatment> treated(indices.size(), 0);
    treat_at_random(treated, shape_.budget, stream, 0);
    return treated;
  }
  if (!spec_.name().starts_with("eps_greedy")) return chosen(indices, shape_.budget);
  std::size_t exploring = 0;
  for (std::size_t j = 0; j < shape_.budget; ++j) {
    const double u = stream.uniform(static_cast<std::uint32_t>(decisions_), j);
    if (u < spec_.number("eps").value()) ++exploring;
  }
  std::vector<Treatment> treated = chosen(indices, shape_.budget - exploring);
  treat_at_random(treated, exploring, stream, shape_.budget);
  return treated;
}

void TargetingReference::observe(const Round& pool, std::span<const Treatment> treatments,
                                 std::span<const double> payoffs) {
  for (std::size_t i = 0; i < pool.size(); ++i) {
    rows_[treatments[i]].push_back({features(pool, i), payoffs[i], observations_});
  }
  ++observations_;
}

Real TargetingReference::fit_error(const Round& pool) const {
  const bool exact = spec_.word("model") == "logistic" && spec_.word("fit") != "online";
  if (!learns() || !exact) return 0.0L;
  Real longest = 0.0L;
  for (std::size_t i = 0; i < pool.size(); ++i) {
    const Vector x = features(pool, i);
    longest = std::max(longest, std::sqrt(dot(x, x)));
  }
  const Real models = learns_baseline() ? 2.0L : 1.0L;
  return models * 0.25L * longest * 1e-6L / lambda_;
}

}  // namespace updraft::testing

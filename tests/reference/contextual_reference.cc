#include "reference/contextual_reference.h"

#include <cmath>

namespace updraft::testing {
namespace {

Vector features(const Round& context, std::size_t variable) {
  Vector x;
  for (std::size_t k = 0; k < context.width; ++k) {
    x.push_back(context.features[variable * context.width + k]);
  }
  return x;
}

bool has(const VariableSet& set, VariableId variable) {
  for (const VariableId id : set.ids()) {
    if (id == variable) return true;
  }
  return false;
}

}  // namespace

ContextReference::ContextReference(const PolicySpec& spec, const ContextualShape& shape)
    : spec_(spec),
      shape_(shape),
      offers_(shape.actions, 0),
      pulls_(shape.actions, 0),
      rows_(shape.actions) {}

/// beta, or sqrt(lambda) B + sqrt(2 log(ellipsoids/delta) + d log(1 + n / (d lambda))): an
/// ellipsoid per action, and one for theta(0) where it is estimated; n variables so far, this
/// context's included.
Real ContextReference::beta(std::size_t variables) const {
  if (const auto given = spec_.number("beta")) return *given;
  const Real lambda = spec_.number("lambda").value_or(1.0);
  const Real d = static_cast<Real>(shape_.features);
  std::size_t seen_rows = variables;
  for (const Rows& rows : rows_) seen_rows += rows.size();
  const Real seen = static_cast<Real>(seen_rows);
  const bool estimates_baseline = spec_.name() == "lin_up_ucb" && !spec_.number("max_affected");
  return std::sqrt(lambda) * spec_.number("bound").value_or(1.0) +
         std::sqrt(2.0L * std::log(static_cast<Real>(shape_.actions + estimates_baseline) /
                                   static_cast<Real>(spec_.number("delta").value())) +
                   d * std::log(1.0L + seen / (d * lambda)));
}

ContextReference::Estimates ContextReference::estimates(const Rows& rows,
                                                        const Round& context) const {
  const Real lambda = spec_.number("lambda").value_or(1.0);
  const Matrix inverse_v = inverse(gram(rows, lambda, shape_.features));
  const Vector theta = ridge_fit(rows, lambda, shape_.features);
  Estimates all;
  for (std::size_t i = 0; i < context.size(); ++i) {
    const Vector x = features(context, i);
    const Real width = std::sqrt(dot(x, times(inverse_v, x)));
    all.push_back({dot(theta, x), beta(context.size()) * width, spanned(rows, x)});
  }
  return all;
}

ActionId ContextReference::stand_in() const {
  ActionId most = 0;
  for (ActionId a = 1; a < shape_.actions; ++a) {
    if (pulls_[a] > pulls_[most]) most = a;
  }
  return most;
}

void ContextReference::sum_given(const VariableSet& set, const Estimates& own,
                                 const Estimates& baseline, ActionEstimate& estimate) const {
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (!has(set, static_cast<VariableId>(i))) continue;
    estimate.index += estimate.individual[i];
    estimate.uplift += own[i].mean - baseline[i].mean;
    estimate.margin += own[i].margin + baseline[i].margin;
    estimate.determined = estimate.determined && own[i].determined && baseline[i].determined;
  }
}

void ContextReference::identify_and_pad(const Estimates& own, const Estimates& baseline,
                                        ActionEstimate& estimate) const {
  const auto l = static_cast<std::size_t>(spec_.number("max_affected").value());
  const std::size_t budget = knows_baseline() ? l : 2 * l;
  std::vector<bool> counted(own.size(), false);
  for (std::size_t i = 0; i < own.size(); ++i) {
    const bool above = own[i].mean - own[i].margin > baseline[i].mean + baseline[i].margin;
    const bool below = own[i].mean + own[i].margin < baseline[i].mean - baseline[i].margin;
    if (!above && !below) continue;
    counted[i] = true;
    estimate.identified.push_back(static_cast<VariableId>(i));
    estimate.index += estimate.individual[i];
    estimate.uplift += own[i].mean - baseline[i].mean;
    estimate.margin += own[i].margin + baseline[i].margin;
    estimate.determined = estimate.determined && own[i].determined && baseline[i].determined;
  }
  while (estimate.identified.size() + estimate.padding.size() < budget) {
    std::size_t best = own.size();
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (counted[i] || (!knows_baseline() && !(estimate.individual[i] > 0.0L))) continue;
      if (best == own.size() || estimate.individual[i] > estimate.individual[best]) best = i;
    }
    if (best == own.size()) break;
    counted[best] = true;
    estimate.padding.push_back(static_cast<VariableId>(best));
    estimate.index += estimate.individual[best];
  }
}

std::vector<ActionEstimate> ContextReference::action_estimates(const Round& context) const {
  const bool sets_given = !spec_.number("max_affected").has_value();
  const bool total = spec_.name() == "lin_ucb";
  Estimates baseline;
  if (total) {
    baseline.resize(context.size());
  } else if (knows_baseline()) {
    for (const double mean : context.baseline) baseline.push_back({mean, 0.0L, true});
  } else {
    baseline = estimates(sets_given ? unaffected_rows_ : rows_[stand_in()], context);
  }
  std::vector<ActionEstimate> all(shape_.actions);
  for (ActionId a = 0; a < shape_.actions; ++a) {
    if (pulls_[a] == 0) continue;
    ActionEstimate& estimate = all[a];
    estimate.feedback = true;
    const Estimates own = estimates(rows_[a], context);
    for (std::size_t i = 0; i < context.size(); ++i) {
      estimate.individual.push_back((own[i].mean + own[i].margin) -
                                    (baseline[i].mean + baseline[i].margin));
      estimate.magnitude +=
          std::abs(own[i].mean) + own[i].margin + std::abs(baseline[i].mean) + baseline[i].margin;
      estimate.reward += own[i].mean;
      estimate.reward_determined = estimate.reward_determined && own[i].determined;
    }
    if (total) {
      for (const Real upper : estimate.individual) estimate.index += upper;
    } else if (sets_given) {
      sum_given(context.affected[a], own, baseline, estimate);
    } else {
      identify_and_pad(own, baseline, estimate);
    }
  }
  return all;
}

ActionId ContextReference::choose(const std::vector<ActionEstimate>& estimates) const {
  std::size_t best = estimates.size();
  for (std::size_t a = 0; a < estimates.size(); ++a) {
    if (estimates[a].feedback) continue;
    if (best == estimates.size() || offers_[a] < offers_[best]) best = a;
  }
  if (best < estimates.size()) return static_cast<ActionId>(best);
  best = 0;
  for (std::size_t a = 1; a < estimates.size(); ++a) {
    if (estimates[a].index > estimates[best].index) best = a;
  }
  return static_cast<ActionId>(best);
}

void ContextReference::offer(ActionId action) { ++offers_[action]; }

void ContextReference::observe(const Round& context, ActionId action,
                               std::span<const double> payoffs) {
  const bool sets_given = !spec_.number("max_affected").has_value();
  for (std::size_t i = 0; i < context.size(); ++i) {
    const Row row{features(context, i), payoffs[i], 0};
    rows_[action].push_back(row);
    if (sets_given && spec_.name() == "lin_up_ucb" &&
        !has(context.affected[action], static_cast<VariableId>(i))) {
      unaffected_rows_.push_back(row);
    }
  }
  ++pulls_[action];
}

}  // namespace updraft::testing

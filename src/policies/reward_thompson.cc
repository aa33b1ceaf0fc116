#include "policies/reward_thompson.h"

#include <cmath>
#include <limits>

#include "policies/decision_draws.h"
#include "policies/estimates.h"

namespace updraft {

RewardThompson::RewardThompson(const PolicySpec& spec, const Knowledge& knowledge)
    : Policy(spec, knowledge, Resolution::total()),
      mean_(actions(), 0.0),
      sd_(actions(), 0.0),
      draws_(actions()) {}

Explanation RewardThompson::explain(Detail) const {
  Explanation explanation;
  explanation.interval_kind = IntervalKind::kPosterior;
  explanation.noise_known = noise_known();
  for (ActionId action = 0; action < actions(); ++action) {
    ActionExplanation about;
    about.pulls = pulls(action);
    about.index = mean_[action];
    about.radius = sd_[action];
    if (std::isfinite(about.index)) {
      about.reward = about.index;
      const double reach = noise_known() ? factor_95() * about.radius : about.radius;
      about.estimate = around(about.index, reach);
    }
    explanation.actions.push_back(about);
  }
  return explanation;
}

bool RewardThompson::leaves_out_waiting(AllowedActions allowed) const {
  if (all_have_feedback()) return false;
  bool others = false;
  allowed.for_each(actions(), [&](ActionId action) { others = others || !waiting(action); });
  return others;
}

ActionId RewardThompson::choose_among(AllowedActions allowed, const Stream& stream) {
  if (const auto action = forced(allowed)) return *action;
  const double factor = width_factor(stream);
  const double* normal = draws_.of(stream, decisions());
  const auto count = static_cast<ActionId>(actions());
  ActionId best = 0;
  const bool leave_out_waiting = leaves_out_waiting(allowed);
  const bool some_left_out = leave_out_waiting || !allowed.all();
  const auto left_out = [&](ActionId action) {
    return (leave_out_waiting && waiting(action)) || !allowed.contains(action);
  };
  while (some_left_out && left_out(best)) ++best;
  const double* mean = mean_.data();
  const double* sd = sd_.data();
  double best_draw = mean[best] + factor * sd[best] * normal[best * DecisionNormals::kBlock];
  for (ActionId action = best + 1; action < count; ++action) {
    const double draw =
        mean[action] + factor * sd[action] * normal[action * DecisionNormals::kBlock];
    if (draw > best_draw && !(some_left_out && left_out(action))) {
      best = action;
      best_draw = draw;
    }
  }
  return best;
}

std::vector<double> RewardThompson::probabilities_given(ActionId action, const Stream& stream,
                                                        AllowedActions allowed) {
  if (forced(allowed)) return Policy::probabilities_given(action, stream);
  const bool leave_out_waiting = leaves_out_waiting(allowed);
  const double factor = width_factor(stream);
  const double* normals = draws_.of(stream, decisions());
  Eigen::VectorXd mean(static_cast<Eigen::Index>(actions()));
  DecisionDraws draws;
  draws.own.resize(static_cast<Eigen::Index>(independent_draws(actions())), mean.size());
  draws.own.bottomRows(draws.own.rows() - 1) =
      other_normals(stream, decisions(), actions(), actions(), 0);
  for (ActionId a = 0; a < actions(); ++a) {
    draws.own(0, a) = normals[a * DecisionNormals::kBlock];
    draws.own.col(a) *= factor * sd_[a];
    mean[a] = mean_[a];
    if ((leave_out_waiting && waiting(a)) || !allowed.contains(a)) leave_out(a, mean, draws);
  }
  return shares_best(action, mean, draws);
}

}  // namespace updraft

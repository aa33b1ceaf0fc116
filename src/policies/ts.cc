#include <cmath>
#include <limits>

#include "policies/all_policies.h"
#include "policies/decision_draws.h"
#include "policies/decision_normals.h"
#include "policies/estimates.h"
#include "stats/student.h"
#include "updraft/error.h"
#include "updraft/state_io.h"

namespace updraft {
namespace {

/// Thompson sampling on the total reward with Gaussian prior and noise. [hsieh22, App. D.1]
///   noise variance s2 = m^2 * sigma2, prior N(mean0, variance0), S = sum of rewards, N pulls:
///   posterior mean = (mean0 s2 + variance0 S) / (s2 + N variance0)
///   posterior variance = variance0 s2 / (s2 + N variance0)
/// Takes the action with the largest draw from its posterior; there is no forced start.
/// Deviation: an action that was offered and has no feedback yet is left out as long as there
/// are others, so that selections without feedback offer every action once.
/// Cost: observe O(1); select O(K) with one normal draw per action.
class ThompsonSampling final : public Policy {
 public:
  ThompsonSampling(const PolicySpec& spec, const Knowledge& knowledge)
      : Policy(spec, knowledge, Resolution::total()),
        prior_(*knowledge.reward_prior()),
        reward_sum_(actions(), 0.0),
        mean_(actions(), 0.0),
        sd_(actions(), 0.0),
        draws_(actions()) {
    const auto m = static_cast<double>(variables());
    noise_variance_ = m * m * spec.number("sigma2").value();
    for (ActionId action = 0; action < actions(); ++action) update_posterior(action);
  }

  Explanation explain(Detail) const override {
    Explanation explanation;
    explanation.interval_kind = IntervalKind::kPosterior;
    for (ActionId action = 0; action < actions(); ++action) {
      ActionExplanation about;
      about.pulls = pulls(action);
      about.index = posterior_mean(action);
      about.radius = std::sqrt(posterior_variance(action));
      about.reward = about.index;
      about.estimate = around(about.index, kNormal95 * about.radius);
      explanation.actions.push_back(about);
    }
    return explanation;
  }

  double index(ActionId action) const override { return posterior_mean(action); }

 private:
  double precision_denominator(ActionId action) const {
    return noise_variance_ + static_cast<double>(pulls(action)) * prior_.variance;
  }
  double posterior_mean(ActionId action) const {
    return (prior_.mean * noise_variance_ + prior_.variance * reward_sum_[action]) /
           precision_denominator(action);
  }
  double posterior_variance(ActionId action) const {
    return prior_.variance * noise_variance_ / precision_denominator(action);
  }

  bool waiting(ActionId action) const { return pulls(action) == 0 && offers()[action] > 0; }

  bool all_waiting() const {
    for (ActionId action = 0; action < actions(); ++action) {
      if (!waiting(action)) return false;
    }
    return true;
  }

  bool leaves_out_waiting() const { return !all_have_feedback() && !all_waiting(); }

  ActionId choose(const Stream& stream) override {
    const bool leave_out_waiting = leaves_out_waiting();
    const double* normals = draws_.of(stream, decisions());
    const auto count = static_cast<ActionId>(actions());
    ActionId best = count;
    double best_draw = 0.0;
    for (ActionId action = 0; action < count; ++action) {
      if (leave_out_waiting && waiting(action)) continue;
      const double draw = mean_[action] + sd_[action] * normals[action * DecisionNormals::kBlock];
      if (best == count || draw > best_draw) {
        best = action;
        best_draw = draw;
      }
    }
    return best;
  }

  std::vector<double> probabilities_given(ActionId action, const Stream& stream) override {
    const bool leave_out_waiting = leaves_out_waiting();
    const double* normals = draws_.of(stream, decisions());
    Eigen::VectorXd mean(static_cast<Eigen::Index>(actions()));
    DecisionDraws draws;
    draws.own.resize(static_cast<Eigen::Index>(independent_draws(actions())), mean.size());
    draws.own.bottomRows(draws.own.rows() - 1) =
        other_normals(stream, decisions(), actions(), actions(), 0);
    for (ActionId a = 0; a < actions(); ++a) {
      draws.own(0, a) = normals[a * DecisionNormals::kBlock];
      draws.own.col(a) *= sd_[a];
      mean[a] =
          leave_out_waiting && waiting(a) ? -std::numeric_limits<double>::infinity() : mean_[a];
    }
    return shares_best(action, mean, draws);
  }

  /// Refreshes what follows from the action's pulls and rewards.
  void update_posterior(ActionId action) {
    mean_[action] = posterior_mean(action);
    sd_[action] = std::sqrt(posterior_variance(action));
  }

  void absorb(ActionId action, const Payoffs& payoffs) override {
    reward_sum_[action] += payoffs.reward();
    update_posterior(action);
  }

  void write_statistics(StateWriter& writer) const override { writer.f64s(reward_sum_); }
  void read_statistics(StateReader& reader) override {
    reader.f64s(reward_sum_, "policy state: reward sums");
    for (ActionId action = 0; action < actions(); ++action) update_posterior(action);
  }

  RewardPrior prior_;
  double noise_variance_ = 0.0;
  std::vector<double> reward_sum_;
  std::vector<double> mean_;  // of the posteriors
  std::vector<double> sd_;
  DecisionNormals draws_;
};

}  // namespace

std::unique_ptr<Policy> make_ts(const PolicySpec& spec, const Knowledge& knowledge) {
  if (!spec.number("sigma2")) {
    throw InvalidInput("ts.sigma2", "missing: give sigma2 (> 0); the noise variance is m^2 sigma2");
  }
  return std::make_unique<ThompsonSampling>(spec, knowledge);
}

}  // namespace updraft

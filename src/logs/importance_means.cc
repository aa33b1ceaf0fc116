#include "logs/importance_means.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace updraft {

ImportanceMeans::ImportanceMeans(std::vector<double> policy, const std::vector<double>& rewards)
    : policy_(std::move(policy)), rewards_(rewards), weight_of_(policy_.size(), 0.0) {}

bool ImportanceMeans::overlaps(const LoggedRound& round) const {
  if (round.distribution.empty()) {  // then only a sure action tells of others
    return *round.probability < 1.0 || policy_[round.action] == 1.0;
  }
  for (std::size_t a = 0; a < policy_.size(); ++a) {
    if (policy_[a] > 0.0 && !(round.distribution[a] > 0.0)) return false;
  }
  return true;
}

void ImportanceMeans::add(const LoggedRound& round, double reward) {
  overlap_known_ = overlap_known_ && !round.distribution.empty();
  if (!overlaps(round)) return;
  ++rounds_;
  const double w = weight(round);
  if (w > 0.0) ++taken_;
  weight_ += w;
  squares_ += w * w;
  weighted_reward_ += w * reward;
  weight_of_[round.action] += w;
}

double ImportanceMeans::mean_weight_error() const {
  const auto n = static_cast<double>(rounds_);
  const double mean = mean_weight();
  return std::sqrt(std::max(squares_ / n - mean * mean, 0.0) / n);
}

double ImportanceMeans::model() const {
  double sum = 0.0;
  for (std::size_t a = 0; a < policy_.size(); ++a) sum += policy_[a] * rewards_[a];
  return sum;
}

ImportanceMeans::Three ImportanceMeans::values() const {
  const auto n = static_cast<double>(rounds_);
  double modelled = 0.0;
  for (std::size_t a = 0; a < policy_.size(); ++a) modelled += weight_of_[a] * rewards_[a];
  return {.ips = weighted_reward_ / n,
          .snips = weighted_reward_ / weight_,
          .dr = model() + (weighted_reward_ - modelled) / n};
}

ImportanceMeans::Three ImportanceMeans::errors(const LoggedRound& round, double reward,
                                               const Three& values) const {
  if (!overlaps(round)) return {};
  const auto n = static_cast<double>(rounds_);
  const double w = weight(round);
  return {.ips = (w * reward - values.ips) / n,
          .snips = w * (reward - values.snips) / weight_,
          .dr = (model() + w * (reward - rewards_[round.action]) - values.dr) / n};
}

}  // namespace updraft

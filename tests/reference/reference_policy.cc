#include "reference/reference_policy.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

#include "reference/ucb_reference.h"

namespace updraft::testing {

ReferencePolicy::ReferencePolicy(std::size_t actions, std::size_t variables)
    : variables_(variables),
      pulls_(actions, 0),
      offers_(actions, 0),
      sums_(actions, std::vector<double>(variables, 0.0)) {}

ActionId ReferencePolicy::choose(const Stream& stream) const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::vector<double> index = indices(stream);
  ActionId best = allowed().front();
  for (const ActionId a : allowed()) {
    const bool both_first = index[a] == kInfinity && index[best] == kInfinity;
    if (index[a] > index[best] || (both_first && offers_[a] < offers_[best])) best = a;
  }
  return best;
}

std::vector<ActionId> ReferencePolicy::allowed() const {
  if (!allowed_.empty()) return allowed_;
  std::vector<ActionId> all(actions());
  std::iota(all.begin(), all.end(), ActionId{0});
  return all;
}

void ReferencePolicy::offer(ActionId action) {
  ++offers_[action];
  ++decisions_;
}

ActionId ReferencePolicy::select(const Stream& stream) {
  const ActionId action = choose(stream);
  offer(action);
  return action;
}

void ReferencePolicy::observe(ActionId action, std::span<const double> dense_payoffs) {
  ++pulls_[action];
  observed_actions_.push_back(action);
  for (VariableId i = 0; i < variables_; ++i) sums_[action][i] += dense_payoffs[i];
  after_observe(action, dense_payoffs);
}

double ReferencePolicy::sum(ActionId action, VariableId variable) const {
  return sums_[action][variable];
}

double ReferencePolicy::mean(ActionId action, VariableId variable) const {
  const double count = static_cast<double>(std::max<std::uint64_t>(1, pulls_[action]));
  return sums_[action][variable] / count;
}

double ReferencePolicy::mean_reward(ActionId action) const {
  const double count = static_cast<double>(std::max<std::uint64_t>(1, pulls_[action]));
  double reward = 0.0;
  for (VariableId i = 0; i < variables_; ++i) reward += sums_[action][i];
  return reward / count;
}

ActionId ReferencePolicy::most_pulled() const {
  ActionId most = 0;
  for (ActionId a = 1; a < actions(); ++a) {
    if (pulls_[a] > pulls_[most]) most = a;
  }
  return most;
}

std::optional<CountedSets> ReferencePolicy::counted_sets(ActionId) const { return std::nullopt; }

double ReferencePolicy::individual_index(ActionId, VariableId) const {
  throw std::logic_error("this policy has no individual indices");
}

std::optional<LearnedNoise> ReferencePolicy::learned_noise() const { return std::nullopt; }

std::vector<FoundChange> ReferencePolicy::changes() const { return {}; }

bool ReferencePolicy::active(ActionId) const { return true; }

std::unique_ptr<ReferencePolicy> make_reference(const PolicySpec& spec,
                                                const Knowledge& knowledge) {
  const std::string& name = spec.name();
  if (name == "ucb") return reference_ucb(spec, knowledge);
  if (name == "ts") return reference_ts(spec, knowledge);
  if (name == "up_ucb_bl") return reference_up_ucb_bl(spec, knowledge);
  if (name == "up_ucb") return reference_up_ucb(spec, knowledge);
  if (name == "up_ucb_obs") return reference_up_ucb_obs(spec, knowledge);
  if (name == "up_ucb_l_bl") return reference_up_ucb_l_bl(spec, knowledge);
  if (name == "up_ucb_l") return reference_up_ucb_l(spec, knowledge);
  if (name == "up_ucb_ilift_bl") return reference_up_ucb_ilift_bl(spec, knowledge);
  if (name == "up_ucb_ilift") return reference_up_ucb_ilift(spec, knowledge);
  if (name == "up_ucb_l_ilift_bl") return reference_up_ucb_l_ilift_bl(spec, knowledge);
  if (name == "up_ucb_pad_bl") return reference_up_ucb_pad_bl(spec, knowledge);
  if (name == "up_ucb_explore_bl") return reference_up_ucb_explore_bl(spec, knowledge);
  if (name == "up_ts") return reference_up_ts(spec, knowledge);
  if (name == "up_ts_bl") return reference_up_ts_bl(spec, knowledge);
  if (name == "up_ts_sparse") return reference_up_ts_sparse(spec, knowledge);
  if (name == "up_ts_sparse_bl") return reference_up_ts_sparse_bl(spec, knowledge);
  if (name == "up_ucb_cv") return reference_up_ucb_cv(spec, knowledge);
  if (name == "up_ucb_cv_bl") return reference_up_ucb_cv_bl(spec, knowledge);
  throw std::invalid_argument("no reference of the policy " + name);
}

}  // namespace updraft::testing

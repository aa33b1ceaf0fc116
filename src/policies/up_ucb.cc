#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "policies/all_policies.h"
#include "policies/exploration.h"
#include "policies/index_policy.h"
#include "stats/reciprocals.h"
#include "updraft/state_io.h"

namespace updraft {
namespace {

/// UpUCB: known affected sets, the baseline learnt from the rounds of the actions that do not
/// affect a variable. [hsieh22, Alg. 2]
///   index(a) = sum_{i in V(a)} (mean(a,i) + radius(a) - U0(i))
///   U0(i) = mean0(i) + radius0(i), or mean0(i) - radius0(i) with baseline_bound = lcb
///   U0(i) = 0 while no round has left i unaffected
/// All variables of an atom share their N0, so sums over atoms suffice.
/// Cost: observe O(atoms); select O(sum over a of the atoms of V(a)).
class UpUcb final : public IndexPolicy {
 public:
  UpUcb(const PolicySpec& spec, const Knowledge& knowledge)
      : IndexPolicy(spec, knowledge, Resolution::groups(knowledge.affected()->atoms()),
                    exploration_alpha(spec, knowledge, ErrorSplit::kAffectedVariables)),
        affected_sum_(actions(), 0.0),
        affected_bound_(actions(), 0.0),
        baseline_sum_(resolution().partition->groups(), 0.0),
        baseline_pulls_(baseline_sum_.size(), 0),
        baseline_bound_(baseline_sum_.size(), 0.0),
        unaffected_(actions()) {
    const double sign = spec.word_or_default("baseline_bound") == "lcb" ? -1.0 : 1.0;
    for (const std::size_t size : resolution().partition->sizes()) {
      radius_scale_.push_back(sign * static_cast<double>(size) * std::sqrt(2.0 * alpha()));
    }
    for (ActionId action = 0; action < actions(); ++action) {
      const auto affected = sets().atoms_of(action);
      affected_.emplace_back(affected.begin(), affected.end());
      affected_size_.push_back(static_cast<double>(sets().of(action).size()));
      for (GroupId atom = 0; atom < baseline_sum_.size(); ++atom) {
        if (!std::binary_search(affected.begin(), affected.end(), atom)) {
          unaffected_[action].push_back(atom);
        }
      }
    }
  }

 private:
  const AffectedSets& sets() const { return *knowledge().affected(); }

  /// Refreshes what follows from baseline_sum_ and baseline_pulls_ > 0.
  void update_baseline(GroupId atom) {
    const Reciprocals::Pair n0 = reciprocals()(baseline_pulls_[atom]);
    baseline_bound_[atom] = baseline_sum_[atom] * n0.inverse + radius_scale_[atom] * n0.root;
  }

  double affected_mean(ActionId action) const {
    return affected_sum_[action] * inverse_pulls(action);
  }

  double index_of(ActionId action) const override {
    double baseline = 0.0;
    for (const GroupId atom : affected_[action]) baseline += baseline_bound_[atom];
    return affected_bound_[action] - baseline;
  }

  double own_radii(ActionId action) const override { return affected_size_[action]; }

  /// That of radius0, for each atom by the decisions that leave it alone.
  double baseline_shrinkage(ActionId action, double) const override {
    const std::uint64_t all = std::accumulate(ahead().begin(), ahead().end(), std::uint64_t{0});
    double shrinkage = 0.0;
    for (const GroupId atom : affected_[action]) {
      if (!has_baseline(atom)) continue;
      std::uint64_t leave_alone = all;
      for (const ActionId other : sets().affecting(atom)) leave_alone -= ahead()[other];
      const std::uint64_t count = baseline_pulls_[atom];
      shrinkage += radius_scale_[atom] *
                   (reciprocals()(count).root - reciprocals()(count + leave_alone).root);
    }
    return shrinkage;
  }

  /// All are stale after every observation, since the baseline is shared.
  void refresh() override {
    for (ActionId action = 0; action < actions(); ++action) set_index(action, index_of(action));
  }

  /// Refreshes what follows from the action's own pulls and payoffs.
  void update_action(ActionId action) {
    affected_bound_[action] = affected_mean(action) + affected_size_[action] * radius(action);
  }

  bool has_baseline(GroupId atom) const { return baseline_pulls_[atom] > 0; }
  /// The sum over the atom of mean0, or 0 as long as there is none.
  double baseline_mean(GroupId atom) const {
    return has_baseline(atom) ? baseline_sum_[atom] * reciprocals()(baseline_pulls_[atom]).inverse
                              : 0.0;
  }
  double baseline_mean(const std::vector<GroupId>& atoms) const {
    double mean = 0.0;
    for (const GroupId atom : atoms) mean += baseline_mean(atom);
    return mean;
  }

  /// The uplift as far as the baseline is known; the rest cancels in differences of actions.
  double estimate(ActionId action) const {
    return affected_mean(action) - baseline_mean(affected_[action]);
  }

  std::optional<ActionId> reference() const override { return fixed_reference(); }

  /// The baseline matters only for what one of the two affects, and then the other's rounds tell
  /// it.
  RewardDifference difference(ActionId action, ActionId reference) const {
    if (action == reference) return {};
    const double estimated = estimate(action) - estimate(reference);
    double reach =
        affected_size_[action] * radius(action) + affected_size_[reference] * radius(reference);
    std::vector<GroupId> one_of_both;
    std::set_symmetric_difference(affected_[action].begin(), affected_[action].end(),
                                  affected_[reference].begin(), affected_[reference].end(),
                                  std::back_inserter(one_of_both));
    for (const GroupId atom : one_of_both) {
      reach += std::abs(radius_scale_[atom]) * reciprocals()(baseline_pulls_[atom]).root;
    }
    return {.estimate = estimated,
            .standard_error = std::nullopt,
            .interval = {estimated - reach, estimated + reach}};
  }

  void describe(ActionId action, ActionExplanation& explanation) const override {
    const std::vector<GroupId>& affected = affected_[action];
    explanation.reward = affected_mean(action) + baseline_mean(unaffected_[action]);
    if (std::all_of(affected.begin(), affected.end(),
                    [this](GroupId atom) { return has_baseline(atom); })) {
      explanation.uplift = estimate(action);
    }
    if (reference()) explanation.difference = difference(action, *reference());
  }

  /// The radii of the means over V(a), and those of their baselines.
  double uplift_reach(ActionId action, const ActionExplanation& about) const override {
    double reach = about.radius * affected_size_[action];
    for (const GroupId atom : affected_[action]) {
      reach += static_cast<double>(resolution().partition->sizes()[atom]) *
               radius_of(about, static_cast<double>(baseline_pulls_[atom]));
    }
    return reach;
  }

  void absorb(ActionId action, const Payoffs& payoffs) override {
    const double* values = payoffs.values().data();
    double affected = 0.0;
    for (const GroupId atom : affected_[action]) affected += values[atom];
    affected_sum_[action] += affected;
    update_action(action);
    for (const GroupId atom : unaffected_[action]) {
      baseline_sum_[atom] += values[atom];
      ++baseline_pulls_[atom];
      update_baseline(atom);
    }
    mark_all_stale();
  }

  void write_statistics(StateWriter& writer) const override {
    writer.f64s(affected_sum_);
    writer.f64s(baseline_sum_);
  }
  void read_statistics(StateReader& reader) override {
    reader.f64s(affected_sum_, "policy state: affected sums");
    reader.f64s(baseline_sum_, "policy state: baseline sums");
    for (GroupId atom = 0; atom < baseline_sum_.size(); ++atom) {
      baseline_pulls_[atom] = observations();
      for (const ActionId action : sets().affecting(atom)) baseline_pulls_[atom] -= pulls(action);
      if (baseline_pulls_[atom] > 0) update_baseline(atom);
    }
    for (ActionId action = 0; action < actions(); ++action) {
      if (pulls(action) > 0) update_action(action);
    }
    mark_all_stale();
  }

  std::vector<double> affected_sum_;              // of the payoffs in V(a) over the pulls of a
  std::vector<double> affected_bound_;            // sum over V(a) of mean(a,i) + radius(a)
  std::vector<double> baseline_sum_;              // per atom, over the rounds that left it alone
  std::vector<std::uint64_t> baseline_pulls_;     // per atom N0, the number of these rounds
  std::vector<double> baseline_bound_;            // sum over the atom of U0; 0 while N0 = 0
  std::vector<double> radius_scale_;              // per atom: times sqrt(1 / N0) is its radius
  std::vector<double> affected_size_;             // |V(a)|
  std::vector<std::vector<GroupId>> affected_;    // per action, the atoms of V(a)
  std::vector<std::vector<GroupId>> unaffected_;  // and the others
};

}  // namespace

std::unique_ptr<Policy> make_up_ucb(const PolicySpec& spec, const Knowledge& knowledge) {
  return std::make_unique<UpUcb>(spec, knowledge);
}

}  // namespace updraft

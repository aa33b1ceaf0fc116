#include "policies/all_policies.h"
#include "policies/exploration.h"
#include "policies/index_policy.h"
#include "stats/confidence.h"
#include "updraft/state.h"

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
        radius_sign_(spec.word("baseline_bound").value_or("ucb") == "lcb" ? -1.0 : 1.0),
        affected_sum_(actions(), 0.0),
        baseline_sum_(resolution().partition->groups(), 0.0),
        baseline_mean_(baseline_sum_.size(), 0.0),
        baseline_bound_(baseline_sum_.size(), 0.0),
        affects_(actions(), std::vector<bool>(baseline_sum_.size(), false)) {
    for (ActionId action = 0; action < actions(); ++action) {
      for (const GroupId atom : sets().atoms_of(action)) affects_[action][atom] = true;
    }
  }

 private:
  const AffectedSets& sets() const { return *knowledge().affected(); }

  /// N0: the rounds whose action left the atom alone.
  std::uint64_t baseline_pulls(GroupId atom) const {
    std::uint64_t count = observations();
    for (const ActionId action : sets().affecting(atom)) count -= pulls(action);
    return count;
  }

  /// Refreshes what follows from baseline_sum_.
  void update_baseline(GroupId atom) {
    const std::uint64_t count = baseline_pulls(atom);
    if (count == 0) return;
    const auto size = static_cast<double>(resolution().partition->sizes()[atom]);
    baseline_mean_[atom] = baseline_sum_[atom] / static_cast<double>(count);
    baseline_bound_[atom] =
        baseline_mean_[atom] + radius_sign_ * size * confidence_radius(alpha(), count);
  }

  double affected_mean(ActionId action) const {
    return affected_sum_[action] / static_cast<double>(pulls(action));
  }

  double index_of(ActionId action) const override {
    const auto affected = static_cast<double>(sets().of(action).size());
    double baseline = 0.0;
    for (const GroupId atom : sets().atoms_of(action)) baseline += baseline_bound_[atom];
    return affected_mean(action) + affected * radius(action) - baseline;
  }

  void describe(ActionId action, ActionExplanation& explanation) const override {
    double baseline = 0.0;
    for (const GroupId atom : sets().atoms_of(action)) baseline += baseline_mean_[atom];
    explanation.uplift = affected_mean(action) - baseline;
  }

  void absorb(ActionId action, const Payoffs& payoffs) override {
    double affected = 0.0;
    for (GroupId atom = 0; atom < baseline_sum_.size(); ++atom) {
      const double payoff = payoffs.values()[atom];
      if (affects_[action][atom]) {
        affected += payoff;
      } else {
        baseline_sum_[atom] += payoff;
        update_baseline(atom);
      }
    }
    affected_sum_[action] += affected;
    mark_all_stale();
  }

  void write_statistics(StateWriter& writer) const override {
    writer.f64s(affected_sum_);
    writer.f64s(baseline_sum_);
  }
  void read_statistics(StateReader& reader) override {
    reader.f64s(affected_sum_, "policy state: affected sums");
    reader.f64s(baseline_sum_, "policy state: baseline sums");
    for (GroupId atom = 0; atom < baseline_sum_.size(); ++atom) update_baseline(atom);
    mark_all_stale();
  }

  double radius_sign_;
  std::vector<double> affected_sum_;    // of the payoffs in V(a) over the pulls of a
  std::vector<double> baseline_sum_;    // per atom, over the rounds that left it alone
  std::vector<double> baseline_mean_;   // sum over the atom of mean0; 0 while N0 = 0
  std::vector<double> baseline_bound_;  // sum over the atom of U0; 0 while N0 = 0
  std::vector<std::vector<bool>> affects_;
};

}  // namespace

std::unique_ptr<Policy> make_up_ucb(const PolicySpec& spec, const Knowledge& knowledge) {
  return std::make_unique<UpUcb>(spec, knowledge);
}

}  // namespace updraft

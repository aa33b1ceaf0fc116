#include "policies/all_policies.h"
#include "policies/exploration.h"
#include "policies/variable_sums_policy.h"
#include "updraft/error.h"

namespace updraft {
namespace {

/// UpUCB-iLift(bl): known baseline and Delta, unknown affected sets. [hsieh22, Alg. 5]
///   n0 = ceil(8 / Delta^2 * alpha)
///   counted(a) = all variables until a pull of a, after the first K rounds, brings its pulls to
///   n0; from then on the identified {i : |mean(a,i) - baseline(i)| > Delta / 2}
///   index(a) = sum over counted(a) of (mean(a,i) + radius(a) - baseline(i))
/// Cost: observe O(payoffs given); select O(m) for each action observed since the last, O(K) else.
class UpUcbILiftKnownBaseline final : public VariableSumsPolicy {
 public:
  UpUcbILiftKnownBaseline(const PolicySpec& spec, const Knowledge& knowledge)
      : VariableSumsPolicy(spec, knowledge),
        enough_pulls_(identification_pulls(8.0, *knowledge.min_uplift(), alpha())),
        thresholded_(actions(), 0) {}

 private:
  ThresholdInputs counted(ActionId action) const {
    return farther_than(thresholded_[action] ? 0.5 * *knowledge().min_uplift() : kEveryVariable,
                        action);
  }

  double index_of(ActionId action) const override {
    return thresholded_index(counted(action), action);
  }

  double own_radii(ActionId action) const override { return counted_above(counted(action)); }

  void describe(ActionId action, ActionExplanation& explanation) const override {
    describe_thresholded(counted(action), explanation);
    if (!thresholded_[action]) std::swap(explanation.identified, explanation.padding);
  }

  void absorb(ActionId action, const Payoffs& payoffs) override {
    VariableSumsPolicy::absorb(action, payoffs);
    if (observations() > actions() && pulls(action) >= enough_pulls_) thresholded_[action] = 1;
  }

  void write_statistics(StateWriter& writer) const override {
    writer.u64s(thresholded_);
    VariableSumsPolicy::write_statistics(writer);
  }
  void read_statistics(StateReader& reader) override {
    reader.u64s(thresholded_, "policy state: thresholded");
    for (const std::uint64_t flag : thresholded_) {
      if (flag > 1) throw InvalidInput("policy state: thresholded", "must be 0 or 1 per action");
    }
    VariableSumsPolicy::read_statistics(reader);
  }

  std::uint64_t enough_pulls_;
  std::vector<std::uint64_t> thresholded_;  // 1 once the threshold tells which variables count
};

}  // namespace

std::unique_ptr<Policy> make_up_ucb_ilift_bl(const PolicySpec& spec, const Knowledge& knowledge) {
  return std::make_unique<UpUcbILiftKnownBaseline>(spec, knowledge);
}

}  // namespace updraft

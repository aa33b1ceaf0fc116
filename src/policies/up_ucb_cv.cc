#include <algorithm>
#include <cmath>

#include "policies/all_policies.h"
#include "policies/noise_learning_policy.h"

namespace updraft {
namespace {

/// The upper bound that goes with up_ts, for those who want no randomness: t observations,
///   index(a) = estimate(a) + sqrt(2 log t) standard error(a)
/// The baseline is known (up_ucb_cv_bl) or learnt (up_ucb_cv).
/// Cost: select O(K) with a known baseline, else G^3 / 6 + K G^2 / 2 once per observation.
class UpUcbCv final : public NoiseLearningPolicy {
 public:
  UpUcbCv(const PolicySpec& spec, const Knowledge& told) : NoiseLearningPolicy(spec, told) {}

 private:
  std::optional<double> bonus() const override {
    return std::sqrt(2.0 * std::log(static_cast<double>(observations())));
  }

  ActionId choose(const Stream&) override {
    if (!all_have_feedback()) return untried();
    const Eigen::VectorXd index = estimates() + *bonus() * standard_errors();
    return static_cast<ActionId>(std::max_element(index.begin(), index.end()) - index.begin());
  }
};

}  // namespace

std::unique_ptr<Policy> make_up_ucb_cv(const PolicySpec& spec, const Knowledge& knowledge) {
  return std::make_unique<UpUcbCv>(spec, knowledge);
}

}  // namespace updraft

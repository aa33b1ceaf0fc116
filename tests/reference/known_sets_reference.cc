// The policies that are told V(a): up_ucb_bl, up_ucb and up_ucb_obs.

#include <cmath>

#include "reference/reference_parameters.h"
#include "reference/ucb_reference.h"

namespace updraft::testing {

namespace {

/// [hsieh22, Alg. UpUCB(bl)], line 5:
///   index(a) = sum_{i in V(a)} (mean(a,i) + radius(a) - baseline(i))
class UpUcbBl final : public UcbReference {
 public:
  UpUcbBl(const PolicySpec& spec, const Knowledge& knowledge)
      : UcbReference(spec, knowledge),
        affected_(given_affected(knowledge)),
        baseline_(given_baseline(knowledge)) {}

 protected:
  double index(ActionId a) const override {
    double total = 0.0;
    for (VariableId i = 0; i < variables(); ++i) {
      if (affected_.of(a).contains(i)) total += mean(a, i) + radius(a) - baseline_[i];
    }
    return total;
  }

 private:
  AffectedSets affected_;
  std::vector<double> baseline_;
};

/// [hsieh22, Alg. UpUCB], line 5, with the baseline from the rounds that leave i alone:
///   N(0,i)    = observations of the actions b with i not in V(b); mean(0,i) over these
///   U(0,i)    = mean(0,i) + sqrt(2 alpha / N(0,i)), and 0 where N(0,i) = 0 (which holds for a
///               variable that every action affects)
///   index(a)  = sum_{i in V(a)} (U(a,i) - U(0,i))
/// With baseline_bound = lcb, mean(0,i) - sqrt(2 alpha / N(0,i)) is subtracted instead
/// (UpUCB-bLCB of the experiments).
class UpUcb final : public UcbReference {
 public:
  UpUcb(const PolicySpec& spec, const Knowledge& knowledge)
      : UcbReference(spec, knowledge),
        affected_(given_affected(knowledge)),
        subtract_lower_(spec.word("baseline_bound").value_or("ucb") == "lcb") {}

 protected:
  double index(ActionId a) const override {
    double total = 0.0;
    for (VariableId i = 0; i < variables(); ++i) {
      if (affected_.of(a).contains(i)) total += upper(a, i) - baseline_bound(i);
    }
    return total;
  }

 private:
  double baseline_bound(VariableId i) const {
    double count = 0.0;
    double payoffs = 0.0;
    double more = 0.0;
    for (ActionId b = 0; b < actions(); ++b) {
      if (affected_.of(b).contains(i)) continue;
      count += static_cast<double>(pulls(b));
      payoffs += sum(b, i);
      more += ahead(b);
    }
    if (count == 0.0) return 0.0;
    const double baseline_mean = payoffs / count;
    const double baseline_radius = std::sqrt(2.0 * alpha() / (count + more));
    return subtract_lower_ ? baseline_mean - baseline_radius : baseline_mean + baseline_radius;
  }

  AffectedSets affected_;
  bool subtract_lower_;
};

/// [hsieh22, 'Estimating Baseline Payoffs from Observational Data'] with a table of n(i)
/// observations of mean b(i) per variable:
///   index(a) = sum_{i in V(a)} (U(a,i) - (b(i) - sqrt(2 alpha / n(i))))
class UpUcbObs final : public UcbReference {
 public:
  UpUcbObs(const PolicySpec& spec, const Knowledge& knowledge)
      : UcbReference(spec, knowledge),
        affected_(given_affected(knowledge)),
        observations_(given_observations(knowledge)) {}

 protected:
  double index(ActionId a) const override {
    double total = 0.0;
    for (VariableId i = 0; i < variables(); ++i) {
      if (!affected_.of(a).contains(i)) continue;
      const double baseline_radius = std::sqrt(2.0 * alpha() / observations_.counts[i]);
      total += upper(a, i) - (observations_.means[i] - baseline_radius);
    }
    return total;
  }

 private:
  AffectedSets affected_;
  BaselineObservations observations_;
};

}  // namespace

ReferencePointer reference_up_ucb_bl(const PolicySpec& spec, const Knowledge& knowledge) {
  return std::make_unique<UpUcbBl>(spec, knowledge);
}

ReferencePointer reference_up_ucb(const PolicySpec& spec, const Knowledge& knowledge) {
  return std::make_unique<UpUcb>(spec, knowledge);
}

ReferencePointer reference_up_ucb_obs(const PolicySpec& spec, const Knowledge& knowledge) {
  return std::make_unique<UpUcbObs>(spec, knowledge);
}

}  // namespace updraft::testing

// The policies that are told L(a), a bound on |V(a)|, which may be one L for all actions:
// up_ucb_l_bl, up_ucb_l, up_ucb_l_ilift_bl and up_ucb_pad_bl.

#include <cmath>

#include "reference/reference_parameters.h"
#include "reference/ucb_reference.h"

namespace updraft::testing {

namespace {

/// a - b, and 0 where that is negative.
std::size_t less(std::size_t a, std::size_t b) { return a > b ? a - b : 0; }

/// [hsieh22, Alg. UpUCB-L(bl)], lines 5-9, and Appendix A.3, "L is replaced by" L(a):
///   identified(a)   = { i : baseline(i) outside [mean(a,i) - radius(a), mean(a,i) + radius(a)] }
///   padding(a)      = the max(0, L(a) - |identified(a)|) others of largest individual index
///   index(a)        = sum of individual(a,i) over both
class UpUcbLBl : public KnownBaselineReference {
 public:
  UpUcbLBl(const PolicySpec& spec, const Knowledge& knowledge)
      : KnownBaselineReference(spec, knowledge),
        max_affected_(given_max_affected(spec, knowledge)) {}

 protected:
  CountedSets sets(ActionId a) const override {
    CountedSets result;
    std::vector<VariableId> rest;
    const double c = radius(a);
    for (VariableId i = 0; i < variables(); ++i) {
      const bool outside = baseline(i) < mean(a, i) - c || baseline(i) > mean(a, i) + c;
      (outside ? result.identified : rest).push_back(i);
    }
    result.padding = largest(a, rest, less(max_affected_[a], result.identified.size()));
    return result;
  }

 private:
  std::vector<std::size_t> max_affected_;  // L(a)
};

/// [hsieh22, Section 6.1, after the theorem: "An alternative to constructing a UCB on" the uplift
/// "is to choose the L variables with the highest individual uplifting indices"]
///   index(a)        = sum of the L(a) largest of them, all of which are given as padding
class UpUcbPadBl final : public KnownBaselineReference {
 public:
  UpUcbPadBl(const PolicySpec& spec, const Knowledge& knowledge)
      : KnownBaselineReference(spec, knowledge),
        max_affected_(given_max_affected(spec, knowledge)) {}

 protected:
  CountedSets sets(ActionId a) const override {
    std::vector<VariableId> all;
    for (VariableId i = 0; i < variables(); ++i) all.push_back(i);
    CountedSets result;
    result.padding = largest(a, all, max_affected_[a]);
    return result;
  }

 private:
  std::vector<std::size_t> max_affected_;  // L(a)
};

/// [hsieh22, remark after the theorem of UpUCB-iLift(bl): Algs. UpUCB-L(bl) and UpUCB-iLift(bl)
/// combined]
///   N(a) < n0 = ceil(8 / Delta^2 alpha): as UpUCB-L(bl)
///   from then on: identified(a) = { i : |mean(a,i) - baseline(i)| > Delta / 2 }, no padding
class UpUcbLIliftBl final : public UpUcbLBl {
 public:
  UpUcbLIliftBl(const PolicySpec& spec, const Knowledge& knowledge)
      : UpUcbLBl(spec, knowledge),
        min_uplift_(given_min_uplift(spec, knowledge)),
        enough_pulls_(std::ceil(8.0 / (min_uplift_ * min_uplift_) * alpha())) {}

 protected:
  CountedSets sets(ActionId a) const override {
    if (static_cast<double>(pulls(a)) < enough_pulls_) return UpUcbLBl::sets(a);
    CountedSets result;
    for (VariableId i = 0; i < variables(); ++i) {
      if (std::abs(mean(a, i) - baseline(i)) > min_uplift_ / 2.0) result.identified.push_back(i);
    }
    return result;
  }

 private:
  double min_uplift_;
  double enough_pulls_;  // n0
};

/// [hsieh22, Alg. UpUCB-L], lines 4-10, with b the most pulled action (lowest id among equals). The
/// 2L there bounds |V(a) or V(b)|, so it is L(a) + L(b) where each action has its own bound:
///   individual(a,i) = U(a,i) - U(b,i)
///   identified(a)   = { i : the intervals of (a,i) and (b,i) are disjoint }
///   padding(a)      = of the others, the at most max(0, L(a) + L(b) - |identified(a)|) that give
///                     the largest sum of individual indices: the largest of the positive ones
///   index(a)        = sum of individual(a,i) over both
class UpUcbL final : public UnknownSetsReference {
 public:
  UpUcbL(const PolicySpec& spec, const Knowledge& knowledge)
      : UnknownSetsReference(spec, knowledge), max_affected_(given_max_affected(spec, knowledge)) {}

  double individual_index(ActionId a, VariableId i) const override {
    return upper(a, i) - upper(b_, i);
  }

 protected:
  CountedSets sets(ActionId a) const override {
    const double c = radius(a);
    const double c_b = radius(b_);
    CountedSets result;
    std::vector<VariableId> positive_rest;
    for (VariableId i = 0; i < variables(); ++i) {
      const double mean_a = mean(a, i);
      const double mean_b = mean(b_, i);
      if (mean_a + c < mean_b - c_b || mean_b + c_b < mean_a - c) {
        result.identified.push_back(i);
      } else if ((mean_a + c) - (mean_b + c_b) > 0.0) {
        positive_rest.push_back(i);
      }
    }
    result.padding = largest(a, positive_rest,
                             less(max_affected_[a] + max_affected_[b_], result.identified.size()));
    return result;
  }

  void after_observe(ActionId, std::span<const double>) override { b_ = most_pulled(); }

 private:
  std::vector<std::size_t> max_affected_;  // L(a)
  ActionId b_ = 0;
};

}  // namespace

ReferencePointer reference_up_ucb_l_bl(const PolicySpec& spec, const Knowledge& knowledge) {
  return std::make_unique<UpUcbLBl>(spec, knowledge);
}

ReferencePointer reference_up_ucb_l(const PolicySpec& spec, const Knowledge& knowledge) {
  return std::make_unique<UpUcbL>(spec, knowledge);
}

ReferencePointer reference_up_ucb_pad_bl(const PolicySpec& spec, const Knowledge& knowledge) {
  return std::make_unique<UpUcbPadBl>(spec, knowledge);
}

ReferencePointer reference_up_ucb_l_ilift_bl(const PolicySpec& spec, const Knowledge& knowledge) {
  return std::make_unique<UpUcbLIliftBl>(spec, knowledge);
}

}  // namespace updraft::testing

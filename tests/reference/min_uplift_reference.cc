// The policies that are told a Delta and not L: up_ucb_ilift_bl and up_ucb_explore_bl, a lower
// bound on individual uplifts, and up_ucb_ilift, one on how far apart the effects of two actions
// are.

#include <cmath>
#include <limits>

#include "reference/reference_parameters.h"
#include "reference/ucb_reference.h"

namespace updraft::testing {

namespace {

/// [hsieh22, Alg. UpUCB-iLift(bl)], n0 = ceil(8 / Delta^2 alpha):
///   counted(a) = all variables, until an observation of a that is not among the first K brings
///                N(a) >= n0 (lines 7-9); from then on { i : |mean(a,i) - baseline(i)| > Delta/2 }
///   index(a)   = sum_{i in counted(a)} (U(a,i) - baseline(i))
/// All variables are given as padding: none of them is known to be affected.
class UpUcbIliftBl final : public KnownBaselineReference {
 public:
  UpUcbIliftBl(const PolicySpec& spec, const Knowledge& knowledge)
      : KnownBaselineReference(spec, knowledge),
        min_uplift_(given_min_uplift(spec, knowledge)),
        enough_pulls_(std::ceil(8.0 / (min_uplift_ * min_uplift_) * alpha())) {}

 protected:
  CountedSets sets(ActionId a) const override {
    const bool all = !thresholded(a);
    CountedSets result;
    for (VariableId i = 0; i < variables(); ++i) {
      if (all) {
        result.padding.push_back(i);
      } else if (std::abs(mean(a, i) - baseline(i)) > min_uplift_ / 2.0) {
        result.identified.push_back(i);
      }
    }
    return result;
  }

 private:
  bool thresholded(ActionId a) const {
    double pulls_so_far = 0.0;
    for (std::size_t t = 0; t < observed_actions().size(); ++t) {
      if (observed_actions()[t] != a) continue;
      pulls_so_far += 1.0;
      if (t >= actions() && pulls_so_far >= enough_pulls_) return true;
    }
    return false;
  }

  double min_uplift_;
  double enough_pulls_;  // n0
};

/// [hsieh22, Section 6.2, before the theorem of UpUCB-iLift(bl): "One natural algorithm is to thus
/// first pull each arm n0 times and run UpUCB(bl) in the remaining rounds by regarding" what these
/// pulls identified "as the variables that action affects"], n0 = ceil(8 / Delta^2 alpha):
///   identified(a) = { i : |mean(a,i) - baseline(i)| > Delta/2 } with the means at N(a) = n0
///   index(a)      = sum_{i in identified(a)} (U(a,i) - baseline(i)); +infinity while N(a) < n0
class UpUcbExploreBl final : public KnownBaselineReference {
 public:
  UpUcbExploreBl(const PolicySpec& spec, const Knowledge& knowledge)
      : KnownBaselineReference(spec, knowledge),
        min_uplift_(given_min_uplift(spec, knowledge)),
        enough_pulls_(std::ceil(8.0 / (min_uplift_ * min_uplift_) * alpha())),
        identified_(knowledge.actions()) {}

  std::optional<CountedSets> counted_sets(ActionId a) const override {
    if (explores(a)) return std::nullopt;
    return sets(a);
  }

 protected:
  CountedSets sets(ActionId a) const override {
    CountedSets result;
    result.identified = identified_[a];
    return result;
  }

  double index(ActionId a) const override {
    if (explores(a)) return std::numeric_limits<double>::infinity();
    return UnknownSetsReference::index(a);
  }

  void after_observe(ActionId a, std::span<const double>) override {
    if (static_cast<double>(pulls(a)) != enough_pulls_) return;
    for (VariableId i = 0; i < variables(); ++i) {
      if (std::abs(mean(a, i) - baseline(i)) > min_uplift_ / 2.0) identified_[a].push_back(i);
    }
  }

 private:
  bool explores(ActionId a) const { return static_cast<double>(pulls(a)) < enough_pulls_; }

  double min_uplift_;
  double enough_pulls_;                              // n0
  std::vector<std::vector<VariableId>> identified_;  // per action
};

/// [hsieh22, Alg. UpUCB-iLift], n0 = ceil(32 / Delta^2 alpha).
/// Phase I, elimination rounds s = 1..n0: every active action is taken once; the round is complete
/// when every active action has N(a) >= s; then those with
///   mean reward(a) + 2 m sqrt(2 alpha / s) < max over active b of mean reward(b)
/// are dropped. To be taken next is the active action offered least often, lowest id among equals.
/// If only eliminated actions are allowed, in either phase, the one with the largest mean reward.
/// Phase II, from the completion of round n0 on, with intervals as they are at that moment:
///   base(i)  = { a : the interval of (a,i) meets that of (b,i) for some b other than a }, with a
///              and b among the active actions: the proof has base(i) hold no action that affects i
///              since radii are at most Delta / 4, which only active actions are pulled enough for
///   U(0,i)   = U(b,i) of the most pulled b in base(i), lowest id among equals; 0 where it is empty
///   index(a) = sum over the i with a not in base(i) of (U(a,i) - U(0,i)), for active a
/// With baseline_estimate = aggregated [Remark 2: "only aggregate observations from the second
/// phase, while the use of the observations from the first phase should be limited to those coming
/// from just one arm"]:
///   U(0,i)   = mean + sqrt(2 alpha / n) of the n payoffs of i that came in phase II from actions
///   in
///              base(i), and in phase I from the one of them that was pulled most then
class UpUcbIlift final : public UnknownSetsReference {
 public:
  UpUcbIlift(const PolicySpec& spec, const Knowledge& knowledge)
      : UnknownSetsReference(spec, knowledge), active_(knowledge.actions(), true) {
    const double effect_gap = given_effect_gap(spec, knowledge);
    rounds_ = std::ceil(32.0 / (effect_gap * effect_gap) * alpha());
    aggregated_ = spec.word("baseline_estimate") == "aggregated";
  }

  std::vector<double> indices(const Stream& stream) const override {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    std::vector<double> result(actions(), -kInfinity);
    if (!next_active()) {
      for (const ActionId a : allowed()) result[a] = mean_reward(a);
    } else if (phase_two_) {
      const std::vector<double> all = UcbReference::indices(stream);
      for (ActionId a = 0; a < actions(); ++a) {
        if (active_[a]) result[a] = all[a];
      }
    } else {
      result[*next_active()] = kInfinity;
    }
    return result;
  }

  std::optional<double> explained_index(ActionId a) const override {
    if (!phase_two_ || !active_[a]) return std::nullopt;
    return index(a);
  }

  std::optional<CountedSets> counted_sets(ActionId a) const override {
    if (!phase_two_ || !active_[a]) return std::nullopt;
    return sets(a);
  }

  double individual_index(ActionId a, VariableId i) const override {
    return upper(a, i) - baseline_upper(i);
  }

  bool active(ActionId a) const override { return active_[a]; }

 protected:
  CountedSets sets(ActionId a) const override {
    CountedSets result;
    for (VariableId i = 0; i < variables(); ++i) {
      if (!base_[i][a]) result.identified.push_back(i);
    }
    return result;
  }

  void after_observe(ActionId a, std::span<const double> payoffs) override {
    rounds_seen_.push_back({a, std::vector<double>(payoffs.begin(), payoffs.end())});
    while (!phase_two_ && round_is_complete()) {
      eliminate();
      if (round_ >= rounds_) {
        start_phase_two();
      } else {
        round_ += 1.0;
      }
    }
  }

 private:
  /// The active one, of those allowed, that comes next in phase I.
  std::optional<ActionId> next_active() const {
    std::optional<ActionId> next;
    for (const ActionId a : allowed()) {
      if (active_[a] && (!next || offers(a) < offers(*next))) next = a;
    }
    return next;
  }

  bool round_is_complete() const {
    for (ActionId a = 0; a < actions(); ++a) {
      if (active_[a] && static_cast<double>(pulls(a)) < round_) return false;
    }
    return true;
  }

  void eliminate() {
    double best = -std::numeric_limits<double>::infinity();
    for (ActionId a = 0; a < actions(); ++a) {
      if (active_[a] && mean_reward(a) > best) best = mean_reward(a);
    }
    const double reward_radius =
        static_cast<double>(variables()) * std::sqrt(2.0 * alpha() / round_);
    for (ActionId a = 0; a < actions(); ++a) {
      if (active_[a] && mean_reward(a) + 2.0 * reward_radius < best) active_[a] = false;
    }
  }

  void start_phase_two() {
    phase_two_ = true;
    first_of_phase_two_ = rounds_seen_.size();
    base_.assign(variables(), std::vector<bool>(actions(), false));
    for (VariableId i = 0; i < variables(); ++i) {
      for (ActionId a = 0; a < actions(); ++a) {
        for (ActionId b = 0; b < actions(); ++b) {
          if (b == a || !active_[a] || !active_[b]) continue;
          const bool disjoint = upper(a, i) < lower(b, i) || upper(b, i) < lower(a, i);
          if (!disjoint) base_[i][a] = true;
        }
      }
      one_of_phase_one_.push_back(most_pulled_of(i));
    }
  }

  /// Of base(i), the action that is pulled most now.
  std::optional<ActionId> most_pulled_of(VariableId i) const {
    std::optional<ActionId> most;
    for (ActionId a = 0; a < actions(); ++a) {
      if (base_[i][a] && (!most || pulls(a) > pulls(*most))) most = a;
    }
    return most;
  }

  double baseline_upper(VariableId i) const {
    if (!aggregated_) {
      const std::optional<ActionId> most = most_pulled_of(i);
      return most ? upper(*most, i) : 0.0;
    }
    const std::optional<ActionId> one = one_of_phase_one_[i];
    if (!one) return 0.0;
    double n = 0.0;
    double sum = 0.0;
    for (std::size_t t = 0; t < rounds_seen_.size(); ++t) {
      const ActionId a = rounds_seen_[t].action;
      if (t < first_of_phase_two_ ? a != *one : !base_[i][a]) continue;
      n += 1.0;
      sum += rounds_seen_[t].payoffs[i];
    }
    double more = 0.0;
    for (ActionId a = 0; a < actions(); ++a) more += base_[i][a] ? ahead(a) : 0.0;
    return sum / n + std::sqrt(2.0 * alpha() / (n + more));
  }

  struct Round {
    ActionId action;
    std::vector<double> payoffs;
  };

  double rounds_ = 0.0;  // n0
  double round_ = 1.0;   // s
  bool phase_two_ = false;
  std::vector<bool> active_;
  bool aggregated_ = false;
  std::vector<std::vector<bool>> base_;  // [variable][action]
  std::vector<Round> rounds_seen_;
  std::size_t first_of_phase_two_ = 0;                     // of rounds_seen_
  std::vector<std::optional<ActionId>> one_of_phase_one_;  // per variable, of base(i)
};

}  // namespace

ReferencePointer reference_up_ucb_ilift_bl(const PolicySpec& spec, const Knowledge& knowledge) {
  return std::make_unique<UpUcbIliftBl>(spec, knowledge);
}

ReferencePointer reference_up_ucb_explore_bl(const PolicySpec& spec, const Knowledge& knowledge) {
  return std::make_unique<UpUcbExploreBl>(spec, knowledge);
}

ReferencePointer reference_up_ucb_ilift(const PolicySpec& spec, const Knowledge& knowledge) {
  return std::make_unique<UpUcbIlift>(spec, knowledge);
}

}  // namespace updraft::testing

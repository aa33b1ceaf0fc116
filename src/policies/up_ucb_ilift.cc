#include <algorithm>
#include <cmath>
#include <limits>

#include "policies/all_policies.h"
#include "policies/exploration.h"
#include "policies/variable_sums_policy.h"
#include "stats/baseline_sets.h"
#include "stats/confidence.h"
#include "updraft/error.h"
#include "updraft/state_io.h"

namespace updraft {
namespace {

bool aggregates(const PolicySpec& spec) {
  return spec.word_or_default("baseline_estimate") == "aggregated";
}

/// UpUCB-iLift: known effect gap Delta, unknown baseline and affected sets. Delta bounds from below
/// how far apart the effects of two actions are on a variable that one of them affects.
/// [hsieh22, Alg. 6, Assumption 1]
/// Phase I, successive elimination: rounds of taking every active action once, in order of id;
///   after round r those with mean reward + 2 m sqrt(2 alpha / r) below the best are dropped;
///   n0 = ceil(32 / Delta^2 * alpha) rounds.
/// Phase II: baseline set of i = the active actions whose interval meets that of another active
///   action, as the intervals stood at the end of phase I; identified(a) = {i : a not in it};
///   U0(i) = upper bound of the most pulled action of the set (0 where it is empty);
///   index(a) = sum over identified(a) of (mean(a,i) + radius(a) - U0(i)), active actions only.
/// Deviation: the paper's sets range over all actions. Its proof needs radii of at most Delta / 4,
/// which actions that were dropped early do not have, and with them the theorem fails.
///
/// With baseline_estimate = aggregated, U0(i) is the upper bound of one mean over the pulls of all
/// actions of the set in phase II and those of one of them, the most pulled, in phase I.
/// [hsieh22, Remark 2]
///
/// With late feedback a round is complete once every active action has that many pulls; until
/// then the active action offered least often comes next. What comes back after phase I counts as
/// phase II.
/// A round that allows only eliminated actions takes the one with the largest mean reward.
/// Cost: observe O(payoffs given), with aggregated O(m), once O(m K log K); select in phase II
/// O(K + sum of |identified(a)| K), with aggregated O(K + sum of |identified(a)|).
class UpUcbILift final : public VariableSumsPolicy {
 public:
  UpUcbILift(const PolicySpec& spec, const Knowledge& knowledge)
      : VariableSumsPolicy(
            spec, knowledge,
            aggregates(spec) ? ErrorSplit::kAllVariablesAndBaselines : ErrorSplit::kAllVariables),
        elimination_rounds_(identification_pulls(32.0, *knowledge.effect_gap(), alpha())),
        active_(actions(), 1),
        baseline_sets_(actions(), 0),
        aggregated_(aggregates(spec)) {}

  Explanation explain(Detail detail) const override {
    Explanation explanation = VariableSumsPolicy::explain(detail);
    explanation.active = std::vector<bool>(active_.begin(), active_.end());
    return explanation;
  }

 private:
  bool eliminating() const { return completed_rounds_ < elimination_rounds_; }

  double elimination_radius(std::uint64_t round) const {
    return static_cast<double>(variables()) * confidence_radius(alpha(), round);
  }

  ActionId choose(const Stream& stream) override { return choose_among({}, stream); }

  ActionId choose_among(AllowedActions allowed, const Stream& stream) override {
    if (!eliminating() && allowed.all()) return VariableSumsPolicy::choose_among(allowed, stream);
    const auto taken = [&](ActionId action) { return std::max(offers()[action], pulls(action)); };
    std::optional<ActionId> next;
    allowed.for_each(actions(), [&](ActionId action) {
      if (active_[action] && (!next || taken(action) < taken(*next))) next = action;
    });
    if (!next) return largest_mean_reward(allowed);
    return eliminating() ? *next : VariableSumsPolicy::choose_among(allowed, stream);
  }

  /// Among actions that were all eliminated.
  ActionId largest_mean_reward(AllowedActions allowed) const {
    return allowed.largest(actions(), [&](ActionId action) { return mean_reward(action); });
  }

  void absorb(ActionId action, const Payoffs& payoffs) override {
    VariableSumsPolicy::absorb(action, payoffs);
    if (!eliminating()) {
      if (aggregated_) aggregate(action, payoffs);
    } else {
      while (eliminating() && least_active_pulls() > completed_rounds_) complete_round();
    }
    mark_all_stale();
  }

  std::uint64_t least_active_pulls() const {
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    for (ActionId action = 0; action < actions(); ++action) {
      if (active_[action]) least = std::min(least, pulls(action));
    }
    return least;
  }

  void complete_round() {
    ++completed_rounds_;
    std::vector<double> rewards(actions(), -std::numeric_limits<double>::infinity());
    for (ActionId action = 0; action < actions(); ++action) {
      if (active_[action]) rewards[action] = mean_reward(action);
    }
    const double best = *std::max_element(rewards.begin(), rewards.end());
    const double slack = 2.0 * elimination_radius(completed_rounds_);
    for (ActionId action = 0; action < actions(); ++action) {
      if (rewards[action] + slack < best) active_[action] = 0;
    }
    if (!eliminating()) start_phase_two();
  }

  void start_phase_two() {
    baseline_sets_ = BaselineSets(actions(), variables());
    std::vector<ActionInterval> intervals;
    for (VariableId i = 0; i < variables(); ++i) {
      intervals.clear();
      for (ActionId action = 0; action < actions(); ++action) {
        if (!active_[action]) continue;
        const double mean = sums(action)[i] / count(action);
        intervals.push_back({mean - radius(action), mean + radius(action), action});
      }
      baseline_sets_.assign(i, intervals);
    }
    find_identified();
    if (aggregated_) start_aggregates();
  }

  /// identified(a), from the baseline sets.
  void find_identified() {
    identified_.assign(actions(), {});
    for (VariableId i = 0; i < variables(); ++i) {
      for (ActionId action = 0; action < actions(); ++action) {
        if (active_[action] && !baseline_sets_.contains(i, action)) {
          identified_[action].push_back(i);
        }
      }
    }
  }

  /// What one action of each set saw in phase I.
  void start_aggregates() {
    aggregate_sums_.assign(variables(), 0.0);
    aggregate_counts_.assign(variables(), 0);
    for (VariableId i = 0; i < variables(); ++i) {
      if (const auto action = baseline_sets_.most_pulled(i, Policy::pulls())) {
        aggregate_sums_[i] = sums(*action)[i];
        aggregate_counts_[i] = pulls(*action);
      }
    }
  }

  /// Adds the payoffs of a round of phase II where `action` is in the set.
  void aggregate(ActionId action, const Payoffs& payoffs) {
    for (VariableId i = 0; i < variables(); ++i) {
      if (baseline_sets_.contains(i, action)) ++aggregate_counts_[i];
    }
    const bool sparse = payoffs.kind() == Payoffs::Kind::kSparse;
    for (std::size_t j = 0; j < payoffs.values().size(); ++j) {
      const VariableId i = sparse ? payoffs.ids()[j] : static_cast<VariableId>(j);
      if (baseline_sets_.contains(i, action)) aggregate_sums_[i] += payoffs.values()[j];
    }
  }

  struct MeanEstimate {
    double mean = 0.0;
    double radius = 0.0;
  };

  /// Of a variable in phase II; none where its set is empty.
  std::optional<MeanEstimate> baseline(VariableId i) const {
    if (aggregated_) {
      if (aggregate_counts_[i] == 0) return std::nullopt;
      return MeanEstimate{aggregate_sums_[i] / static_cast<double>(aggregate_counts_[i]),
                          radius_after(aggregate_counts_[i])};
    }
    const auto action = baseline_sets_.most_pulled(i, Policy::pulls());
    if (!action) return std::nullopt;
    return MeanEstimate{sums(*action)[i] / count(*action), radius(*action)};
  }

  double index_of(ActionId action) const override {
    if (!active_[action]) return -std::numeric_limits<double>::infinity();
    if (eliminating()) {
      return mean_reward(action) +
             2.0 * elimination_radius(std::max<std::uint64_t>(1, completed_rounds_));
    }
    double index = 0.0;
    for (const VariableId i : identified_[action]) {
      index += sums(action)[i] / count(action) + radius(action);
      if (const auto estimate = baseline(i)) index -= estimate->mean + estimate->radius;
    }
    return index;
  }

  double own_radii(ActionId action) const override {
    return static_cast<double>(identified_[action].size());
  }

  /// With aggregated, by the decisions of all actions of a set.
  double baseline_shrinkage(ActionId action, double) const override {
    double sum = 0.0;
    for (const VariableId i : identified_[action]) {
      if (aggregated_) {
        const std::uint64_t count = aggregate_counts_[i];
        if (count == 0) continue;
        std::uint64_t more = 0;
        for (ActionId other = 0; other < actions(); ++other) {
          if (baseline_sets_.contains(i, other)) more += ahead()[other];
        }
        sum += radius_after(count) - radius_after(count + more);
      } else if (const auto most = baseline_sets_.most_pulled(i, Policy::pulls())) {
        sum += shrinkage(*most);
      }
    }
    return sum;
  }

  double mean(ActionId action, VariableId i) const { return sums(action)[i] / count(action); }

  /// None if an identified variable has no baseline: all actions differ from each other there.
  std::optional<double> uplift(ActionId action) const {
    double uplift = 0.0;
    for (const VariableId i : identified_[action]) {
      const auto estimate = baseline(i);
      if (!estimate) return std::nullopt;
      uplift += mean(action, i) - estimate->mean;
    }
    return uplift;
  }

  std::optional<ActionId> reference() const override { return fixed_reference(); }

  /// Of the mean rewards in phase I; then of the variables where one of the two is not in the
  /// baseline set. A baseline that both are held against cancels.
  RewardDifference difference(ActionId action, ActionId reference) const {
    if (action == reference) return {};
    double estimate = 0.0;
    double reach = 0.0;
    const auto count_in = [&](double sign, const MeanEstimate& value) {
      estimate += sign * value.mean;
      reach += value.radius;
    };
    for (VariableId i = 0; i < variables(); ++i) {
      const bool own = eliminating() || !baseline_sets_.contains(i, action);
      const bool others = eliminating() || !baseline_sets_.contains(i, reference);
      if (own) count_in(1.0, {mean(action, i), radius(action)});
      if (others) count_in(-1.0, {mean(reference, i), radius(reference)});
      if (own != others) count_in(own ? -1.0 : 1.0, *baseline(i));
    }
    return {.estimate = estimate,
            .standard_error = std::nullopt,
            .interval = {estimate - reach, estimate + reach}};
  }

  void describe(ActionId action, ActionExplanation& explanation) const override {
    explanation.padding = VariableSet();
    explanation.identified = VariableSet();
    if (reference()) explanation.difference = difference(action, *reference());
    if (eliminating() || !active_[action]) return;
    explanation.identified = VariableSet::from_ids(identified_[action]);
    explanation.uplift = uplift(action);
  }

  void write_statistics(StateWriter& writer) const override {
    writer.u64(completed_rounds_);
    writer.u64s(active_);
    writer.u64s(baseline_sets_.bits());
    if (aggregated_) {
      writer.f64s(aggregate_sums_);
      writer.u64s(aggregate_counts_);
    }
    VariableSumsPolicy::write_statistics(writer);
  }

  void read_statistics(StateReader& reader) override {
    completed_rounds_ = reader.u64_at_most(elimination_rounds_, "policy state: completed rounds");
    reader.u64s(active_, "policy state: active");
    if (std::count(active_.begin(), active_.end(), 1u) == 0 ||
        std::count_if(active_.begin(), active_.end(), [](auto flag) { return flag > 1; }) > 0) {
      throw InvalidInput("policy state: active", "must be 0 or 1 per action, and not all 0");
    }
    const std::size_t kept = eliminating() ? 0 : variables();
    baseline_sets_ = BaselineSets(actions(), kept);
    reader.u64s(baseline_sets_.bits(), "policy state: baseline sets");
    if (!baseline_sets_.all_active(active_)) {
      throw InvalidInput("policy state: baseline sets", "must hold active actions only");
    }
    if (aggregated_) {
      aggregate_sums_.assign(kept, 0.0);
      aggregate_counts_.assign(kept, 0);
      reader.f64s(aggregate_sums_, "policy state: aggregate sums");
      reader.u64s(aggregate_counts_, "policy state: aggregate counts");
    }
    VariableSumsPolicy::read_statistics(reader);
    if (!eliminating()) find_identified();
  }

  std::uint64_t elimination_rounds_;
  std::uint64_t completed_rounds_ = 0;
  std::vector<std::uint64_t> active_;  // 1 while not dropped

  // Phase II.
  BaselineSets baseline_sets_;
  std::vector<std::vector<VariableId>> identified_;  // per action, none of the dropped
  bool aggregated_;
  std::vector<double> aggregate_sums_;           // per variable, where aggregated
  std::vector<std::uint64_t> aggregate_counts_;  // 0 where the set is empty
};

}  // namespace

std::unique_ptr<Policy> make_up_ucb_ilift(const PolicySpec& spec, const Knowledge& knowledge) {
  return std::make_unique<UpUcbILift>(spec, knowledge);
}

}  // namespace updraft

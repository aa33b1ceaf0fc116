#include "updraft/instance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "environments/change_checks.h"
#include "environments/instance_checks.h"

namespace updraft {
namespace {

/// Gaps below this share of the largest |uplift| are rounding, and so are differences of means
/// below this share of the means.
constexpr double kGapTolerance = 1e-12;

struct AffectedMeans {
  VariableSet variables;
  std::vector<double> means;
};

bool noise_marks_affected(const Noise& noise) {
  const auto* gaussian = std::get_if<GaussianNoise>(&noise);
  return gaussian != nullptr &&
         gaussian->covariance == GaussianNoise::Covariance::kSharedByAffected;
}

std::vector<double> expand(const std::vector<VariableRun>& runs, std::size_t variables) {
  std::vector<double> baseline;
  baseline.reserve(variables);
  for (const VariableRun& run : runs) baseline.insert(baseline.end(), run.count, run.baseline);
  return baseline;
}

/// The variables that the effects of one action change, with their means, in order of id.
AffectedMeans merge(const std::vector<Effect>& effects, const std::vector<double>& baseline,
                    bool all_affected) {
  struct Piece {
    VariableRange range;
    const Effect* effect;
    std::size_t first;  // place of range.begin among the effect's variables
  };
  std::vector<Piece> pieces;
  for (const Effect& effect : effects) {
    std::size_t first = 0;
    for (const VariableRange range : effect.variables.ranges()) {
      pieces.push_back({range, &effect, first});
      first += range.end - range.begin;
    }
  }
  std::sort(pieces.begin(), pieces.end(),
            [](const Piece& a, const Piece& b) { return a.range.begin < b.range.begin; });

  AffectedMeans result;
  std::vector<VariableRange> ranges;
  for (const Piece& piece : pieces) {
    const std::vector<double>& means = piece.effect->means;
    for (VariableId id = piece.range.begin; id < piece.range.end; ++id) {
      const double mean =
          means.size() == 1 ? means[0] : means[piece.first + (id - piece.range.begin)];
      if (!all_affected && mean == baseline[id]) continue;
      if (!ranges.empty() && ranges.back().end == id) {
        ++ranges.back().end;
      } else {
        ranges.push_back({id, id + 1});
      }
      result.means.push_back(mean);
    }
  }
  result.variables = VariableSet::from_ranges(ranges);
  return result;
}

/// Variance of the total noise when an action that affects `affected` variables is taken.
double total_variance(const GaussianNoise& noise, std::size_t variables, std::size_t affected) {
  const auto m = static_cast<double>(variables);
  const auto shared = static_cast<double>(affected);
  switch (noise.covariance) {
    case GaussianNoise::Covariance::kIdentity:
      return noise.variance * m;
    case GaussianNoise::Covariance::kFactor:
      return noise.variance * (m + noise.factor * m * (m - 1.0));
    case GaussianNoise::Covariance::kMatrix:
      return noise.variance * std::accumulate(noise.matrix.begin(), noise.matrix.end(), 0.0);
    case GaussianNoise::Covariance::kSharedByAffected:
      return noise.variance * shared * shared;
  }
  return 0.0;
}

/// The largest variance proxy of a variable's noise under an action or the baseline.
double largest_proxy(const GaussianNoise& noise, std::size_t variables, std::size_t most_affected) {
  if (noise.tail_degrees > 0) return std::numeric_limits<double>::infinity();
  switch (noise.covariance) {
    case GaussianNoise::Covariance::kIdentity:
    case GaussianNoise::Covariance::kFactor:
      return noise.variance;
    case GaussianNoise::Covariance::kMatrix: {
      double largest = 0.0;
      for (std::size_t i = 0; i < variables; ++i) {
        largest = std::max(largest, noise.matrix[i * variables + i]);
      }
      return noise.variance * largest;
    }
    case GaussianNoise::Covariance::kSharedByAffected:
      return most_affected > 0 ? noise.variance : 0.0;
  }
  return 0.0;
}

/// How wide noise is: its variance, and a variance proxy.
struct Spread {
  double variance = 0.0;
  double proxy = 0.0;
};

/// Of a 0/1 payoff with this mean; the proxy is the least one. [kearns98]
Spread bernoulli_spread(double mean) {
  const double x = 1.0 - 2.0 * mean;  // log((1 - p) / p) = 2 atanh(1 - 2p)
  return {mean * (1.0 - mean), x == 0.0 ? 0.25 : x / (4.0 * std::atanh(x))};
}

/// What an action changes, summed over the variables it affects; of 0/1 payoffs.
struct Moved {
  double uplift = 0.0;
  double min_uplift = std::numeric_limits<double>::infinity();
  Spread spread;
  double largest_proxy = 0.0;
};

Moved sum_change(const AffectedMeans& affected, const std::vector<double>& baseline,
                 bool bernoulli) {
  Moved change;
  std::size_t place = 0;
  affected.variables.for_each([&](VariableId id) {
    const double mean = affected.means[place++];
    const double uplift = mean - baseline[id];
    change.uplift += uplift;
    change.min_uplift = std::min(change.min_uplift, std::abs(uplift));
    if (!bernoulli) return;
    const Spread after = bernoulli_spread(mean);
    const Spread before = bernoulli_spread(baseline[id]);
    change.spread.variance += after.variance - before.variance;
    change.spread.proxy += after.proxy - before.proxy;
    change.largest_proxy = std::max(change.largest_proxy, after.proxy);
  });
  return change;
}

/// Neighbours among sorted means, the closest two; 0 if their difference is rounding.
double least_difference(std::span<const double> sorted) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t j = 1; j < sorted.size(); ++j) {
    const double difference = sorted[j] - sorted[j - 1];
    const double scale = std::max(std::abs(sorted[j]), std::abs(sorted[j - 1]));
    least = std::min(least, difference <= kGapTolerance * scale ? 0.0 : difference);
  }
  return least;
}

/// Instance::effect_gap() for at least two actions; infinite if nothing is affected. `means` are
/// those of the variables in V(a), per action. Actions that leave a variable alone have the same
/// mean there, so that one of them stands for all.
/// Cost: O(n log K) for the n = sum of |V(a)| means.
double effect_gap_of(const AffectedSets& affected, const std::vector<std::vector<double>>& means,
                     const std::vector<double>& baseline) {
  double least = std::numeric_limits<double>::infinity();
  std::vector<std::size_t> next(affected.actions(), 0);  // of each action's means
  std::vector<double> here;
  for (const Partition::Segment& segment : affected.atoms()->segments()) {
    const std::span<const ActionId> actions = affected.affecting(segment.group);
    if (actions.empty()) continue;
    for (VariableId i = segment.range.begin; i != segment.range.end; ++i) {
      here.clear();
      for (const ActionId action : actions) here.push_back(means[action][next[action]++]);
      if (actions.size() < affected.actions()) here.push_back(baseline[i]);
      std::sort(here.begin(), here.end());
      least = std::min(least, least_difference(here));
    }
  }
  return least;
}

}  // namespace

std::vector<double> gaps_of(std::span<const double> uplifts) {
  const double best = *std::max_element(uplifts.begin(), uplifts.end());
  double scale = 0.0;
  for (const double uplift : uplifts) scale = std::max(scale, std::abs(uplift));
  std::vector<double> gaps;
  for (const double uplift : uplifts) {
    const double gap = best - uplift;
    gaps.push_back(gap <= kGapTolerance * scale ? 0.0 : gap);
  }
  return gaps;
}

Instance::Instance(InstanceDefinition definition) : definition_(std::move(definition)) {
  check_action_names(definition_.action_names);
  const std::size_t variables = check_variables(definition_.variables, definition_.noise);
  check_effects(definition_, variables, [](std::size_t action, std::size_t effect) {
    return fmt::format("effects[{}][{}]", action, effect);
  });
  check_noise(definition_.noise, variables);
  if (!definition_.segments.empty()) {
    segments_ = std::make_shared<const Partition>(
        Partition::of_sets(definition_.segments, variables, "segments"));
  }

  check_changes(definition_, variables);

  baseline_ = std::make_shared<const std::vector<double>>(expand(definition_.variables, variables));
  const auto* gaussian = std::get_if<GaussianNoise>(&definition_.noise);
  double baseline_total = 0.0;
  Spread baseline_spread;
  for (const VariableRun& run : definition_.variables) {
    const auto count = static_cast<double>(run.count);
    baseline_total += count * run.baseline;
    if (gaussian != nullptr) continue;
    const Spread spread = bernoulli_spread(run.baseline);
    baseline_spread.variance += count * spread.variance;
    baseline_spread.proxy += count * spread.proxy;
    variance_proxy_ = std::max(variance_proxy_, spread.proxy);
  }

  const bool all_affected = noise_marks_affected(definition_.noise);
  std::vector<VariableSet> sets;
  double min_uplift = std::numeric_limits<double>::infinity();
  for (const std::vector<Effect>& effects : definition_.effects) {
    AffectedMeans affected = merge(effects, *baseline_, all_affected);
    const Moved change = sum_change(affected, *baseline_, gaussian == nullptr);
    Spread spread = {baseline_spread.variance + change.spread.variance,
                     baseline_spread.proxy + change.spread.proxy};
    if (gaussian != nullptr) {
      spread.variance = total_variance(*gaussian, variables, affected.variables.size());
      spread.proxy =
          gaussian->tail_degrees > 0 ? std::numeric_limits<double>::infinity() : spread.variance;
    }
    variance_proxy_ = std::max(variance_proxy_, change.largest_proxy);
    reward_variance_proxy_ = std::max(reward_variance_proxy_, spread.proxy);
    min_uplift = std::min(min_uplift, change.min_uplift);
    uplifts_.push_back(change.uplift);
    rewards_.push_back(baseline_total + change.uplift);
    noise_sds_.push_back(std::sqrt(std::max(0.0, spread.variance)));
    means_.push_back(std::move(affected.means));
    sets.push_back(std::move(affected.variables));
  }
  min_uplift_ = std::isinf(min_uplift) || effects_change() ? 0.0 : min_uplift;
  affected_ = std::make_shared<const AffectedSets>(std::move(sets), variables);
  if (gaussian != nullptr) variance_proxy_ = largest_proxy(*gaussian, variables, max_affected());
  const double effect_gap =
      actions() > 1 ? effect_gap_of(*affected_, means_, *baseline_) : min_uplift_;
  effect_gap_ = std::isinf(effect_gap) || effects_change() ? 0.0 : effect_gap;
  gaps_ = gaps_of(uplifts_);
  best_action_ = static_cast<ActionId>(std::find(gaps_.begin(), gaps_.end(), 0.0) - gaps_.begin());
}

bool Instance::effects_change() const {
  return std::any_of(definition_.changes.begin(), definition_.changes.end(),
                     [](const Change& change) { return change.action.has_value(); });
}

std::vector<double> Instance::means(ActionId action) const {
  std::vector<double> result = *baseline_;
  std::size_t place = 0;
  affected_->of(action).for_each([&](VariableId id) { result[id] = means_[action][place++]; });
  return result;
}

double Instance::min_gap() const {
  double smallest = 0.0;
  for (const double gap : gaps_) {
    if (gap > 0.0 && (smallest == 0.0 || gap < smallest)) smallest = gap;
  }
  return smallest;
}

double Instance::noise_sd() const {
  return *std::max_element(noise_sds_.begin(), noise_sds_.end());
}

Knowledge Instance::knowledge(std::uint64_t rounds) const {
  Knowledge knowledge(actions(), variables());
  knowledge.set_baseline(*baseline_);
  knowledge.set_affected(affected_);
  knowledge.set_max_affected(std::max<std::size_t>(1, max_affected()));
  if (min_uplift_ > 0.0) knowledge.set_min_uplift(min_uplift_);
  if (effect_gap_ > 0.0) knowledge.set_effect_gap(effect_gap_);
  knowledge.set_horizon(rounds);

  const auto count = static_cast<double>(actions());
  const double mean = std::accumulate(rewards_.begin(), rewards_.end(), 0.0) / count;
  double squares = 0.0;
  for (const double reward : rewards_) squares += (reward - mean) * (reward - mean);
  knowledge.set_reward_prior({mean, squares / count});
  if (segments_) knowledge.set_segments(segments_);
  return knowledge;
}

Knowledge Instance::knowledge(std::uint64_t rounds, const std::optional<Needs>& may_know) const {
  const Knowledge all = knowledge(rounds);
  return all.only(may_know.value_or(all.known().without(Need::kSegments)));
}

}  // namespace updraft

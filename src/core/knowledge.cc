#include "updraft/knowledge.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "updraft/error.h"

namespace updraft {
namespace {

constexpr std::array kAllNeeds = {
    Need::kBaseline, Need::kAffected,    Need::kMaxAffected, Need::kMinUplift,    Need::kEffectGap,
    Need::kHorizon,  Need::kRewardPrior, Need::kSegments,    Need::kObservations,
};

void check_length(std::string_view field, std::size_t length, std::size_t expected,
                  std::string_view of_what) {
  if (length != expected) {
    throw InvalidInput(fmt::format("length of {}", field), std::to_string(length),
                       fmt::format("must be the number of {}, {}", of_what, expected));
  }
}

void check_all_finite(std::string_view field, const std::vector<double>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) check_finite(fmt::format("{}[{}]", field, i), values[i]);
  }
}

void check_at_least_one(std::string_view field, std::size_t value) {
  if (value < 1) throw InvalidInput(field, "0", "must be at least 1");
}

}  // namespace

std::span<const Need> all_needs() { return kAllNeeds; }

std::string need_name(Need need) {
  switch (need) {
    case Need::kBaseline:
      return "baseline";
    case Need::kAffected:
      return "affected";
    case Need::kMaxAffected:
      return "max_affected";
    case Need::kMinUplift:
      return "min_uplift";
    case Need::kEffectGap:
      return "effect_gap";
    case Need::kHorizon:
      return "horizon";
    case Need::kRewardPrior:
      return "reward_prior";
    case Need::kObservations:
      return "observations";
    case Need::kSegments:
      return "segments";
  }
  return "";
}

Needs needs_named(std::string_view field, const std::vector<std::string>& names) {
  Needs needs;
  if (names == std::vector<std::string>{"nothing"}) return needs;
  std::vector<std::string> valid;
  for (const Need need : all_needs()) {
    if (need != Need::kObservations) valid.push_back(need_name(need));
  }
  for (const std::string& name : names) {
    const auto found = std::find(valid.begin(), valid.end(), name);
    if (found == valid.end()) {
      valid.emplace_back("nothing");
      throw unknown_name(field, name, valid);
    }
    needs = needs | all_needs()[static_cast<std::size_t>(found - valid.begin())];
  }
  return needs;
}

std::string needs_text(Needs needs) {
  std::vector<std::string> names;
  for (const Need need : all_needs()) {
    if (needs.contains(need)) names.push_back(need_name(need));
  }
  return names.empty() ? "nothing" : fmt::format("{}", fmt::join(names, ", "));
}

Knowledge::Knowledge(std::size_t actions, std::size_t variables)
    : actions_(actions), variables_(variables) {
  constexpr std::size_t kMost = std::numeric_limits<std::int32_t>::max();
  if (actions < 1 || actions > kMost) {
    throw InvalidInput("actions", std::to_string(actions), "must be from 1 to 2147483647");
  }
  if (variables < 1 || variables > kMost) {
    throw InvalidInput("variables", std::to_string(variables), "must be from 1 to 2147483647");
  }
}

Knowledge::Knowledge(const TargetingShape& shape)
    : actions_(shape.treatments), variables_(0), features_(shape.features), budget_(shape.budget) {
  check_at_least_one("features", shape.features);
  check_at_least_one("treatments", shape.treatments);
  check_at_least_one("budget", shape.budget);
}

Knowledge::Knowledge(const ContextualShape& shape)
    : actions_(shape.actions), variables_(0), features_(shape.features) {
  check_at_least_one("features", shape.features);
  check_at_least_one("actions", shape.actions);
}

PolicyKind Knowledge::kind() const {
  if (features_ == 0) return PolicyKind::kPlain;
  return budget_ > 0 ? PolicyKind::kTargeting : PolicyKind::kContextual;
}

void Knowledge::set_baseline(std::vector<double> means) {
  check_length("baseline", means.size(), variables_, "variables");
  check_all_finite("baseline", means);
  baseline_ = std::make_shared<const std::vector<double>>(std::move(means));
}

void Knowledge::set_affected(std::vector<VariableSet> sets) {
  check_length("affected", sets.size(), actions_, "actions");
  affected_ = std::make_shared<const AffectedSets>(std::move(sets), variables_);
}

void Knowledge::set_affected(std::shared_ptr<const AffectedSets> sets) {
  check_length("affected", sets->actions(), actions_, "actions");
  if (sets->variables() != variables_) {
    throw InvalidInput("variables of affected", std::to_string(sets->variables()),
                       fmt::format("must be the number of variables, {}", variables_));
  }
  affected_ = std::move(sets);
}

void Knowledge::set_max_affected(std::size_t max_affected) {
  if (max_affected < 1 || max_affected > variables_) {
    throw InvalidInput("max_affected", std::to_string(max_affected),
                       fmt::format("must be from 1 to the number of variables, {}", variables_));
  }
  max_affected_ = max_affected;
  max_affected_per_action_ = nullptr;
}

void Knowledge::set_max_affected(std::vector<std::size_t> per_action) {
  if (per_action.size() != actions_) {
    throw InvalidInput("max_affected", fmt::format("{} numbers", per_action.size()),
                       fmt::format("must have one for each of the {} actions", actions_));
  }
  for (std::size_t action = 0; action < actions_; ++action) {
    if (per_action[action] > variables_) {
      throw InvalidInput(fmt::format("max_affected[{}]", action),
                         std::to_string(per_action[action]),
                         fmt::format("must be from 0 to the number of variables, {}", variables_));
    }
  }
  const std::size_t largest = *std::max_element(per_action.begin(), per_action.end());
  if (largest == 0) throw InvalidInput("max_affected", "must not be 0 for all actions");
  max_affected_ = largest;
  max_affected_per_action_ =
      std::make_shared<const std::vector<std::size_t>>(std::move(per_action));
}

void Knowledge::set_min_uplift(double min_uplift) {
  check_positive("min_uplift", min_uplift);
  min_uplift_ = min_uplift;
}

void Knowledge::set_effect_gap(double effect_gap) {
  check_positive("effect_gap", effect_gap);
  effect_gap_ = effect_gap;
}

void Knowledge::set_horizon(std::uint64_t rounds) {
  if (rounds < 1) throw InvalidInput("horizon", std::to_string(rounds), "must be at least 1");
  horizon_ = rounds;
}

void Knowledge::set_reward_prior(RewardPrior prior) {
  check_finite("reward_prior.mean", prior.mean);
  if (!(prior.variance >= 0.0) || !std::isfinite(prior.variance)) {
    throw InvalidInput("reward_prior.variance", prior.variance, "must be >= 0");
  }
  reward_prior_ = prior;
}

void Knowledge::set_observations(BaselineObservations observations) {
  check_length("observations.counts", observations.counts.size(), variables_, "variables");
  check_length("observations.means", observations.means.size(), variables_, "variables");
  check_all_finite("observations.means", observations.means);
  for (std::size_t i = 0; i < variables_; ++i) {
    if (!(observations.counts[i] >= 1.0) || !std::isfinite(observations.counts[i])) {
      throw InvalidInput(fmt::format("observations.counts[{}]", i), observations.counts[i],
                         "must be at least 1");
    }
  }
  observations_ = std::make_shared<const BaselineObservations>(std::move(observations));
}

void Knowledge::set_segments(Partition segments) {
  set_segments(std::make_shared<const Partition>(std::move(segments)));
}

void Knowledge::set_segments(std::shared_ptr<const Partition> segments) {
  if (segments->variables() != variables_) {
    throw InvalidInput("variables of segments", std::to_string(segments->variables()),
                       fmt::format("must be the number of variables, {}", variables_));
  }
  segments_ = std::move(segments);
}

std::optional<std::size_t> Knowledge::max_affected() const {
  if (max_affected_) return max_affected_;
  if (affected_) return std::max<std::size_t>(1, affected_->largest());
  return std::nullopt;
}

Needs Knowledge::known() const {
  Needs known;
  if (baseline_) known = known | Need::kBaseline;
  if (affected_) known = known | Need::kAffected;
  if (max_affected()) known = known | Need::kMaxAffected;
  if (min_uplift_) known = known | Need::kMinUplift;
  if (effect_gap_) known = known | Need::kEffectGap;
  if (horizon_) known = known | Need::kHorizon;
  if (reward_prior_) known = known | Need::kRewardPrior;
  if (observations_) known = known | Need::kObservations;
  if (segments_) known = known | Need::kSegments;
  return known;
}

Knowledge Knowledge::only(Needs needs) const {
  Knowledge kept(actions_, variables_);
  if (needs.contains(Need::kBaseline)) kept.baseline_ = baseline_;
  if (needs.contains(Need::kAffected)) kept.affected_ = affected_;
  if (needs.contains(Need::kMaxAffected)) {
    kept.max_affected_ = max_affected();
    kept.max_affected_per_action_ = max_affected_per_action_;
  }
  if (needs.contains(Need::kMinUplift)) kept.min_uplift_ = min_uplift_;
  if (needs.contains(Need::kEffectGap)) kept.effect_gap_ = effect_gap_;
  if (needs.contains(Need::kHorizon)) kept.horizon_ = horizon_;
  if (needs.contains(Need::kRewardPrior)) kept.reward_prior_ = reward_prior_;
  if (needs.contains(Need::kObservations)) kept.observations_ = observations_;
  if (needs.contains(Need::kSegments)) kept.segments_ = segments_;
  return kept;
}

}  // namespace updraft

#include "service/misfit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/numbers.h"

namespace updraft {
namespace {

constexpr std::uint64_t kLeastRounds = 30;  // before anything is said of the scale

// How many standard errors of an estimate a radius may be.
constexpr double kFewErrors = 0.2;
constexpr double kManyErrors = 300.0;
constexpr double kManyOfVariable = 30.0;  // of one variable, where noise may be common to all
constexpr double kGoodErrors = 5.0;       // what is suggested

constexpr double kAboveUnit = 2.0;  // standard deviation, above which radii made for 1 do not hold
constexpr double kFarNoise = 10.0;  // declared to seen variance of the reward
constexpr double kFarPrior = 5.0;   // standard deviations of the prior

std::string action_text(const CampaignDefinition& campaign, ActionId action) {
  return campaign.action_names.empty() ? fmt::format("Action {}", action)
                                       : fmt::format("Action '{}'", campaign.action_names[action]);
}

std::string variable_text(const CampaignDefinition& campaign, VariableId variable) {
  return campaign.variable_names.empty() ? std::to_string(variable)
                                         : fmt::format("'{}'", campaign.variable_names[variable]);
}

/// The surprising variables of each action. What one action does shows in all others that are held
/// against it; where there are enough to tell, those count that are farthest from the middle.
std::vector<std::vector<VariableId>> outside_by_action(const VariableUplifts& uplifts,
                                                       std::size_t actions) {
  std::vector<std::vector<VariableId>> out(actions);
  std::vector<ActionId> suspects;  // of one variable
  std::optional<VariableId> last;
  const auto settle = [&] {
    if (suspects.empty()) return;
    const std::optional<double> middle =
        uplifts.against_others() ? uplifts.median_mean(*last) : std::nullopt;
    if (middle && suspects.size() > 1) {
      const auto distance = [&](ActionId action) {
        return std::abs(uplifts.of(action, *last)->mean - *middle);
      };
      const ActionId farthest = *std::max_element(
          suspects.begin(), suspects.end(),
          [&](ActionId one, ActionId other) { return distance(one) < distance(other); });
      suspects = {farthest};
    }
    for (const ActionId action : suspects) out[action].push_back(*last);
    suspects.clear();
  };
  uplifts.for_each_surprising([&](ActionId action, VariableId variable) {
    if (last != variable) settle();
    last = variable;
    suspects.push_back(action);
  });
  settle();
  return out;
}

void add_outside(const CampaignDefinition& campaign, const VariableUplifts& uplifts,
                 std::vector<Misfit>& out) {
  const std::size_t actions = campaign.knowledge->actions();
  const auto outside = outside_by_action(uplifts, actions);
  for (ActionId action = 0; action < actions; ++action) {
    const std::vector<VariableId>& found = outside[action];
    if (found.empty()) continue;
    const VariableId worst =
        *std::max_element(found.begin(), found.end(), [&](VariableId one, VariableId other) {
          return std::abs(uplifts.of(action, one)->uplift()) <
                 std::abs(uplifts.of(action, other)->uplift());
        });
    const VariableUplift uplift = *uplifts.of(action, worst);
    out.push_back(
        {Misfit::Kind::kOutsideDeclared, action,
         fmt::format(
             "{} seems to move {} outside its declared set, most of all {}: {:+.4g} ({:.4g} "
             "to {:.4g}) against {}.",
             action_text(campaign, action),
             found.size() == 1 ? "1 variable" : grouped(double(found.size()), 0) + " variables",
             variable_text(campaign, worst), uplift.uplift(), uplift.interval.low,
             uplift.interval.high, uplifts.baseline_text()),
         fmt::format(
             "The policy does not count what happens there, so its choice may be wrong. Make a new "
             "campaign whose affected sets have these variables, or one with max_affected in place "
             "of sets (up_ucb_l). {}",
             uplifts.against_others()
                 ? "Check first that it is this action's doing: the same is seen where another "
                   "action moves them, or where payoffs drift in time."
                 : "Check first that the baseline still holds.")});
  }
}

/// Held against another action, an action's variables and those of the other may differ.
std::size_t most_identified(const Knowledge& used, const Explanation& explanation,
                            ActionId action) {
  const std::size_t own = used.max_affected(action);
  if (used.baseline() != nullptr) return own;
  return own + (explanation.reference_action ? used.max_affected(*explanation.reference_action)
                                             : *used.max_affected());
}

void add_too_many(const CampaignDefinition& campaign, const Explanation& explanation,
                  const Knowledge& used, std::vector<Misfit>& out) {
  if (!used.max_affected() || used.affected() != nullptr) return;
  for (ActionId action = 0; action < explanation.actions.size(); ++action) {
    const auto& identified = explanation.actions[action].identified;
    const std::size_t most = most_identified(used, explanation, action);
    if (!identified || identified->size() <= most) continue;
    out.push_back(
        {Misfit::Kind::kMoreThanDeclared, action,
         fmt::format(
             "{} has {} variables identified as affected, more than the declared L = {} "
             "allows{}.",
             action_text(campaign, action), grouped(double(identified->size()), 0),
             grouped(double(used.max_affected(action)), 0),
             used.baseline() != nullptr
                 ? ""
                 : fmt::format(" (that is {} against another action)", grouped(double(most), 0))),
         "Either L is too small or alpha is so small that chance passes for effect. Make a new "
         "campaign with a larger max_affected, or with a larger alpha."});
  }
}

void add_scale(std::string message, std::string advice, std::vector<Misfit>& out) {
  out.push_back({Misfit::Kind::kScale, std::nullopt, std::move(message), std::move(advice)});
}

/// sqrt(2 alpha), which is the radius of a variable's mean after one round.
std::optional<double> unit_radius(const Explanation& explanation) {
  for (const ActionExplanation& about : explanation.actions) {
    if (about.pulls > 0) return about.radius * std::sqrt(static_cast<double>(about.pulls));
  }
  return std::nullopt;
}

/// The radius of what the policy estimates, in standard errors: at least and at most, as the noise
/// of its variables may be common or independent.
struct RadiusInErrors {
  double least = 0.0;
  double most = 0.0;
  double limit = 0.0;  ///< of `least`
  std::string seen;    ///< of the noise
};

/// None as long as nothing is known of the noise.
std::optional<RadiusInErrors> radius_in_errors(const Policy& policy,
                                               const PayoffStatistics& statistics, double unit) {
  if (policy.resolution().kind == Resolution::Kind::kTotal) {
    const double sd = std::sqrt(*statistics.reward_variance());
    const double errors = static_cast<double>(statistics.variables()) * unit / sd;
    return RadiusInErrors{errors, errors, kManyErrors,
                          fmt::format("Rewards vary with a standard deviation of {:.3g}", sd)};
  }
  const std::optional<double> sd = statistics.typical_sd();
  if (!sd || *sd == 0.0) return std::nullopt;
  const std::size_t together = policy.knowledge().max_affected().value_or(1);
  return RadiusInErrors{unit / *sd, std::sqrt(static_cast<double>(together)) * unit / *sd,
                        kManyOfVariable,
                        fmt::format("Payoffs vary with a standard deviation of {:.3g}", *sd)};
}

std::string alpha_text(const PolicySpec& spec, double unit) {
  return spec.number("alpha")
             ? fmt::format("alpha = {}", *spec.number("alpha"))
             : fmt::format("alpha = {:.3g}, which delta stands for,", unit * unit / 2.0);
}

/// Radii are sqrt(2 alpha / pulls), so that alpha has the unit of squared payoffs.
void add_alpha(const Policy& policy, const PayoffStatistics& statistics,
               const Explanation& explanation, std::vector<Misfit>& out) {
  const std::optional<double> unit = unit_radius(explanation);
  if (!unit) return;
  const std::optional<RadiusInErrors> radius = radius_in_errors(policy, statistics, *unit);
  if (!radius) return;
  const PolicySpec& spec = policy.spec();
  const auto better_alpha = [&](double errors) {
    return *unit * *unit / 2.0 * (kGoodErrors / errors) * (kGoodErrors / errors);
  };
  const bool unknown_sets = policy.resolution().kind == Resolution::Kind::kVariables;
  if (radius->least > radius->limit) {
    add_scale(
        fmt::format("{}, for which {} is large: the policy's radii are {:.2g} times the errors of "
                    "its estimates, or more.",
                    radius->seen, alpha_text(spec, *unit), radius->least),
        fmt::format("It will explore far longer than it must. Make a new campaign with payoffs "
                    "multiplied by {:.1g}, or with an alpha of about {:.1g}.",
                    radius->least / kGoodErrors, better_alpha(radius->least)),
        out);
  } else if (radius->most < kFewErrors && !unknown_sets) {
    add_scale(
        fmt::format("{}, for which {} is small: the policy's radii are {:.2g} times the errors of "
                    "its estimates, or less.",
                    radius->seen, alpha_text(spec, *unit), radius->most),
        fmt::format("It may settle on a wrong action by chance. Make a new campaign with payoffs "
                    "divided by {:.1g}, or with an alpha of about {:.1g}.",
                    kGoodErrors / radius->most, better_alpha(radius->most)),
        out);
  } else if (const auto sd = statistics.typical_sd();
             spec.number("delta") && sd && *sd > kAboveUnit) {
    add_scale(fmt::format("Payoffs vary with a standard deviation of {:.3g}; with delta the policy "
                          "takes it to be at most 1.",
                          *sd),
              fmt::format("Its confidence bounds do not hold. Make a new campaign with payoffs "
                          "divided by {:.1g}, or give alpha in place of delta.",
                          *sd),
              out);
  }
}

void add_noise(const Policy& policy, const CampaignDefinition& campaign,
               const PayoffStatistics& statistics, std::vector<Misfit>& out) {
  const auto variables = static_cast<double>(statistics.variables());
  const double declared = *policy.spec().number("sigma2") * variables * variables;
  const double seen = *statistics.reward_variance();
  const double ratio = declared / seen;
  if (ratio > kFarNoise || ratio < 1.0 / kFarNoise) {
    add_scale(
        fmt::format("Rewards vary with a variance of {:.3g}; sigma2 = {} and {} variables declare "
                    "{:.3g}.",
                    seen, *policy.spec().number("sigma2"), grouped(variables, 0), declared),
        fmt::format("Make a new campaign with sigma2 near {:.1g}: it is the variance of the "
                    "reward over the squared number of variables.",
                    seen / (variables * variables)),
        out);
  }
  const RewardPrior prior = *policy.knowledge().reward_prior();
  for (ActionId action = 0; action < statistics.actions(); ++action) {
    const Tally& rewards = statistics.rewards(action);
    if (rewards.count < kLeastRounds || prior.variance == 0.0) continue;
    const double distance = std::abs(rewards.mean() - prior.mean) / std::sqrt(prior.variance);
    if (distance <= kFarPrior) continue;
    out.push_back({Misfit::Kind::kScale, action,
                   fmt::format("{} has a mean reward of {:.4g}: {:.0f} standard deviations of the "
                               "prior from its mean, {}.",
                               action_text(campaign, action), rewards.mean(), distance, prior.mean),
                   "Make a new campaign with a reward_prior that holds the rewards of all "
                   "actions."});
    return;
  }
}

void add_scales(const LiveCampaign& campaign, const Explanation& explanation,
                std::vector<Misfit>& out) {
  const Policy& policy = *campaign.policy();
  const PayoffStatistics& statistics = *campaign.watch().statistics();
  if (statistics.rounds() < kLeastRounds || !statistics.reward_variance()) return;
  if (*statistics.reward_variance() == 0.0) return;
  if (policy.spec().number("sigma2")) {
    add_noise(policy, campaign.definition(), statistics, out);
  } else if (policy.spec().number("alpha") || policy.spec().number("delta")) {
    add_alpha(policy, statistics, explanation, out);
  }
}

}  // namespace

std::string_view kind_name(Misfit::Kind kind) {
  switch (kind) {
    case Misfit::Kind::kOutsideDeclared:
      return "outside_declared";
    case Misfit::Kind::kMoreThanDeclared:
      return "more_than_declared";
    case Misfit::Kind::kScale:
      return "scale";
  }
  return "";
}

std::vector<Misfit> misfits(const LiveCampaign& campaign, const Explanation& explanation,
                            const VariableUplifts* uplifts) {
  std::vector<Misfit> out;
  if (campaign.policy() == nullptr) return out;
  const CampaignDefinition& definition = campaign.definition();
  const Knowledge& used = campaign.policy()->knowledge();
  if (uplifts != nullptr && used.affected() != nullptr) add_outside(definition, *uplifts, out);
  add_too_many(definition, explanation, used, out);
  add_scales(campaign, explanation, out);
  return out;
}

}  // namespace updraft

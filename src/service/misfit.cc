#include "service/misfit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "report/numbers.h"
#include "updraft/registry.h"

namespace updraft {
namespace {

constexpr std::uint64_t kLeastRounds = 30;  // before anything is said of the scale

// Ratios from which a scale is far from what was declared.
constexpr double kFarAlpha = 1000.0;  // alpha to the variance: a factor of 30 in the payoffs
constexpr double kFarUnit = 30.0;     // 1 to the standard deviation, where radii are made for 1
constexpr double kAboveUnit = 2.0;    // standard deviation, above which these radii do not hold
constexpr double kFarNoise = 10.0;    // declared to seen variance of the reward
constexpr double kFarPrior = 5.0;     // standard deviations of the prior

std::string action_text(const CampaignDefinition& campaign, ActionId action) {
  return campaign.action_names.empty() ? fmt::format("Action {}", action)
                                       : fmt::format("Action '{}'", campaign.action_names[action]);
}

std::string variable_text(const CampaignDefinition& campaign, VariableId variable) {
  return campaign.variable_names.empty() ? std::to_string(variable)
                                         : fmt::format("'{}'", campaign.variable_names[variable]);
}

void add_outside(const CampaignDefinition& campaign, const VariableUplifts& uplifts,
                 std::vector<Misfit>& out) {
  for (ActionId action = 0; action < campaign.knowledge->actions(); ++action) {
    const std::vector<VariableId> found = uplifts.surprising(action);
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
         "The policy does not count what happens there, so its choice may be wrong. Make a new "
         "campaign whose affected sets have these variables, or one with max_affected in place of "
         "sets (up_ucb_l); where the baseline was declared, check that it still holds."});
  }
}

/// Held against another action, an action's variables and those of the other may differ.
std::size_t most_identified(const Knowledge& used) {
  return *used.max_affected() * (used.baseline() != nullptr ? 1 : 2);
}

void add_too_many(const CampaignDefinition& campaign, const Explanation& explanation,
                  const Knowledge& used, std::vector<Misfit>& out) {
  if (!used.max_affected() || used.affected() != nullptr) return;
  for (ActionId action = 0; action < explanation.actions.size(); ++action) {
    const auto& identified = explanation.actions[action].identified;
    if (!identified || identified->size() <= most_identified(used)) continue;
    out.push_back(
        {Misfit::Kind::kMoreThanDeclared, action,
         fmt::format("{} has {} variables identified as affected, more than the declared L = {} "
                     "allows{}.",
                     action_text(campaign, action), grouped(double(identified->size()), 0),
                     grouped(double(*used.max_affected()), 0),
                     used.baseline() != nullptr ? "" : " (twice that, against another action)"),
         "Either L is too small or alpha is so small that chance passes for effect. Make a new "
         "campaign with a larger max_affected, or with a larger alpha."});
  }
}

/// sqrt of the mean of the variables' variances.
double typical_sd(const std::vector<double>& variances) {
  return std::sqrt(std::accumulate(variances.begin(), variances.end(), 0.0) /
                   static_cast<double>(variances.size()));
}

void add_scale(std::string message, std::string advice, std::vector<Misfit>& out) {
  out.push_back({Misfit::Kind::kScale, std::nullopt, std::move(message), std::move(advice)});
}

/// Radii are sqrt(2 alpha / pulls), so that alpha has the unit of squared payoffs.
void add_alpha(const PolicySpec& spec, double sd, std::vector<Misfit>& out) {
  const std::string seen = fmt::format("Payoffs vary with a standard deviation of {:.3g}", sd);
  if (const std::optional<double> alpha = spec.number("alpha")) {
    const double ratio = *alpha / (sd * sd);
    if (ratio > kFarAlpha) {
      add_scale(fmt::format("{}; alpha = {} suits payoffs about {:.0f} times as large.", seen,
                            *alpha, std::sqrt(ratio)),
                fmt::format("It will explore far longer than it must. Make a new campaign with "
                            "payoffs in larger units or with an alpha near {:.1g}.",
                            sd * sd),
                out);
    } else if (ratio < 1.0 / kFarAlpha) {
      add_scale(fmt::format("{}; alpha = {} suits payoffs about {:.0f} times smaller.", seen,
                            *alpha, 1.0 / std::sqrt(ratio)),
                fmt::format("It may settle on a wrong action by chance. Make a new campaign with "
                            "payoffs in smaller units or with an alpha near {:.1g}.",
                            sd * sd),
                out);
    }
  } else if (sd > kAboveUnit) {
    add_scale(fmt::format("{}; with delta the policy takes it to be at most 1.", seen),
              fmt::format("Its confidence bounds do not hold. Make a new campaign with payoffs "
                          "divided by {:.1g}, or give alpha in place of delta.",
                          sd),
              out);
  } else if (sd < 1.0 / kFarUnit) {
    add_scale(fmt::format("{}; with delta the policy takes it to be up to 1.", seen),
              fmt::format("It will explore far longer than it must. Make a new campaign with "
                          "payoffs multiplied by {:.1g}, or give alpha in place of delta.",
                          1.0 / sd),
              out);
  }
}

void add_noise(const Policy& policy, const PayoffStatistics& statistics, std::vector<Misfit>& out) {
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
    add_scale(fmt::format("The mean reward of action {} is {:.4g}: {:.0f} standard deviations of "
                          "the prior from its mean, {}.",
                          action, rewards.mean(), distance, prior.mean),
              "Make a new campaign with a reward_prior that holds the rewards of all actions.",
              out);
    return;
  }
}

void add_scales(const Policy& policy, const PayoffStatistics& statistics,
                std::vector<Misfit>& out) {
  if (statistics.rounds() < kLeastRounds || !statistics.reward_variance()) return;
  if (*statistics.reward_variance() == 0.0) return;
  if (policy.spec().number("sigma2")) {
    add_noise(policy, statistics, out);
  } else if (statistics.per_variable() &&
             (policy.spec().number("alpha") || policy.spec().number("delta"))) {
    const double sd = typical_sd(statistics.variances());
    if (sd > 0.0) add_alpha(policy.spec(), sd, out);
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
  if (uplifts != nullptr) add_outside(definition, *uplifts, out);
  add_too_many(definition, explanation, campaign.policy()->knowledge(), out);
  add_scales(*campaign.policy(), *campaign.watch().statistics(), out);
  return out;
}

}  // namespace updraft

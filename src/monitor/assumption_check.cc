#include "monitor/assumption_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/grouped.h"
#include "updraft/registry.h"

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

std::string variable_text(const WarningWords& words, VariableId variable) {
  return words.variables.empty() ? std::to_string(variable)
                                 : fmt::format("'{}'", words.variables[variable]);
}

/// A policy that a bound on the number of affected variables is enough for.
std::string_view policy_for_bound() {
  const auto all = policies();
  return std::find_if(all.begin(), all.end(),
                      [](const PolicyInfo& info) { return info.needs == Need::kMaxAffected; })
      ->name;
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

void add_outside(const WarningWords& words, const VariableUplifts& uplifts, std::size_t actions,
                 std::vector<AssumptionWarning>& out) {
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
        {AssumptionWarning::Kind::kOutsideDeclared, action,
         fmt::format(
             "{} seems to move {} outside its declared set, most of all {}: {:+.4g} ({:.4g} "
             "to {:.4g}) against {}.",
             action_text(words, action),
             found.size() == 1 ? "1 variable" : grouped(double(found.size()), 0) + " variables",
             variable_text(words, worst), uplift.uplift(), uplift.interval.low,
             uplift.interval.high, uplifts.baseline_text()),
         fmt::format(
             "The policy does not count what happens there, so its choice may be wrong. Make a new "
             "{} whose affected sets have these variables, or one with max_affected in place "
             "of sets ({}). {}",
             words.learner, policy_for_bound(),
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

void add_too_many(const WarningWords& words, const Explanation& explanation, const Knowledge& used,
                  std::vector<AssumptionWarning>& out) {
  if (!used.max_affected() || used.affected() != nullptr) return;
  for (ActionId action = 0; action < explanation.actions.size(); ++action) {
    const auto& identified = explanation.actions[action].identified;
    const std::size_t most = most_identified(used, explanation, action);
    if (!identified || identified->size() <= most) continue;
    out.push_back(
        {AssumptionWarning::Kind::kMoreThanDeclared, action,
         fmt::format(
             "{} has {} variables identified as affected, more than the declared L = {} "
             "allows{}.",
             action_text(words, action), grouped(double(identified->size()), 0),
             grouped(double(used.max_affected(action)), 0),
             used.baseline() != nullptr
                 ? ""
                 : fmt::format(" (that is {} against another action)", grouped(double(most), 0))),
         fmt::format("Either L is too small or alpha is so small that chance passes for effect. "
                     "Make a new {} with a larger max_affected, or with a larger alpha.",
                     words.learner)});
  }
}

void add_scale(std::string message, std::string advice, std::vector<AssumptionWarning>& out) {
  out.push_back(
      {AssumptionWarning::Kind::kScale, std::nullopt, std::move(message), std::move(advice)});
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
void add_alpha(const AssumptionEvidence& evidence, const WarningWords& words,
               std::vector<AssumptionWarning>& out) {
  const Policy& policy = evidence.policy;
  const PayoffStatistics& statistics = evidence.statistics;
  const std::optional<double> unit = unit_radius(evidence.explanation);
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
        fmt::format("It will explore far longer than it must. Make a new {} with payoffs "
                    "multiplied by {:.1g}, or with an alpha of about {:.1g}.",
                    words.learner, radius->least / kGoodErrors, better_alpha(radius->least)),
        out);
  } else if (radius->most < kFewErrors && !unknown_sets) {
    add_scale(
        fmt::format("{}, for which {} is small: the policy's radii are {:.2g} times the errors of "
                    "its estimates, or less.",
                    radius->seen, alpha_text(spec, *unit), radius->most),
        fmt::format("It may settle on a wrong action by chance. Make a new {} with payoffs "
                    "divided by {:.1g}, or with an alpha of about {:.1g}.",
                    words.learner, kGoodErrors / radius->most, better_alpha(radius->most)),
        out);
  } else if (const auto sd = statistics.typical_sd();
             spec.number("delta") && sd && *sd > kAboveUnit) {
    add_scale(fmt::format("Payoffs vary with a standard deviation of {:.3g}; with delta the policy "
                          "takes it to be at most 1.",
                          *sd),
              fmt::format("Its confidence bounds do not hold. Make a new {} with payoffs "
                          "divided by {:.1g}, or give alpha in place of delta.",
                          words.learner, *sd),
              out);
  }
}

void add_noise(const Policy& policy, const PayoffStatistics& statistics, const WarningWords& words,
               std::vector<AssumptionWarning>& out) {
  const auto variables = static_cast<double>(statistics.variables());
  const double declared = *policy.spec().number("sigma2") * variables * variables;
  const double seen = *statistics.reward_variance();
  const double ratio = declared / seen;
  if (ratio > kFarNoise || ratio < 1.0 / kFarNoise) {
    add_scale(
        fmt::format("Rewards vary with a variance of {:.3g}; sigma2 = {} and {} variables declare "
                    "{:.3g}.",
                    seen, *policy.spec().number("sigma2"), grouped(variables, 0), declared),
        fmt::format("Make a new {} with sigma2 near {:.1g}: it is the variance of the "
                    "reward over the squared number of variables.",
                    words.learner, seen / (variables * variables)),
        out);
  }
  const RewardPrior prior = *policy.knowledge().reward_prior();
  for (ActionId action = 0; action < statistics.actions(); ++action) {
    const Tally& rewards = statistics.rewards(action);
    if (rewards.count < kLeastRounds || prior.variance == 0.0) continue;
    const double distance = std::abs(rewards.mean() - prior.mean) / std::sqrt(prior.variance);
    if (distance <= kFarPrior) continue;
    out.push_back({AssumptionWarning::Kind::kScale, action,
                   fmt::format("{} has a mean reward of {:.4g}: {:.0f} standard deviations of the "
                               "prior from its mean, {}.",
                               action_text(words, action), rewards.mean(), distance, prior.mean),
                   fmt::format("Make a new {} with a reward_prior that holds the rewards of all "
                               "actions.",
                               words.learner)});
    return;
  }
}

void add_scales(const AssumptionEvidence& evidence, const WarningWords& words,
                std::vector<AssumptionWarning>& out) {
  const PayoffStatistics& statistics = evidence.statistics;
  if (statistics.rounds() < kLeastRounds || !statistics.reward_variance()) return;
  if (*statistics.reward_variance() == 0.0) return;
  const PolicySpec& spec = evidence.policy.spec();
  if (spec.number("sigma2")) {
    add_noise(evidence.policy, statistics, words, out);
  } else if (spec.number("alpha") || spec.number("delta")) {
    add_alpha(evidence, words, out);
  }
}

AssumptionWarning change_warning(const FoundChange& change, const WarningWords& words) {
  const std::string action = words.actions.empty()
                                 ? fmt::format("action {}", change.action)
                                 : fmt::format("'{}'", words.actions[change.action]);
  const std::string course = fmt::format("{} from {:.2g} to about {:.2g} around decision {}",
                                         change.after < change.before ? "fell" : "rose",
                                         change.before, change.after, change.round);
  if (change.of_baseline) {
    return {AssumptionWarning::Kind::kBaselineChanged, std::nullopt,
            fmt::format("The baseline of what {} moves changed: its payoffs {}.", action, course),
            "Rounds of other actions show the same, so it is not the action's doing."};
  }
  return {AssumptionWarning::Kind::kEffectChanged, change.action,
          fmt::format("The effect of {} {}.", action, course),
          fmt::format("The {} has forgotten the older rounds of this action. If other actions were "
                      "hardly taken since, the baseline of what it moves may be the cause.",
                      words.learner)};
}

}  // namespace

std::string action_text(const WarningWords& words, ActionId action) {
  return words.actions.empty() ? fmt::format("Action {}", action)
                               : fmt::format("Action '{}'", words.actions[action]);
}

std::string_view kind_name(AssumptionWarning::Kind kind) {
  switch (kind) {
    case AssumptionWarning::Kind::kOutsideDeclared:
      return "outside_declared";
    case AssumptionWarning::Kind::kMoreThanDeclared:
      return "more_than_declared";
    case AssumptionWarning::Kind::kScale:
      return "scale";
    case AssumptionWarning::Kind::kEffectChanged:
      return "effect_changed";
    case AssumptionWarning::Kind::kBaselineChanged:
      return "baseline_changed";
  }
  return "";
}

std::vector<AssumptionWarning> check_assumptions(const AssumptionEvidence& evidence,
                                                 const WarningWords& words) {
  std::vector<AssumptionWarning> out;
  const Knowledge& used = evidence.policy.knowledge();
  if (evidence.uplifts != nullptr && used.affected() != nullptr) {
    add_outside(words, *evidence.uplifts, used.actions(), out);
  }
  add_too_many(words, evidence.explanation, used, out);
  add_scales(evidence, words, out);
  for (const FoundChange& change : evidence.explanation.changes) {
    out.push_back(change_warning(change, words));
  }
  return out;
}

}  // namespace updraft

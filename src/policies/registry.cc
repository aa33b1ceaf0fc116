#include "updraft/registry.h"

#include <fmt/format.h>

#include <algorithm>

#include "policies/all_policies.h"
#include "policies/policy_tables.h"
#include "updraft/error.h"

namespace updraft {
namespace {

using Kind = ParameterInfo::Kind;

}  // namespace

std::vector<PolicyInfo> plain_table() {
  constexpr auto kVerified = PolicyStatus::kVerified;

  // Parameters that several policies share.
  const ParameterInfo alpha = {
      "alpha", Kind::kPositive, "",
      "exploration: radius = sqrt(2 alpha / pulls); give alpha, or delta with a horizon"};
  const ParameterInfo delta = {
      "delta", Kind::kProbability, "",
      "error probability in place of alpha: alpha is then the theorem's, which needs the horizon"};
  const ParameterInfo horizon = {"horizon", Kind::kPositiveInteger, "as known", "number of rounds"};
  const ParameterInfo max_affected = {
      "max_affected", Kind::kCountPerAction, "as known",
      "L, an upper bound on how many variables an action affects; or L(a), one per action"};
  const ParameterInfo min_uplift = {"min_uplift", Kind::kPositive, "as known",
                                    "Delta, a lower bound on the individual uplift in size"};
  const ParameterInfo effect_gap = {
      "effect_gap", Kind::kPositive, "as known",
      "Delta, a lower bound on how far apart the effects of two actions are on a variable that one "
      "of them affects"};

  const ParameterInfo refit = {"refit", Kind::kNonNegative, 0.02,
                               "the noise is learnt again once the number of rounds has grown by "
                               "this share; 0: every round"};
  const ParameterInfo covariance = {
      "covariance",
      Kind::kChoice,
      "learned",
      "diagonal: noise known to be independent, so no control variates",
      {"learned", "diagonal"}};
  const ParameterInfo forgetting = {
      "forgetting",
      Kind::kChoice,
      "none",
      "auto: looks for changes of what an action does, and forgets what was before them",
      {"none", "auto"}};

  return {
      {.name = "auto",
       .aliases = {},
       .summary = "picks one of the others from what is known",
       .index = "that of the policy it picks",
       .reference = "docs/choose-a-policy.md",
       .status = PolicyStatus::kLight,
       .needs = {},
       .parameters = {{"alpha", Kind::kPositive, "by delta",
                       "with it, or with delta, policies that have an alpha may be picked"},
                      {"delta", Kind::kProbability, "",
                       "instead of alpha: error probability, with the horizon"},
                      horizon,
                      max_affected,
                      min_uplift,
                      effect_gap},
       .make = make_auto},
      {.name = "ucb",
       .aliases = {},
       .summary = "UCB on the total reward; ignores single payoffs",
       .index = "mean reward(a) + m * radius(a)",
       .reference = "auer02; hsieh22, Appendix D.1",
       .status = kVerified,
       .needs = {},
       .traits = {.on_total = true, .measures_others = true},
       .parameters = {alpha, delta, horizon},
       .make = make_ucb},
      {.name = "ts",
       .aliases = {},
       .summary =
           "Thompson sampling on the total reward, nothing to tell; or prior and noise given",
       .index = "draw from the posterior of the reward of a; the noise is learnt, or has variance "
                "m^2 * sigma2",
       .reference = "hsieh22, Appendix D.1",
       .status = PolicyStatus::kLight,
       .needs = {},
       .traits = {.on_total = true, .draws = true, .has_posterior = true},
       .parameters = {{"sigma2", Kind::kPositive, "learnt",
                       "noise variance of the reward over m^2; needs a prior"},
                      {"prior_mean", Kind::kFinite, "as known",
                       "prior mean of a reward, with sigma2"},
                      {"prior_variance", Kind::kNonNegative, "as known",
                       "prior variance of a reward, with sigma2"}},
       .make = make_ts},
      {.name = "up_ts_bl",
       .aliases = {},
       .summary =
           "Thompson sampling on the uplift, nothing to tune; baseline and affected sets known",
       .index = "draw from the posterior of w(a)'(mean(a) - baseline); noise and weights w learnt",
       .reference = "docs/policies/up_ts_bl.md; beyond the paper",
       .status = PolicyStatus::kLight,
       .revision = 2,
       .needs = Need::kBaseline | Need::kAffected,
       .traits = {.learns_noise = true, .draws = true, .has_posterior = true},
       .parameters = {refit, covariance, forgetting},
       .make = make_up_ts},
      {.name = "up_ts",
       .aliases = {},
       .summary = "Thompson sampling on the uplift, nothing to tune; affected sets known",
       .index =
           "draw from the posterior of w(a)'(mean(a) - baseline); noise, weights w and baseline "
           "learnt",
       .reference = "docs/policies/up_ts.md; beyond the paper",
       .status = PolicyStatus::kLight,
       .revision = 2,
       .needs = Need::kAffected,
       .traits = {.learns_noise = true, .draws = true, .has_posterior = true},
       .parameters = {refit, covariance, forgetting},
       .make = make_up_ts},
      {.name = "up_ts_sparse_bl",
       .aliases = {},
       .summary =
           "Thompson sampling on the uplift, nothing to tune; baseline known, affected sets learnt",
       .index = "draw from the posterior of the sum of a sparse effect of a on every unit; which "
                "units, noise learnt",
       .reference = "docs/policies/up_ts_sparse_bl.md; beyond the paper",
       .status = PolicyStatus::kLight,
       .revision = 3,
       .needs = Need::kBaseline,
       .uses = Need::kSegments,
       .traits = {.draws = true, .has_posterior = true},
       .parameters = {{"units", Kind::kPositiveInteger, 128.0,
                       "most units that it makes of the variables if it is not told segments"}},
       .make = make_up_ts_sparse},
      {.name = "up_ts_sparse",
       .aliases = {},
       .summary = "Thompson sampling on the uplift, nothing to tell and nothing to tune",
       .index = "draw from the posterior of the sum of a sparse effect of a on every unit; which "
                "units, baseline and noise learnt",
       .reference = "docs/policies/up_ts_sparse.md; beyond the paper",
       .status = PolicyStatus::kLight,
       .revision = 3,
       .needs = {},
       .uses = Need::kSegments,
       .traits = {.draws = true, .has_posterior = true},
       .parameters = {{"units", Kind::kPositiveInteger, 128.0,
                       "most units that it makes of the variables if it is not told segments"}},
       .make = make_up_ts_sparse},
      {.name = "up_ucb_cv_bl",
       .aliases = {},
       .summary = "UCB on the uplift, nothing to tune; baseline and affected sets known",
       .index = "w(a)'(mean(a) - baseline) + sqrt(2 log t) * standard error(a)",
       .reference = "docs/policies/up_ucb_cv_bl.md; beyond the paper",
       .status = PolicyStatus::kLight,
       .revision = 2,
       .needs = Need::kBaseline | Need::kAffected,
       .traits = {.learns_noise = true, .has_posterior = true},
       .parameters = {refit, covariance},
       .make = make_up_ucb_cv},
      {.name = "up_ucb_cv",
       .aliases = {},
       .summary = "UCB on the uplift, nothing to tune; affected sets known",
       .index = "w(a)'(mean(a) - bhat) + sqrt(2 log t) * s(a) / sqrt(n(a))",
       .reference = "docs/policies/up_ucb_cv.md; beyond the paper",
       .status = PolicyStatus::kLight,
       .revision = 2,
       .needs = Need::kAffected,
       .traits = {.learns_noise = true, .has_posterior = true},
       .parameters =
           {refit,
            covariance,
            {"radius",
             Kind::kChoice,
             "own",
             "whole: the standard error, with what is unknown of the baseline; can starve actions",
             {"own", "whole"}}},
       .make = make_up_ucb_cv},
      {.name = "up_ucb_bl",
       .aliases = {},
       .summary = "UCB on the uplift; baseline and affected sets known",
       .index = "sum over V(a) of (mean(a,i) + radius(a) - baseline(i))",
       .reference = "hsieh22, Algorithm UpUCB(bl), Proposition 1",
       .status = kVerified,
       .needs = Need::kBaseline | Need::kAffected,
       .parameters = {alpha, delta, horizon},
       .make = make_up_ucb_bl},
      {.name = "up_ucb",
       .aliases = {},
       .summary = "UCB on the uplift; affected sets known, baseline learnt on the way",
       .index = "sum over V(a) of (mean(a,i) + radius(a) - U0(i))",
       .reference = "hsieh22, Algorithm UpUCB, Theorem 1",
       .status = kVerified,
       .needs = Need::kAffected,
       .parameters = {alpha,
                      delta,
                      horizon,
                      {"baseline_bound",
                       Kind::kChoice,
                       "ucb",
                       "which bound on the baseline is subtracted; lcb is the paper's ablation",
                       {"ucb", "lcb"}}},
       .make = make_up_ucb},
      {.name = "up_ucb_l_bl",
       .aliases = {"up_ucb_naff_bl"},
       .summary =
           "UCB on the uplift; baseline and a bound L on the number of affected variables known",
       .index = "identified variables plus the L(a) - |identified| best of the rest",
       .reference = "hsieh22, Algorithm UpUCB-L(bl), Theorem 2",
       .status = kVerified,
       .needs = Need::kBaseline | Need::kMaxAffected,
       .parameters = {alpha, delta, horizon, max_affected},
       .make = make_up_ucb_l_bl},
      {.name = "up_ucb_l",
       .aliases = {"up_ucb_naff"},
       .summary = "UCB on the uplift; only a bound L on the number of affected variables known",
       .index = "against the most pulled action b: identified variables plus at most "
                "L(a) + L(b) - |identified| of the rest with a positive index",
       .reference = "hsieh22, Algorithm UpUCB-L, Theorem 2",
       .status = kVerified,
       .needs = Need::kMaxAffected,
       .parameters = {alpha, delta, horizon, max_affected},
       .make = make_up_ucb_l},
      {.name = "up_ucb_ilift_bl",
       .aliases = {},
       .summary = "UCB on the uplift; baseline and a bound Delta on individual uplifts known",
       .index = "all variables until n0 = ceil(8 / Delta^2 * alpha) pulls, then those farther "
                "than Delta / 2 from the baseline",
       .reference = "hsieh22, Algorithm UpUCB-iLift(bl), Theorem 3",
       .status = kVerified,
       .needs = Need::kBaseline | Need::kMinUplift,
       .parameters = {alpha, delta, horizon, min_uplift},
       .make = make_up_ucb_ilift_bl},
      {.name = "up_ucb_ilift",
       .aliases = {},
       .summary = "elimination, then UCB on the uplift; only the effect gap known",
       .index = "n0 = ceil(32 / Delta^2 * alpha) rounds of elimination, then the sum over "
                "identified variables of (mean(a,i) + radius(a) - U0(i))",
       .reference = "hsieh22, Algorithm UpUCB-iLift, Theorem 4",
       .status = kVerified,
       .needs = Need::kEffectGap,
       .parameters = {alpha,
                      delta,
                      horizon,
                      effect_gap,
                      {"baseline_estimate",
                       Kind::kChoice,
                       "most_pulled",
                       "aggregated: U0(i) from all actions of a baseline set in phase II and one "
                       "of them in phase I",
                       {"most_pulled", "aggregated"}}},
       .make = make_up_ucb_ilift},
      {.name = "up_ucb_l_ilift_bl",
       .aliases = {},
       .summary = "up_ucb_l_bl and up_ucb_ilift_bl together; baseline, L and Delta known",
       .index = "as up_ucb_l_bl until n0 = ceil(8 / Delta^2 * alpha) pulls, then the variables "
                "farther than Delta / 2 from the baseline",
       .reference = "hsieh22, remark after Theorem 3, with the proofs of Theorems 2 and 3",
       .status = kVerified,
       .needs = Need::kBaseline | Need::kMaxAffected | Need::kMinUplift,
       .parameters = {alpha, delta, horizon, max_affected, min_uplift},
       .make = make_up_ucb_l_ilift_bl},
      {.name = "up_ucb_pad_bl",
       .aliases = {},
       .summary = "a yardstick: up_ucb_l_bl without identification; baseline and L known",
       .index = "the L(a) largest of mean(a,i) + radius(a) - baseline(i)",
       .reference = "hsieh22, Section 6.1, after Theorem 2, which argues against it",
       .status = PolicyStatus::kLight,
       .needs = Need::kBaseline | Need::kMaxAffected,
       .parameters = {alpha, delta, horizon, max_affected},
       .make = make_up_ucb_pad_bl},
      {.name = "up_ucb_explore_bl",
       .aliases = {},
       .summary = "a yardstick: identifies by n0 pulls of each action, then plays up_ucb_bl; "
                  "baseline and Delta known",
       .index = "+infinity until n0 = ceil(8 / Delta^2 * alpha) pulls, then the sum over the "
                "variables found by then of (mean(a,i) + radius(a) - baseline(i))",
       .reference = "hsieh22, Section 6.2, before Theorem 3, which improves on it",
       .status = PolicyStatus::kVerified,
       .needs = Need::kBaseline | Need::kMinUplift,
       .parameters = {alpha, delta, horizon, min_uplift},
       .make = make_up_ucb_explore_bl},
      {.name = "up_ucb_obs",
       .aliases = {},
       .summary = "UCB on the uplift; affected sets known, baseline from observations made before",
       .index = "sum over V(a) of (mean(a,i) + radius(a) - (observed mean(i) - "
                "sqrt(2 alpha / observed count(i))))",
       .reference = "hsieh22, paragraph 'Estimating Baseline Payoffs from Observational Data'",
       .status = PolicyStatus::kLight,
       .needs = Need::kAffected | Need::kObservations,
       .parameters = {alpha,
                      delta,
                      horizon,
                      {"observations", Kind::kPositiveInteger, double{kBaselineObservations},
                       "in simulations: baseline payoffs observed per variable before the start"}},
       .make = make_up_ucb_obs},
  };
}

namespace {

/// What the parameters of a spec bring along.
Needs provided_by(const PolicySpec& spec) {
  Needs provided;
  if (spec.number("max_affected") || spec.list("max_affected")) {
    provided = provided | Need::kMaxAffected;
    if (policy_info(spec.name()).kind == PolicyKind::kContextual) {
      provided = provided | Need::kAffected;
    }
  }
  if (spec.number("min_uplift")) provided = provided | Need::kMinUplift;
  if (spec.number("effect_gap")) provided = provided | Need::kEffectGap;
  if (spec.number("horizon")) provided = provided | Need::kHorizon;
  if (spec.number("prior_mean") && spec.number("prior_variance")) {
    provided = provided | Need::kRewardPrior;
  }
  return provided;
}

/// What the parameter max_affected says, if given.
void add_max_affected(const PolicySpec& spec, Knowledge& knowledge) {
  try {
    if (const auto most = spec.number("max_affected")) {
      knowledge.set_max_affected(static_cast<std::size_t>(*most));
    } else if (const auto list = spec.list("max_affected")) {
      knowledge.set_max_affected(std::vector<std::size_t>(list->begin(), list->end()));
    }
  } catch (const InvalidInput& refused) {
    throw InvalidInput(spec.name() + "." + refused.field(), refused.value(), refused.rule());
  }
}

Needs used_by(const PolicySpec& spec) {
  const PolicyInfo& info = policy_info(spec.name());
  const bool plain = info.kind == PolicyKind::kPlain;  // for others delta stands for a beta
  const bool alpha_by_delta = spec.number("delta") && plain && spec.name() != "auto";
  if (alpha_by_delta) return info.needs | Need::kHorizon;
  return spec.number("sigma2") ? info.needs | Need::kRewardPrior : info.needs;
}

[[noreturn]] void refuse_missing(const PolicySpec& spec, Needs missing, const Knowledge& known) {
  const std::string pick = pick_policy(PolicySpec::parse("auto"), known).spec.name();
  std::vector<std::string> others = policies_that_need_at_most(known.known());
  std::erase_if(others, [&](const std::string& one) { return one == "auto" || one == pick; });
  throw InvalidInput(
      spec.name(),
      fmt::format("needs to know {}, which {} missing; with what is known ({}) auto takes {}; "
                  "these would do, too: {}",
                  needs_text(missing), need_names(missing).size() == 1 ? "is" : "are",
                  needs_text(known.known()), pick, fmt::join(others, ", ")));
}

}  // namespace

std::string_view status_name(PolicyStatus status) {
  switch (status) {
    case PolicyStatus::kVerified:
      return "verified";
    case PolicyStatus::kLight:
      return "light";
    case PolicyStatus::kExperimental:
      return "experimental";
  }
  return "";
}

std::string ParameterInfo::Default::text() const {
  const std::string value = number ? number_text(*number) : std::string(words);
  return except.empty() ? value : fmt::format("{}; {}", value, except);
}

std::string parameter_rule(const ParameterInfo& parameter) {
  switch (parameter.kind) {
    case Kind::kPositive:
      return "must be > 0";
    case Kind::kNonNegative:
      return "must be >= 0";
    case Kind::kFinite:
      return "must be finite";
    case Kind::kProbability:
      return "must be in (0, 1)";
    case Kind::kPositiveInteger:
      return "must be a whole number >= 1";
    case Kind::kCountPerAction:
      return "must be a whole number >= 1, or a list such as [3, 0, 5] of one >= 0 per action";
    case Kind::kChoice:
      return fmt::format("must be one of {}", fmt::join(parameter.choices, ", "));
  }
  return "";
}

bool PolicyInfo::has_parameter(std::string_view parameter) const {
  return std::any_of(parameters.begin(), parameters.end(),
                     [&](const ParameterInfo& known) { return known.name == parameter; });
}

std::span<const PolicyInfo> policies() {
  static const std::vector<PolicyInfo> table = [] {
    std::vector<PolicyInfo> all = plain_table();
    for (const auto& more : {targeting_table(), contextual_table()}) {
      all.insert(all.end(), more.begin(), more.end());
    }
    return all;
  }();
  return table;
}

std::span<const PolicyInfo> policies(PolicyKind kind) {
  const auto all = policies();
  const auto is_of_kind = [kind](const PolicyInfo& info) { return info.kind == kind; };
  const auto first = std::find_if(all.begin(), all.end(), is_of_kind);
  return {first, std::find_if_not(first, all.end(), is_of_kind)};
}

std::string_view kind_purpose(PolicyKind kind) {
  switch (kind) {
    case PolicyKind::kPlain:
      return "single actions";
    case PolicyKind::kTargeting:
      return "targeting";
    case PolicyKind::kContextual:
      return "actions with contexts";
  }
  return "";
}

void check_kind(const PolicySpec& spec, PolicyKind wanted) {
  const PolicyKind own = policy_info(spec.name()).kind;
  if (own == wanted) return;
  std::vector<std::string_view> names;
  for (const PolicyInfo& info : policies(wanted)) {
    const bool usable = info.make != nullptr && info.status != PolicyStatus::kExperimental;
    if (usable) names.push_back(info.name);
  }
  throw InvalidInput(
      "policy", spec.name(),
      fmt::format("is for {} ({}), not for {}; for these there are: {}", kind_purpose(own),
                  own == PolicyKind::kPlain ? "docs/choose-a-policy.md" : "docs/targeting.md",
                  kind_purpose(wanted), fmt::join(names, ", ")));
}

const PolicyInfo& policy_info(std::string_view name) {
  std::vector<std::string> valid;
  for (const PolicyInfo& info : policies()) {
    if (info.name == name) return info;
    if (std::find(info.aliases.begin(), info.aliases.end(), name) != info.aliases.end()) {
      return info;
    }
    valid.emplace_back(info.name);
  }
  throw unknown_name("policy", name, valid);
}

std::vector<std::string> need_names(Needs needs) {
  std::vector<std::string> names;
  for (const Need need : all_needs()) {
    if (needs.contains(need)) names.push_back(need_name(need));
  }
  return names;
}

Needs needs_of(const PolicySpec& spec) { return used_by(spec).without(provided_by(spec)); }

Knowledge knowledge_for(const PolicySpec& spec, const Knowledge& knowledge) {
  if (knowledge.kind() != PolicyKind::kPlain) return knowledge;
  Knowledge known = spec.name() == "auto"
                        ? knowledge
                        : knowledge.only(used_by(spec) | policy_info(spec.name()).uses);
  add_max_affected(spec, known);
  if (const auto value = spec.number("min_uplift")) known.set_min_uplift(*value);
  if (const auto value = spec.number("effect_gap")) known.set_effect_gap(*value);
  if (const auto value = spec.number("horizon")) {
    known.set_horizon(static_cast<std::uint64_t>(*value));
  }
  const auto mean = spec.number("prior_mean");
  const auto variance = spec.number("prior_variance");
  if (const auto prior = knowledge.reward_prior(); prior && (mean || variance)) {
    known.set_reward_prior({mean.value_or(prior->mean), variance.value_or(prior->variance)});
  } else if (mean && variance) {
    known.set_reward_prior({*mean, *variance});
  }
  const Needs missing = used_by(spec).without(known.known());
  if (!missing.empty()) refuse_missing(spec, missing, knowledge);
  return known;
}

std::unique_ptr<Policy> make_policy(const PolicySpec& spec, const Knowledge& knowledge) {
  check_kind(spec, knowledge.kind());
  const PolicyInfo& info = policy_info(spec.name());
  if (info.make == nullptr) {
    throw InvalidInput("policy", spec.name(), "must know the truth: it can only be simulated");
  }
  return info.make(spec, knowledge_for(spec, knowledge));
}

std::unique_ptr<Policy> make_policy(std::string_view spec, const Knowledge& knowledge) {
  return make_policy(PolicySpec::parse(spec), knowledge);
}

std::vector<std::string> policies_that_need_at_most(Needs known) {
  std::vector<std::string> names;
  for (const PolicyInfo& info : policies(PolicyKind::kPlain)) {
    if (info.status == PolicyStatus::kExperimental) continue;
    if (info.needs.without(known).empty()) names.emplace_back(info.name);
  }
  return names;
}

}  // namespace updraft

#include "policies/all_policies.h"
#include "policies/policy_tables.h"

namespace updraft {
namespace {

using Kind = ParameterInfo::Kind;

}  // namespace

std::vector<PolicyInfo> targeting_table() {
  const ParameterInfo model = {
      "model", Kind::kChoice, "linear", "how payoffs depend on features", {"linear", "logistic"}};
  const ParameterInfo fit = {"fit",
                             Kind::kChoice,
                             "exact",
                             "logistic models: maximum likelihood on all rows, or Newton steps on "
                             "the new ones",
                             {"exact", "online"}};
  const auto lambda = [](std::string_view except) {
    return ParameterInfo{"lambda", Kind::kPositive, {1.0, except}, "ridge of the models and of V"};
  };
  const ParameterInfo fill = {"fill",
                              Kind::kChoice,
                              "no",
                              "yes: always treats as many as the budget allows, worth it or not",
                              {"no", "yes"}};
  const auto norms = [](std::string_view except) {
    return ParameterInfo{"norms",
                         Kind::kChoice,
                         {"any", except},
                         "what becomes of features longer than 1, the theorem's bound",
                         {"any", "scale", "refuse"}};
  };
  const ParameterInfo beta = {"beta", Kind::kPositive, "",
                              "exploration: widths of the ellipsoid; give beta, or delta"};
  const ParameterInfo delta = {"delta", Kind::kProbability, "",
                               "error probability in place of beta: beta is then the theorem's"};
  const ParameterInfo bound = {"bound", Kind::kPositive, 1.0,
                               "B, an upper bound on the length of every theta; with delta"};
  const ParameterInfo eps = {"eps", Kind::kProbability, "",
                             "share of the budget that explores at random"};
  const std::vector<ParameterInfo> optimistic = {beta,  delta,
                                                 bound, model,
                                                 fit,   lambda("the budget with delta"),
                                                 fill,  norms("refuse with delta")};
  const std::vector<ParameterInfo> greedy = {model, fit, lambda(""), fill, norms("")};
  const std::vector<ParameterInfo> exploring = {eps, model, fit, lambda(""), fill, norms("")};
  constexpr std::string_view kSource = "hsieh22, appendix 'Experiments for Targeted Campaign'";
  constexpr auto kStatus = PolicyStatus::kLight;

  const auto row = [&](std::string_view name, std::string_view summary, std::string_view index,
                       std::string_view reference, Needs needs,
                       const std::vector<ParameterInfo>& parameters) {
    return PolicyInfo{.name = name,
                      .kind = PolicyKind::kTargeting,
                      .aliases = {},
                      .summary = summary,
                      .index = index,
                      .reference = reference,
                      .status = kStatus,
                      .needs = needs,
                      .parameters = parameters,
                      .make = make_learning_targeting};
  };
  const auto drawing = [](PolicyInfo info) {
    info.traits.draws = true;
    return info;
  };
  PolicyInfo random = row("random", "treats at random, as many as the budget allows; a yardstick",
                          "none", kSource, Needs(), {});
  random.make = make_random_targeting;
  random.traits = {.draws = true, .learns_nothing = true};
  PolicyInfo oracle =
      row("oracle", "treats by the true uplift, which only a simulation knows; a yardstick",
          "true uplift(x)", kSource, Needs(), {fill});
  oracle.make = nullptr;
  oracle.traits.learns_nothing = true;
  PolicyInfo c2_ucb = row("c2_ucb", "treats by the upper bound of the payoff; ignores the baseline",
                          "max over z of upper(z, x)", kSource, Needs(), optimistic);
  c2_ucb.traits.ignores_baseline = true;
  return {
      row("c2_up_ucb", "treats by the difference of two upper bounds; baseline learnt",
          "max over z of upper(z, x) - upper(0, x)", "hsieh22, Algorithm C2UpUCB, its theorem",
          Needs(), optimistic),
      row("c2_up_ucb_bl", "treats by the upper bound of the uplift; baseline known",
          "max over z of upper(z, x) - baseline(x)", kSource, Need::kBaseline, optimistic),
      c2_ucb,
      row("greedy", "treats by the estimated uplift; baseline learnt",
          "max over z of model(z, x) - model(0, x)", kSource, Needs(), greedy),
      row("greedy_bl", "treats by the estimated uplift; baseline known",
          "max over z of model(z, x) - baseline(x)", kSource, Need::kBaseline, greedy),
      drawing(row("eps_greedy", "greedy with a part of the budget at random; baseline learnt",
                  "as greedy; b ~ Binomial(L, eps) individuals at random", kSource, Needs(),
                  exploring)),
      drawing(row("eps_greedy_bl", "greedy with a part of the budget at random; baseline known",
                  "as greedy_bl; b ~ Binomial(L, eps) individuals at random", kSource,
                  Need::kBaseline, exploring)),
      random,
      oracle,
  };
}

}  // namespace updraft

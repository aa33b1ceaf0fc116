#include "policies/all_policies.h"
#include "policies/policy_tables.h"

namespace updraft {
namespace {

using Kind = ParameterInfo::Kind;

}  // namespace

std::vector<PolicyInfo> contextual_table() {
  const std::vector<ParameterInfo> plain = {
      {"beta", Kind::kPositive, "", "exploration: widths of the ellipsoid; give beta, or delta"},
      {"delta", Kind::kProbability, "",
       "error probability in place of beta: beta then grows by the theorem of C2UpUCB, which wants "
       "features no longer than 1"},
      {"bound", Kind::kPositive, 1.0, "B, an upper bound on the length of every theta; with delta"},
      {"lambda", Kind::kPositive, 1.0, "ridge of the models and of V"}};
  std::vector<ParameterInfo> parameters = plain;
  parameters.push_back(
      {"max_affected", Kind::kPositiveInteger, "",
       "L, an upper bound on how many variables an action affects in a round, in place of the "
       "sets"});
  constexpr std::string_view kSource =
      "hsieh22, paragraph 'Contextual Uplifting Bandit with Linear Payoffs'";

  return {
      {.name = "lin_up_ucb",
       .kind = PolicyKind::kContextual,
       .aliases = {},
       .summary = "UCB on the uplift, payoffs linear in features; affected sets or L known",
       .index = "sum over V(t,a), or over identified variables and padding, of "
                "(upper(a,x) - upper(0,x))",
       .reference = kSource,
       .status = PolicyStatus::kLight,
       .needs = Need::kAffected,
       .parameters = parameters,
       .make = make_lin_up_ucb},
      {.name = "lin_up_ucb_bl",
       .kind = PolicyKind::kContextual,
       .aliases = {},
       .summary =
           "UCB on the uplift, payoffs linear in features; baseline and affected sets or L known",
       .index = "sum over V(t,a), or over identified variables and padding, of "
                "(upper(a,x) - baseline(x))",
       .reference = kSource,
       .status = PolicyStatus::kLight,
       .needs = Need::kBaseline | Need::kAffected,
       .parameters = parameters,
       .make = make_lin_up_ucb},
      {.name = "lin_ucb",
       .kind = PolicyKind::kContextual,
       .aliases = {},
       .summary = "UCB on the sum of all payoffs, linear in features; a yardstick",
       .index = "sum over all variables of upper(a,x)",
       .reference = kSource,
       .status = PolicyStatus::kLight,
       .needs = Needs(),
       .parameters = plain,
       .make = make_lin_up_ucb},
  };
}

}  // namespace updraft

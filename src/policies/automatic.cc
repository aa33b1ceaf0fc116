#include <fmt/format.h>

#include "policies/all_policies.h"
#include "updraft/error.h"
#include "updraft/registry.h"

namespace updraft {
namespace {

/// What `auto` picks where all of `needs` is known, the first row that fits.
struct Choice {
  std::string_view policy;
  Needs needs;
  std::string_view because;
  bool has_alpha = false;  ///< only if alpha or delta is given
};

constexpr Choice kChoices[] = {
    {"up_ts_bl", Need::kBaseline | Need::kAffected,
     "baseline and affected sets are known, and the noise is learnt: nothing to tune"},
    {"up_ts", Need::kAffected,
     "the affected sets are known; baseline and noise are learnt: nothing to tune"},
    {"up_ucb_l_ilift_bl", Need::kBaseline | Need::kMaxAffected | Need::kMinUplift,
     "the affected sets are not known, but the baseline, L and Delta are", true},
    {"up_ucb_l_bl", Need::kBaseline | Need::kMaxAffected,
     "the affected sets are not known, but the baseline and L are", true},
    {"up_ucb_ilift_bl", Need::kBaseline | Need::kMinUplift,
     "the affected sets are not known, but the baseline and Delta are", true},
    {"up_ucb_l", Need::kMaxAffected, "neither affected sets nor baseline are known, but L is",
     true},
    {"up_ucb_ilift", Need::kEffectGap,
     "neither affected sets nor baseline are known, but the effect gap is", true},
    {"ucb", Needs(), "nothing is known that would identify the uplift, so it uses the total reward",
     true},
    {"up_ts_sparse_bl", Need::kBaseline,
     "the baseline is known; affected sets and noise are learnt: nothing to tune"},
    {"up_ts_sparse", Needs(),
     "affected sets, baseline and noise are learnt: nothing to tell, nothing to tune"},
};

}  // namespace

Pick pick_policy(const PolicySpec& automatic, const Knowledge& knowledge) {
  if (automatic.name() != "auto") return {automatic, ""};
  const Knowledge known = knowledge_for(automatic, knowledge);
  const bool alpha_given = automatic.number("alpha") || automatic.number("delta");
  const Choice* choice = kChoices;
  while ((choice->has_alpha && !alpha_given) || !choice->needs.without(known.known()).empty()) {
    ++choice;
  }

  const PolicyInfo& info = policy_info(choice->policy);
  Pick pick{PolicySpec::parse(info.name), std::string(choice->because)};
  for (const ParameterInfo& parameter : policy_info(automatic.name()).parameters) {
    if (info.has_parameter(parameter.name)) {
      pick.spec = pick.spec.with_that_of(automatic, parameter.name);
    }
  }
  if (!choice->has_alpha || pick.spec.number("alpha")) return pick;
  if (!known.horizon()) {
    throw InvalidInput(
        "auto.alpha",
        fmt::format(
            "missing: {} is the pick ({}), and with delta it needs the horizon; without delta, "
            "auto picks a policy that needs neither",
            info.name, choice->because));
  }
  pick.reason +=
      "; alpha follows from delta and the horizon: it holds for the worst noise, and can cost a "
      "hundred times the regret of up_ts_sparse, which auto picks without delta";
  return pick;
}

std::unique_ptr<Policy> make_auto(const PolicySpec& spec, const Knowledge& knowledge) {
  return make_policy(pick_policy(spec, knowledge).spec, knowledge);
}

}  // namespace updraft

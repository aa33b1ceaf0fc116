#include "service/knowledge_summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/grouped.h"
#include "policies/estimates.h"
#include "updraft/registry.h"

namespace updraft {
namespace {

/// Names are listed up to this many.
constexpr std::size_t kMostNames = 20;

constexpr std::string_view kTheoremAlpha =
    "Its alpha follows from delta and the horizon: it holds for the worst noise, and can cost a "
    "hundred times the regret of a policy that learns the noise.";

std::string count_text(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", grouped(static_cast<double>(count), 0), count == 1 ? one : many);
}

std::string variables_text(std::size_t count) { return count_text(count, "variable", "variables"); }

std::string affected_text(const AffectedSets& sets) {
  std::size_t least = sets.of(0).size();
  for (ActionId action = 1; action < sets.actions(); ++action) {
    least = std::min(least, sets.of(action).size());
  }
  const std::size_t most = sets.largest();
  return fmt::format("which variables each action affects ({} an action)",
                     least == most ? variables_text(most)
                                   : fmt::format("{} to {}", grouped(static_cast<double>(least), 0),
                                                 variables_text(most)));
}

std::string max_affected_text(const Knowledge& knowledge) {
  const std::string most = variables_text(*knowledge.max_affected());
  const std::vector<std::size_t>* bounds = knowledge.max_affected_per_action();
  if (bounds == nullptr) return fmt::format("that an action affects at most L = {}", most);
  const std::size_t least = *std::min_element(bounds->begin(), bounds->end());
  return fmt::format("how many variables each action affects at most ({} to {})",
                     grouped(static_cast<double>(least), 0), most);
}

std::string text_of(Need need, const Knowledge& knowledge) {
  switch (need) {
    case Need::kBaseline:
      return "the mean payoff of every variable when nothing is done";
    case Need::kAffected:
      return affected_text(*knowledge.affected());
    case Need::kMaxAffected:
      return max_affected_text(knowledge);
    case Need::kMinUplift:
      return fmt::format("that an action moves each variable it affects by at least {}",
                         *knowledge.min_uplift());
    case Need::kEffectGap:
      return fmt::format(
          "that the effects of two actions on a variable that one of them affects are at least {} "
          "apart",
          *knowledge.effect_gap());
    case Need::kHorizon:
      return fmt::format("that there will be {}",
                         count_text(*knowledge.horizon(), "decision", "decisions"));
    case Need::kRewardPrior:
      return fmt::format("that rewards are about {}, give or take a variance of {}",
                         knowledge.reward_prior()->mean, knowledge.reward_prior()->variance);
    case Need::kObservations:
      return "payoffs of every variable that were observed before, without any action";
    case Need::kSegments:
      return fmt::format("that the variables form {} whose members tend to be moved together",
                         count_text(knowledge.segments()->groups(), "segment", "segments"));
  }
  return "";
}

std::vector<std::string> texts_of(Needs needs, const Knowledge& knowledge) {
  std::vector<std::string> out;
  for (const Need need : all_needs()) {
    if (needs.contains(need)) out.push_back(text_of(need, knowledge));
  }
  return out;
}

/// Only what was said: max_affected() also follows from affected sets.
Needs said(const Knowledge& knowledge) {
  const Needs known = knowledge.known();
  return known.contains(Need::kAffected) ? known.without(Need::kMaxAffected) : known;
}

void add_unknown_baseline(const Knowledge& used, std::vector<std::string>& out) {
  if (used.affected() == nullptr || used.baseline() != nullptr || used.observations() != nullptr) {
    return;
  }
  const std::size_t count = affected_by_all(*used.affected());
  if (count == 0) return;
  out.push_back(
      fmt::format("All actions affect {}, so nothing tells what would happen there without any: "
                  "uplifts cannot be known, differences between actions can.",
                  variables_text(count)));
}

void add_knowledge(const CampaignDefinition& campaign, std::vector<std::string>& out) {
  const Knowledge used = knowledge_for(campaign.spec, *campaign.knowledge);
  const Needs uses = said(used);
  out.push_back(fmt::format("It chooses among {} and looks at {}.",
                            count_text(used.actions(), "action", "actions"),
                            variables_text(used.variables())));
  if (uses.empty()) {
    out.emplace_back("It was told nothing else.");
  } else {
    for (const std::string& text : texts_of(uses, used)) {
      out.push_back(fmt::format("It was told {}.", text));
    }
  }
  add_unknown_baseline(used, out);
  if (campaign.spec.number("delta")) out.emplace_back(kTheoremAlpha);
  for (const std::string& text :
       texts_of(said(*campaign.knowledge).without(uses), *campaign.knowledge)) {
    out.push_back(fmt::format("It makes no use of this: {}.", text));
  }
}

void add_shape(const TargetingShape& shape, std::vector<std::string>& out) {
  out.push_back(fmt::format("Of each pool it may treat {}, with one of {}, by {} of each.",
                            count_text(shape.budget, "individual", "individuals"),
                            count_text(shape.treatments, "treatment", "treatments"),
                            count_text(shape.features, "feature", "features")));
}

/// What is said of the variables once and for all, and what every decision says.
void add_contexts(const CampaignDefinition& campaign, std::vector<std::string>& out) {
  const ContextualShape& shape = *campaign.contexts;
  const bool names = !campaign.feature_names.empty() && campaign.feature_names.size() <= kMostNames;
  out.push_back(
      fmt::format("It chooses among {} by {} of each variable{}{}.",
                  count_text(shape.actions, "action", "actions"),
                  count_text(shape.features, "feature", "features"), names ? ": " : "",
                  names ? fmt::format("{}", fmt::join(campaign.feature_names, ", ")) : ""));
  if (!campaign.knowledge) {
    out.emplace_back("Each decision has variables of its own, in any number.");
  } else {
    out.push_back(fmt::format("Every decision is about the same {}.",
                              variables_text(campaign.knowledge->variables())));
    for (const std::string& text : texts_of(said(*campaign.knowledge), *campaign.knowledge)) {
      out.push_back(fmt::format("Unless a decision says otherwise, it was told {}.", text));
    }
  }
  if (const auto most = campaign.spec.number("max_affected")) {
    out.push_back(fmt::format("It was told that an action affects at most L = {} in a round.",
                              variables_text(static_cast<std::size_t>(*most))));
  }
}

void add_loss(const CampaignDefinition& campaign, std::vector<std::string>& out) {
  if (!campaign.wait_seconds) {
    out.emplace_back("Payoffs are waited for as long as it takes.");
    return;
  }
  out.push_back(
      fmt::format("A decision whose payoffs are not complete after {} seconds counts as lost: {}.",
                  *campaign.wait_seconds,
                  campaign.lost == LostPayoffs::kZeros
                      ? "payoffs of 0 are learnt from in their place"
                      : "nothing is learnt from it unless they come after all"));
}

void add_mode(const CampaignDefinition& campaign, std::vector<std::string>& out) {
  if (campaign.shadow) {
    out.emplace_back("It began in shadow mode: others decided, and it learned from that.");
  }
  const RoundShares& shares = campaign.evidence.shares;
  if (shares.holdout > 0.0) {
    out.push_back(fmt::format("It takes the control action, {}, in a share {} of the decisions.",
                              action_name(campaign, *shares.control), shares.holdout));
  }
  if (shares.probe > 0.0) {
    out.push_back(fmt::format(
        "In a share {} of the decisions it takes what settles soonest which action is best.",
        shares.probe));
  }
  if (campaign.people_held_out > 0.0) {
    out.push_back(fmt::format("It leaves a share {} of the people chosen untreated.",
                              campaign.people_held_out));
  }
  for (const Guardrail& guardrail : campaign.evidence.guardrails) {
    out.push_back(fmt::format("Guardrail {}: the sum of {} must not fall by more than {}{}.",
                              guardrail.name, variables_text(guardrail.variables.size()),
                              guardrail.tolerance,
                              guardrail.pause ? "; an action that breaks it is paused" : ""));
  }
}

}  // namespace

std::vector<std::string> knowledge_summary(const CampaignDefinition& campaign) {
  std::vector<std::string> out;
  out.push_back(
      fmt::format("{}: {}.", campaign.spec.text(), policy_info(campaign.spec.name()).summary));
  if (campaign.shape) {
    add_shape(*campaign.shape, out);
  } else if (campaign.contexts) {
    add_contexts(campaign, out);
  } else {
    add_knowledge(campaign, out);
  }
  add_mode(campaign, out);
  add_loss(campaign, out);
  return out;
}

}  // namespace updraft

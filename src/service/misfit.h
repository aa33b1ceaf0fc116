#pragma once

#include <optional>
#include <string>
#include <vector>

#include "service/live_campaign.h"
#include "service/variable_uplifts.h"

namespace updraft {

/// Something that was declared and that the payoffs speak against.
struct Misfit {
  enum class Kind {
    kOutsideDeclared,   ///< a variable outside an action's declared set moves with it
    kMoreThanDeclared,  ///< more variables are identified than max_affected
    kScale,             ///< payoffs are much larger or smaller than the policy takes them for
  };

  Kind kind = Kind::kScale;
  std::optional<ActionId> action;
  std::string message;  ///< what was seen
  std::string advice;   ///< what to do about it
};

/// "outside_declared", "more_than_declared", "scale".
std::string_view kind_name(Misfit::Kind kind);

/// "Action 3", or "Action 'news'".
std::string action_text(const CampaignDefinition& campaign, ActionId action);

/// The misfits that the statistics of a campaign allow to see. `uplifts` may be null where sums per
/// variable are not kept. Cost: O(K m).
std::vector<Misfit> misfits(const LiveCampaign& campaign, const Explanation& explanation,
                            const VariableUplifts* uplifts);

/// The same of a campaign with contexts: whether its payoffs are as large as those that delta and
/// bound are right for. Cost: O(K).
std::vector<Misfit> context_misfits(const LiveCampaign& campaign);

}  // namespace updraft

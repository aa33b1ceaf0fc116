#pragma once

#include <nlohmann/json.hpp>

#include "service/live_campaign.h"
#include "store/event_store.h"

namespace updraft {

/// The campaign in a list: name, policy, state.
nlohmann::json brief(const CampaignGauges& counts, const CampaignDefinition& definition);

/// The same of one that cannot be used, as far as it is known, with the reason.
nlohmann::json brief_of_quarantined(const CampaignGauges& counts, const std::string& reason);

/// The same of one that is archived.
nlohmann::json brief_of_archived(const StoredArchive& archive);

/// When and by whom it was created, if that is known.
void put_creation(const StoredCampaign& stored, nlohmann::json& out);

/// With its definition.
nlohmann::json described(const LiveCampaign& campaign);

/// And with the policy's estimates, the knowledge summary, and warnings that contradict it. With
/// `only_counts` the definition and sets of variables are left out, and numbers stand in for them:
/// however many variables there are, it is small. docs/service.md, 'Report'.
nlohmann::json campaign_report(const LiveCampaign& campaign, bool only_counts);

/// Estimates and choices over time. docs/service.md, 'Report'.
nlohmann::json campaign_history(const LiveCampaign& campaign);

}  // namespace updraft

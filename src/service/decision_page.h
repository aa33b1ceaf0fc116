#pragma once

#include <nlohmann/json.hpp>

#include "service/campaign_definition.h"
#include "service/queries.h"
#include "store/event_store.h"

namespace updraft {

/// The answer of GET .../decisions: decisions with the fields of a decision log, in the order in
/// which they were made. Looks at no more than kMostScanned events, and ends early if the payoffs
/// are many. Throws StoreError.
inline constexpr std::size_t kMostScanned = 10'000;
nlohmann::json decision_page(const EventStore& store, const StoredCampaign& campaign,
                             const CampaignDefinition& definition, const EventQuery& query);

}  // namespace updraft

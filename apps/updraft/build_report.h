#pragma once

#include <string>
#include <vector>

#include "output.h"
#include "updraft/campaign.h"
#include "updraft/campaign_data.h"
#include "updraft/clustered_instance.h"

namespace updraft::cli {

// What `updraft build-instance` prints about its result.

/// Rows, features, the quality of every treatment's model, uplifts.
std::string campaign_report(const CampaignData& data, const Campaign& campaign);
Json campaign_json(const CampaignData& data, const Campaign& campaign);

/// A table of clusters with their sizes, rates and uplifts.
std::string cluster_report(const CampaignData& data, const ClusteredInstance& instance);
Json cluster_json(const CampaignData& data, const ClusteredInstance& instance);

}  // namespace updraft::cli

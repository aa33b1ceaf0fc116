#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "service/campaign_definition.h"
#include "store/event_store.h"

namespace updraft {

/// An event as a line of a campaign log (docs/formats/campaign-log.md), without its checksum.
nlohmann::json event_json(const Event& event, const CampaignDefinition& definition);

/// The event of such a line. Throws InvalidInput that names the field.
Event event_from(const nlohmann::json& line, const CampaignDefinition& definition);

/// Milliseconds since 1970; negative before that, as a clock that was never set may have it. Throws
/// InvalidInput.
std::int64_t time_field(const nlohmann::json& value, std::string_view field);

/// The name of a token, as in a token file. Throws InvalidInput.
std::string name_field(const nlohmann::json& value);

}  // namespace updraft

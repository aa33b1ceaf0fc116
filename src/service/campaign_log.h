#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "store/event_store.h"

namespace updraft {

/// The campaign of that name. Throws InvalidInput if there is none, or its events were dropped.
StoredCampaign campaign_with_events(const EventStore& store, std::string_view name);

/// Writes a campaign as JSON lines: definition, events, end. Format: docs/formats/campaign-log.md.
/// Throws StoreError, and InvalidInput if there is no such campaign or its events were dropped.
void export_campaign(const EventStore& store, std::string_view name, std::ostream& out);

/// Reads what export_campaign() wrote, and throws InvalidInput unless it has exactly the events
/// that the campaign has or had in the store, which keeps their chain when it drops or deletes
/// them. The number of events.
std::uint64_t audit_campaign(const EventStore& store, std::istream& in);

/// Takes over what export_campaign() wrote, all of it or nothing; its name. Throws InvalidInput
/// that names the line: not such lines, events that do not follow from those before them, an end
/// that is missing or does not fit, a campaign that is there already.
std::string import_campaign(EventStore& store, std::istream& in);

}  // namespace updraft

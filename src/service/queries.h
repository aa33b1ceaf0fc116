#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "service/campaign_definition.h"
#include "updraft/ids.h"

namespace updraft {

/// The query of an address, decoded.
using Query = std::vector<std::pair<std::string, std::string>>;

/// Which variables of an action to show: GET .../actions/A/variables.
struct VariableQuery {
  enum class Show {
    kAffected,    ///< declared to be affected or, with unknown sets, identified
    kPadding,     ///< may be affected, and counted in
    kSurprising,  ///< outside the declared set, and yet the interval of the uplift excludes 0
    kAll,
  };

  ActionId action = 0;
  Show show = Show::kAffected;
  std::string search;  ///< in the name, without regard to case, or in the number
  std::size_t from = 0;
  std::size_t count = 50;
};

/// Which events of a campaign to show: GET .../events.
struct EventQuery {
  std::uint64_t after = 0;  ///< the number of the event before them
  std::size_t count = 100;
};

/// "affected", "padding", "surprising", "all".
std::string_view name_of(VariableQuery::Show show);

// All throw InvalidInput that names the field.

/// Not an action of the campaign, unknown or repeated keys, numbers that are not valid.
/// The action of a path: its name if it has one, or its number. Throws InvalidInput.
ActionId action_in_path(std::string_view action, const CampaignDefinition& campaign);

VariableQuery parse_variable_query(std::string_view action, const Query& query,
                                   const CampaignDefinition& campaign);

/// Whether the query asks for archived campaigns: `archived=true`.
bool parse_list_query(const Query& query);

EventQuery parse_event_query(const Query& query);

/// Whether the query asks for numbers of variables in place of them: `sets=count`.
bool parse_sets_query(const Query& query);

/// Anything but an empty one.
void refuse_query(const Query& query);

}  // namespace updraft

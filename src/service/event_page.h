#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "store/event.h"

namespace updraft {

/// The answer of GET .../events: what happened, when and by whom, without payoffs and features.
nlohmann::json event_page(const std::vector<Event>& events);

}  // namespace updraft

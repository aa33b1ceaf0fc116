#pragma once

#include <string>
#include <string_view>

#include "service/service.h"

namespace updraft {

/// A plain page that lists the campaigns, with links to their reports.
std::string campaigns_page(const ServiceGauges& gauges);

/// As text between tags or in a quoted attribute.
std::string escaped_html(std::string_view text);

}  // namespace updraft

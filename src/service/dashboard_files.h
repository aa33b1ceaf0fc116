#pragma once

#include "service/http_api.h"
#include "service/queries.h"

namespace updraft {

// The files of the dashboard. The page names its script and its style with a digest of what they
// hold, so that browsers may keep these for as long as they want; all are packed once.

HttpAnswer dashboard_page();
HttpAnswer dashboard_script(const Query& query);
HttpAnswer dashboard_style(const Query& query);

}  // namespace updraft

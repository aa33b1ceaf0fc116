#pragma once

#include <string_view>

#include "service/http_api.h"

namespace updraft {

/// The page of the dashboard, and the files that it names. 404 for any other path.
HttpAnswer dashboard_file(std::string_view path);

}  // namespace updraft

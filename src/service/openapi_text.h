#pragma once

#include <string_view>

namespace updraft {

/// The file src/service/openapi.json.
std::string_view openapi_text();

}  // namespace updraft

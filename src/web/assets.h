#pragma once

#include <string_view>

namespace updraft {

/// A file of the web pages, built into the program: dashboard.html, dashboard.js, style.css,
/// report.html or report.js. Throws InvalidInput for any other name.
std::string_view web_asset(std::string_view name);

}  // namespace updraft

#pragma once

#include <span>
#include <string_view>

namespace updraft {

/// A file of the web pages, built into the program.
struct WebAsset {
  std::string_view name;
  std::string_view bytes;
  /// Of the service's page: where it is served. All but the page itself have a digest of their
  /// bytes in it, so that browsers may keep them for as long as they want.
  std::string_view path;
  std::string_view packed;  ///< in gzip, of what has a digest in its path; else empty
};

std::span<const WebAsset> web_assets();

/// The bytes of style.css, report.html, report.js, dashboard.html, dashboard.css or dashboard.js.
/// Throws InvalidInput for any other name.
std::string_view web_asset(std::string_view name);

}  // namespace updraft

#include "service/dashboard_files.h"

#include <algorithm>

#include "web/assets.h"

namespace updraft {
namespace {

std::string type_of(std::string_view name) {
  if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (name.ends_with(".css")) return "text/css; charset=utf-8";
  return "text/html; charset=utf-8";
}

}  // namespace

HttpAnswer dashboard_file(std::string_view path) {
  const auto assets = web_assets();
  const auto asset = std::find_if(assets.begin(), assets.end(),
                                  [&](const WebAsset& one) { return one.path == path; });
  if (asset == assets.end()) return error_answer(404, "there is no such file");
  HttpAnswer answer = {.type = type_of(asset->name), .body = std::string(asset->bytes)};
  answer.packed = asset->packed;
  if (path != "/") {
    answer.headers.emplace_back("Cache-Control", "public, max-age=31536000, immutable");
    return answer;
  }
  answer.headers.emplace_back("Content-Security-Policy",
                              "default-src 'none'; script-src 'self'; style-src 'self'; "
                              "connect-src 'self'; img-src 'self' data:; base-uri 'none'; "
                              "form-action 'none'; frame-ancestors 'none'");
  answer.headers.emplace_back("Referrer-Policy", "no-referrer");
  return answer;
}

}  // namespace updraft

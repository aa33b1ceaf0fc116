#include "service/dashboard_files.h"

#include <fmt/format.h>

#include "core/checksum.h"
#include "service/content_encoding.h"
#include "web/assets.h"

namespace updraft {
namespace {

constexpr int kSmallest = 9;  // of zlib

struct File {
  explicit File(std::string content)
      : text(std::move(content)),
        packed(to_gzip(text, kSmallest)),
        version(fmt::format("{:08x}", checksum(text))) {}

  std::string text;
  std::string packed;
  std::string version;
};

const File& script() {
  static const File file{std::string(web_asset("dashboard.js"))};
  return file;
}

const File& style() {
  static const File file{std::string(web_asset("style.css"))};
  return file;
}

/// The page must name the file, in quotes.
void name_version(std::string& page, std::string_view path, const File& file) {
  const std::size_t at = page.find(fmt::format("\"{}\"", path));
  page.insert(at + 1 + path.size(), "?v=" + file.version);
}

const File& page() {
  static const File file = [] {
    std::string text(web_asset("dashboard.html"));
    name_version(text, "dashboard.js", script());
    name_version(text, "dashboard.css", style());
    return File(text);
  }();
  return file;
}

/// Kept for ever if the query names this version.
HttpAnswer answer_of(const File& file, const char* type, const Query& query) {
  HttpAnswer answer = {.type = type, .body = file.text};
  answer.packed = file.packed;
  if (query == Query{{"v", file.version}}) {
    answer.headers.emplace_back("Cache-Control", "public, max-age=31536000, immutable");
  }
  return answer;
}

}  // namespace

HttpAnswer dashboard_page() {
  HttpAnswer answer = answer_of(page(), "text/html; charset=utf-8", {});
  answer.headers.emplace_back("Content-Security-Policy",
                              "default-src 'none'; script-src 'self'; style-src 'self'; "
                              "connect-src 'self'; img-src 'self' data:; base-uri 'none'; "
                              "form-action 'none'; frame-ancestors 'none'");
  answer.headers.emplace_back("Referrer-Policy", "no-referrer");
  return answer;
}

HttpAnswer dashboard_script(const Query& query) {
  return answer_of(script(), "text/javascript; charset=utf-8", query);
}

HttpAnswer dashboard_style(const Query& query) {
  return answer_of(style(), "text/css; charset=utf-8", query);
}

}  // namespace updraft

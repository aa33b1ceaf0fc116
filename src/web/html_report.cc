#include "web/html_report.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/sha.h>

#include <array>

#include "core/files.h"
#include "report/repeat_command.h"
#include "updraft/error.h"
#include "updraft/version.h"
#include "web/assets.h"
#include "web/report_data.h"

namespace updraft {
namespace {

using Json = nlohmann::json;

constexpr const char* kFile = "report.html";

/// JSON that may stand in a script element of HTML: nothing in it ends the element or begins
/// another, and no line of it ends where JavaScript sees one. The parsed values are the same.
std::string script_json(const Json& json) {
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size());
  for (std::size_t j = 0; j < text.size(); ++j) {
    const std::string_view rest = std::string_view(text).substr(j);
    if (text[j] == '<' || text[j] == '>' || text[j] == '&') {
      safe += fmt::format("\\u{:04x}", static_cast<int>(text[j]));
    } else if (rest.starts_with("\u2028") || rest.starts_with("\u2029")) {
      safe += rest.starts_with("\u2028") ? "\\u2028" : "\\u2029";
      j += 2;
    } else {
      safe += text[j];
    }
  }
  return safe;
}

/// Text between tags.
std::string html_text(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '<') {
      safe += "&lt;";
    } else if (c == '>') {
      safe += "&gt;";
    } else if (c == '&') {
      safe += "&amp;";
    } else {
      safe += c;
    }
  }
  return safe;
}

/// The source expression of a content security policy that allows an inline element of these bytes.
std::string source_hash(std::string_view bytes) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data());
  std::array<unsigned char, 4 * ((SHA256_DIGEST_LENGTH + 2) / 3) + 1> base64{};
  EVP_EncodeBlock(base64.data(), digest.data(), static_cast<int>(digest.size()));
  return fmt::format("'sha256-{}'", reinterpret_cast<const char*>(base64.data()));
}

/// What stands in the template as {{name}}.
struct Field {
  std::string_view name;
  std::string_view value;
};

/// The template with its fields, which are looked for in it alone and not in their values.
std::string filled(std::string_view page, std::initializer_list<Field> fields) {
  std::string text;
  while (!page.empty()) {
    const std::size_t begin = page.find("{{");
    text += page.substr(0, begin);
    if (begin == std::string_view::npos) break;
    const std::size_t end = page.find("}}", begin);
    const std::string_view name = page.substr(begin + 2, end - begin - 2);
    for (const Field& field : fields) {
      if (field.name == name) text += field.value;
    }
    page.remove_prefix(end + 2);
  }
  return text;
}

std::string page_of(const std::string& title, const Json& data) {
  const std::string_view style = web_asset("style.css");
  const std::string_view script = web_asset("report.js");
  const std::string policy = fmt::format(
      "default-src 'none'; script-src {}; style-src {}; img-src data:; base-uri 'none'; "
      "form-action 'none'",
      source_hash(script), source_hash(style));
  return filled(web_asset(kFile), {{"policy", policy},
                                   {"title", html_text(title)},
                                   {"style", style},
                                   {"results", script_json(data)},
                                   {"script", script}});
}

std::string manifest_of(const std::filesystem::path& folder) {
  return read_file(folder / "manifest.json");
}

}  // namespace

std::string html_report(const ExperimentResult& result, std::string_view manifest) {
  const Experiment& experiment = result.experiment;
  if (experiment.policies.empty()) throw InvalidInput("policies", "must have at least one");
  return page_of(experiment.title,
                 {{"version", UPDRAFT_VERSION},
                  {"title", experiment.title},
                  {"suite", nullptr},
                  {"experiments", Json::array({experiment_data(result, manifest)})}});
}

std::string html_report(const SuiteResult& suite, const std::vector<std::string>& manifests) {
  if (suite.parts.empty()) throw InvalidInput("experiments", "must have at least one");
  if (manifests.size() != suite.parts.size()) {
    throw InvalidInput("manifests", "must be as many as experiments");
  }
  Json parts = Json::array();
  for (std::size_t j = 0; j < suite.parts.size(); ++j) {
    parts.push_back(experiment_data(suite.parts[j], manifests[j]));
  }
  return page_of(suite.title,
                 {{"version", UPDRAFT_VERSION},
                  {"title", suite.title},
                  {"suite", {{"name", suite.name}, {"repeat", repeat_commands(suite)}}},
                  {"experiments", std::move(parts)}});
}

void write_html_report(const ExperimentResult& result, const std::filesystem::path& folder) {
  replace_file(folder / kFile, html_report(result, manifest_of(folder)));
}

void write_html_report(const SuiteResult& suite, const std::filesystem::path& folder) {
  std::vector<std::string> manifests;
  for (const ExperimentResult& part : suite.parts) {
    manifests.push_back(manifest_of(folder / part.experiment.name));
  }
  replace_file(folder / kFile, html_report(suite, manifests));
}

}  // namespace updraft

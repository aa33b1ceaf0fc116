#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/input_file.h"
#include "experiments/toml_fields.h"
#include "updraft/customer_table.h"
#include "updraft/error.h"

namespace updraft {
namespace {

constexpr std::uint64_t kMostRows = std::uint64_t{1} << 32;

constexpr InputKind kOptionsFile = {
    .field = "config",
    .file = "a TOML file",
    .most_bytes = std::size_t{1} << 20,
    .too_large = "",  // parse_table_options refuses what is far shorter
};

std::vector<std::string> read_names(const TomlField& field) {
  std::vector<std::string> names;
  for (const TomlField& item : field.items("a list of strings")) names.push_back(item.text());
  return names;
}

/// What was refused, with the place of its field.
InvalidInput at(const TomlField& field, const InvalidInput& refused) {
  return field.refusal(refused.value(), refused.rule());
}

}  // namespace

CustomerTableOptions parse_table_options(std::string_view toml, const std::string& origin,
                                         CustomerTableOptions options) {
  const toml::table parsed = parse_toml_document(toml, origin);
  const TomlTable document(parsed, 1, "", origin);
  document.check_keys({"preset", "treatment", "outcome", "segment", "features", "ignore",
                       "categorical", "control", "treatments", "response", "outcome_rate", "rows",
                       "seed"});
  if (const auto field = document.find("preset")) {
    try {
      options = table_preset(field->text());
    } catch (const InvalidInput& refused) {
      if (refused.field() != "preset") throw;
      throw at(*field, refused);
    }
  }
  const auto text = [&](const char* key, std::string& value) {
    if (const auto field = document.find(key)) value = field->text();
  };
  const auto names = [&](const char* key, std::vector<std::string>& value) {
    if (const auto field = document.find(key)) value = read_names(*field);
  };
  text("treatment", options.treatment);
  text("outcome", options.outcome);
  text("segment", options.segment);
  names("features", options.features);
  names("ignore", options.ignore);
  names("categorical", options.categorical);
  text("control", options.control);
  names("treatments", options.treatments);
  if (const auto field = document.find("response")) {
    const std::string name = field->text();
    try {
      options.response = response_kind("response", name);
    } catch (const InvalidInput& refused) {
      throw at(*field, refused);
    }
  }
  if (const auto field = document.find("outcome_rate")) {
    options.outcome_rate = field->number();
    if (!(options.outcome_rate > 0.0 && options.outcome_rate < 1.0)) {
      throw field->refusal(number_text(options.outcome_rate), "must be in (0, 1)");
    }
  }
  if (const auto field = document.find("rows")) options.rows = field->whole(1, kMostRows);
  if (const auto field = document.find("seed")) options.seed = field->whole(0, kMostSeed);
  return options;
}

CustomerTableOptions load_table_options(const std::string& path, CustomerTableOptions options) {
  return parse_table_options(read_input_file(path, kOptionsFile, {}), path, std::move(options));
}

}  // namespace updraft

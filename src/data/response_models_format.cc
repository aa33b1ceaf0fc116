#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/files.h"
#include "core/input_file.h"
#include "core/json_document.h"
#include "core/json_fields.h"
#include "core/limits.h"
#include "data/packed_numbers.h"
#include "updraft/error.h"
#include "updraft/response_models.h"

namespace updraft {
namespace {

using nlohmann::json;

constexpr std::string_view kFormat = "updraft-response-models/1";
constexpr std::string_view kOlderName = "updraft-campaign/1";  // of the same format; only read
constexpr std::string_view kEncoding = "float64-uint32-zlib-base64";

/// The format nests five levels; a little more still gets a message about its key.
constexpr std::size_t kMostDepth = 16;

constexpr std::size_t kMostRows = std::size_t{1} << 32;
constexpr std::size_t kMostFeatures = 1'000'000;

constexpr InputKind kModelFile = {
    .field = "response models",
    .file = "a file",
    .most_bytes = std::size_t{1} << 32,
    .too_large = "is too large; a response model file has at most 4 GiB",
};

// What both directions check, under the paths that fields have in a file.

void check_number(const std::string& path, double value) {
  if (!(std::abs(value) <= kLargestNumber)) {
    throw InvalidInput(path, value, "must be a number with an absolute value of at most 1e100");
  }
}

void check_name(const std::string& path, const std::string& name, std::set<std::string>& names) {
  if (name.empty()) throw InvalidInput(path, "must not be empty");
  if (!names.insert(name).second) {
    throw InvalidInput(path, fmt::format("\"{}\"", clipped(name)), "is repeated");
  }
}

void check_features(const std::vector<Feature>& features) {
  if (features.empty()) throw InvalidInput("features", "must have at least one");
  std::set<std::string> names;
  for (std::size_t f = 0; f < features.size(); ++f) {
    const Feature& feature = features[f];
    const std::string path = fmt::format("features[{}]", f);
    check_name(path + ".name", feature.name, names);
    check_number(path + ".min", feature.min);
    check_number(path + ".max", feature.max);
    if (!(feature.max >= feature.min)) {
      throw InvalidInput(path + ".max", feature.max, "must be at least min");
    }
  }
}

void check_treatments(const ResponseModels& models) {
  if (models.table.treatments.size() < 2) {
    throw InvalidInput("treatments", "must have at least two, the control first");
  }
  if (models.by_treatment.size() != models.table.treatments.size()) {
    throw InvalidInput("models", "must have one for each treatment");
  }
  std::set<std::string> names;
  for (std::size_t t = 0; t < models.table.treatments.size(); ++t) {
    const std::string path = fmt::format("treatments[{}]", t);
    check_name(path + ".name", models.table.treatments[t], names);
    const std::vector<double>& coefficients = models.by_treatment[t].coefficients;
    if (coefficients.size() != models.table.features.size() + 1) {
      throw InvalidInput(path + ".coefficients",
                         fmt::format("has {} numbers; must have one for each of {} features, then "
                                     "the intercept",
                                     coefficients.size(), models.table.features.size()));
    }
    for (std::size_t f = 0; f < coefficients.size(); ++f) {
      check_number(fmt::format("{}.coefficients[{}]", path, f), coefficients[f]);
    }
  }
}

void check_rows(const CustomerTable& table) {
  if (table.treatment.size() != table.rows() ||
      table.values.size() != table.rows() * table.features.size()) {
    throw InvalidInput("rows", "must have as many treatments as outcomes, and all their features");
  }
  for (std::size_t i = 0; i < table.values.size(); ++i) {
    if (!(table.values[i] >= 0.0 && table.values[i] <= 1.0)) {
      throw InvalidInput(fmt::format("rows.features[{}]", i), table.values[i], "must be in [0, 1]");
    }
  }
  for (std::size_t i = 0; i < table.rows(); ++i) {
    if (table.treatment[i] >= table.treatments.size()) {
      throw InvalidInput(fmt::format("rows.treatments[{}]", i),
                         fmt::format("{}", table.treatment[i]),
                         "must be the number of a treatment");
    }
    const double outcome = table.outcomes[i];
    const std::string_view rule = "must be 0 or 1, because the response is logistic";
    if (table.response == ResponseKind::kLogistic && outcome != 0.0 && outcome != 1.0) {
      throw InvalidInput(fmt::format("rows.outcomes[{}]", i), outcome, rule);
    }
    if (!(std::abs(outcome) <= kLargestNumber)) {
      check_number(fmt::format("rows.outcomes[{}]", i), outcome);
    }
  }
}

// Reading.

double checked_number(const json& object, const std::string& path, const char* key) {
  const std::string at = member_path(path, key);
  const double value = number_field(required(object, path, key), at);
  check_number(at, value);
  return value;
}

std::optional<double> optional_number(const json& object, const std::string& path,
                                      const char* key) {
  if (!object.contains(key)) return std::nullopt;
  return checked_number(object, path, key);
}

std::uint64_t count_field(const json& object, const std::string& path, const char* key) {
  return whole_field(required(object, path, key), member_path(path, key), 0, kMostRows);
}

std::vector<Feature> read_features(const json& document) {
  std::vector<Feature> features;
  for (const json& feature : required_list(document, "", "features")) {
    const std::string path = fmt::format("features[{}]", features.size());
    if (features.size() == kMostFeatures)
      throw InvalidInput(path, "is more than the allowed number of features");
    check_keys(feature, path, {"name", "min", "max"});
    features.push_back({text_field(required(feature, path, "name"), path + ".name"),
                        checked_number(feature, path, "min"),
                        checked_number(feature, path, "max")});
  }
  return features;
}

ResponseQuality read_quality(const json& quality, const std::string& path) {
  check_keys(quality, path,
             {"rows", "mean_outcome", "held_out", "observed", "expected", "log_loss", "auc", "rmse",
              "r_squared", "calibration"});
  ResponseQuality result;
  result.rows = count_field(quality, path, "rows");
  result.mean_outcome = checked_number(quality, path, "mean_outcome");
  result.held_out = count_field(quality, path, "held_out");
  result.observed = checked_number(quality, path, "observed");
  result.expected = checked_number(quality, path, "expected");
  result.log_loss = optional_number(quality, path, "log_loss");
  result.auc = optional_number(quality, path, "auc");
  result.rmse = optional_number(quality, path, "rmse");
  result.r_squared = optional_number(quality, path, "r_squared");
  for (const json& bin : required_list(quality, path, "calibration")) {
    const std::string at = fmt::format("{}.calibration[{}]", path, result.calibration.size());
    check_keys(bin, at, {"rows", "expected", "observed"});
    result.calibration.push_back({count_field(bin, at, "rows"), checked_number(bin, at, "expected"),
                                  checked_number(bin, at, "observed")});
  }
  return result;
}

void read_treatments(const json& document, ResponseModels& models) {
  for (const json& treatment : required_list(document, "", "treatments")) {
    const std::string path = fmt::format("treatments[{}]", models.by_treatment.size());
    check_keys(treatment, path, {"name", "coefficients", "quality"});
    models.table.treatments.push_back(
        text_field(required(treatment, path, "name"), path + ".name"));
    models.by_treatment.push_back(
        {numbers_field(required(treatment, path, "coefficients"), path + ".coefficients"),
         read_quality(required(treatment, path, "quality"), path + ".quality")});
  }
}

void read_rows(const json& rows, CustomerTable& table) {
  check_keys(rows, "rows", {"count", "encoding", "features", "treatments", "outcomes"});
  const std::string encoding = text_field(required(rows, "rows", "encoding"), "rows.encoding");
  if (encoding != kEncoding) {
    throw unknown_name("rows.encoding", clipped(encoding), {std::string(kEncoding)});
  }
  const std::size_t count =
      whole_field(required(rows, "rows", "count"), "rows.count", 1, kMostRows);
  const auto packed = [&](const char* key) -> const std::string& {
    const json& value = required(rows, "rows", key);
    if (!value.is_string()) text_field(value, member_path("rows", key));
    return value.get_ref<const std::string&>();
  };
  table.outcomes = unpack_doubles(packed("outcomes"), count, "rows.outcomes");
  table.treatment = unpack_words(packed("treatments"), count, "rows.treatments");
  table.values = unpack_doubles(packed("features"), count * table.features.size(), "rows.features");
}

// Writing.

std::string quoted(const std::string& text, std::string_view field) {
  try {
    return json(text).dump();
  } catch (const json::type_error&) {
    throw InvalidInput(field, "must be UTF-8 text");
  }
}

std::string quality_text(const ResponseQuality& quality) {
  std::string text = fmt::format(
      R"({{"rows": {}, "mean_outcome": {}, "held_out": {}, "observed": {}, "expected": {})",
      quality.rows, number_text(quality.mean_outcome), quality.held_out,
      number_text(quality.observed), number_text(quality.expected));
  const auto add = [&](std::string_view key, const std::optional<double>& value) {
    if (value) text += fmt::format(R"(, "{}": {})", key, number_text(*value));
  };
  add("log_loss", quality.log_loss);
  add("auc", quality.auc);
  add("rmse", quality.rmse);
  add("r_squared", quality.r_squared);
  std::vector<std::string> bins;
  for (const CalibrationBin& bin : quality.calibration) {
    bins.push_back(fmt::format(R"({{"rows": {}, "expected": {}, "observed": {}}})", bin.rows,
                               number_text(bin.expected), number_text(bin.observed)));
  }
  text += fmt::format(",\n        \"calibration\": [{}{}]}}", bins.empty() ? "" : "\n          ",
                      fmt::join(bins, ",\n          "));
  return text;
}

std::string treatment_text(const ResponseModels& models, std::size_t t) {
  std::vector<std::string> coefficients;
  for (const double coefficient : models.by_treatment[t].coefficients) {
    coefficients.push_back(number_text(coefficient));
  }
  return fmt::format(
      "{{\n      \"name\": {},\n      \"coefficients\": [{}],\n      \"quality\": {}\n    }}",
      quoted(models.table.treatments[t], fmt::format("treatments[{}].name", t)),
      fmt::join(coefficients, ", "), quality_text(models.by_treatment[t].quality));
}

std::string feature_text(const Feature& feature, std::size_t f) {
  return fmt::format(R"({{"name": {}, "min": {}, "max": {}}})",
                     quoted(feature.name, fmt::format("features[{}].name", f)),
                     number_text(feature.min), number_text(feature.max));
}

std::string rows_text(const CustomerTable& table) {
  return fmt::format(
      ",\n  \"rows\": {{\n    \"count\": {},\n    \"encoding\": \"{}\",\n    \"features\": "
      "\"{}\",\n"
      "    \"treatments\": \"{}\",\n    \"outcomes\": \"{}\"\n  }}",
      table.rows(), kEncoding, pack_doubles(table.values), pack_words(table.treatment),
      pack_doubles(table.outcomes));
}

}  // namespace

ResponseModels parse_response_models(std::string_view text) {
  const json document = parse_json_document(text, kMostDepth);
  if (!document.is_object()) throw InvalidInput("response models", "must be an object");
  const std::string format = text_field(required(document, "", "format"), "format");
  if (format != kFormat && format != kOlderName) {
    throw InvalidInput("format", fmt::format("\"{}\"", clipped(format)),
                       fmt::format("must be \"{}\"", kFormat));
  }
  check_keys(document, "",
             {"format", "name", "outcome", "response", "features", "treatments", "rows"});
  ResponseModels models;
  CustomerTable& table = models.table;
  if (document.contains("name")) models.name = text_field(document["name"], "name");
  table.outcome = text_field(required(document, "", "outcome"), "outcome");
  table.response = response_kind(
      "response", clipped(text_field(required(document, "", "response"), "response")));
  table.features = read_features(document);
  read_treatments(document, models);
  check_features(table.features);
  check_treatments(models);
  if (document.contains("rows")) {
    read_rows(document["rows"], table);
    check_rows(table);
  }
  return models;
}

std::string format_response_models(const ResponseModels& models) {
  const CustomerTable& table = models.table;
  check_features(table.features);
  check_treatments(models);
  check_rows(table);
  std::vector<std::string> features;
  for (const Feature& feature : table.features) {
    features.push_back(feature_text(feature, features.size()));
  }
  std::vector<std::string> treatments;
  for (std::size_t t = 0; t < table.treatments.size(); ++t) {
    treatments.push_back(treatment_text(models, t));
  }
  return fmt::format(
      "{{\n  \"format\": \"{}\",\n  \"name\": {},\n  \"outcome\": {},\n  \"response\": \"{}\",\n"
      "  \"features\": [\n    {}\n  ],\n  \"treatments\": [\n    {}\n  ]{}\n}}\n",
      kFormat, quoted(models.name, "name"), quoted(table.outcome, "outcome"),
      response_name(table.response), fmt::join(features, ",\n    "),
      fmt::join(treatments, ",\n    "), table.rows() > 0 ? rows_text(table) : "");
}

ResponseModels load_response_models(const std::string& path) {
  const std::string text = read_input_file(path, kModelFile, {});
  try {
    return parse_response_models(text);
  } catch (const InvalidInput& refused) {
    throw InvalidInput(path + ": " + refused.field(), refused.value(), refused.rule());
  }
}

void save_response_models(const ResponseModels& models, const std::string& path) {
  replace_file(path, format_response_models(models));
}

}  // namespace updraft

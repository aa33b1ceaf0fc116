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
#include "data/packed_numbers.h"
#include "updraft/campaign.h"
#include "updraft/error.h"

namespace updraft {
namespace {

using nlohmann::json;

constexpr std::string_view kFormat = "updraft-campaign/1";
constexpr std::string_view kEncoding = "float64-uint32-zlib-base64";

/// The format nests five levels; a little more still gets a message about its key.
constexpr std::size_t kMostDepth = 16;

constexpr double kLargestNumber = 1e100;
constexpr std::size_t kMostRows = std::size_t{1} << 32;
constexpr std::size_t kMostFeatures = 1'000'000;

constexpr InputKind kCampaignFile = {
    .field = "campaign",
    .file = "a file",
    .most_bytes = std::size_t{1} << 32,
    .too_large = "is too large; a campaign file has at most 4 GiB",
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

void check_features(const Campaign& campaign) {
  if (campaign.features.empty()) throw InvalidInput("features", "must have at least one");
  std::set<std::string> names;
  for (std::size_t f = 0; f < campaign.features.size(); ++f) {
    const CampaignFeature& feature = campaign.features[f];
    const std::string path = fmt::format("features[{}]", f);
    check_name(path + ".name", feature.name, names);
    check_number(path + ".min", feature.min);
    check_number(path + ".max", feature.max);
    if (!(feature.max >= feature.min)) {
      throw InvalidInput(path + ".max", feature.max, "must be at least min");
    }
  }
}

void check_treatments(const Campaign& campaign) {
  if (campaign.treatments.size() < 2) {
    throw InvalidInput("treatments", "must have at least two, the control first");
  }
  if (campaign.models.size() != campaign.treatments.size()) {
    throw InvalidInput("models", "must have one for each treatment");
  }
  std::set<std::string> names;
  for (std::size_t t = 0; t < campaign.treatments.size(); ++t) {
    const std::string path = fmt::format("treatments[{}]", t);
    check_name(path + ".name", campaign.treatments[t], names);
    const std::vector<double>& coefficients = campaign.models[t].coefficients;
    if (coefficients.size() != campaign.features.size() + 1) {
      throw InvalidInput(path + ".coefficients",
                         fmt::format("has {} numbers; must have one for each of {} features, then "
                                     "the intercept",
                                     coefficients.size(), campaign.features.size()));
    }
    for (std::size_t f = 0; f < coefficients.size(); ++f) {
      check_number(fmt::format("{}.coefficients[{}]", path, f), coefficients[f]);
    }
  }
}

void check_rows(const Campaign& campaign) {
  const CampaignRows& rows = campaign.rows;
  if (rows.treatment.size() != rows.size() ||
      rows.values.size() != rows.size() * campaign.features.size()) {
    throw InvalidInput("rows", "must have as many treatments as outcomes, and all their features");
  }
  for (std::size_t i = 0; i < rows.values.size(); ++i) {
    if (!(rows.values[i] >= 0.0 && rows.values[i] <= 1.0)) {
      throw InvalidInput(fmt::format("rows.features[{}]", i), rows.values[i], "must be in [0, 1]");
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows.treatment[i] >= campaign.treatments.size()) {
      throw InvalidInput(fmt::format("rows.treatments[{}]", i),
                         fmt::format("{}", rows.treatment[i]), "must be the number of a treatment");
    }
    const double outcome = rows.outcomes[i];
    const std::string_view rule = "must be 0 or 1, because the response is logistic";
    if (campaign.response == ResponseKind::kLogistic && outcome != 0.0 && outcome != 1.0) {
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

std::vector<CampaignFeature> read_features(const json& document) {
  std::vector<CampaignFeature> features;
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

void read_treatments(const json& document, Campaign& campaign) {
  for (const json& treatment : required_list(document, "", "treatments")) {
    const std::string path = fmt::format("treatments[{}]", campaign.treatments.size());
    check_keys(treatment, path, {"name", "coefficients", "quality"});
    campaign.treatments.push_back(text_field(required(treatment, path, "name"), path + ".name"));
    campaign.models.push_back(
        {numbers_field(required(treatment, path, "coefficients"), path + ".coefficients"),
         read_quality(required(treatment, path, "quality"), path + ".quality")});
  }
}

CampaignRows read_rows(const json& rows, std::size_t features) {
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
  CampaignRows result;
  result.outcomes = unpack_doubles(packed("outcomes"), count, "rows.outcomes");
  result.treatment = unpack_words(packed("treatments"), count, "rows.treatments");
  result.values = unpack_doubles(packed("features"), count * features, "rows.features");
  return result;
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

std::string treatment_text(const Campaign& campaign, std::size_t t) {
  std::vector<std::string> coefficients;
  for (const double coefficient : campaign.models[t].coefficients) {
    coefficients.push_back(number_text(coefficient));
  }
  return fmt::format(
      "{{\n      \"name\": {},\n      \"coefficients\": [{}],\n      \"quality\": {}\n    }}",
      quoted(campaign.treatments[t], fmt::format("treatments[{}].name", t)),
      fmt::join(coefficients, ", "), quality_text(campaign.models[t].quality));
}

std::string feature_text(const Campaign& campaign, std::size_t f) {
  const CampaignFeature& feature = campaign.features[f];
  return fmt::format(R"({{"name": {}, "min": {}, "max": {}}})",
                     quoted(feature.name, fmt::format("features[{}].name", f)),
                     number_text(feature.min), number_text(feature.max));
}

std::string rows_text(const CampaignRows& rows) {
  return fmt::format(
      ",\n  \"rows\": {{\n    \"count\": {},\n    \"encoding\": \"{}\",\n    \"features\": "
      "\"{}\",\n"
      "    \"treatments\": \"{}\",\n    \"outcomes\": \"{}\"\n  }}",
      rows.size(), kEncoding, pack_doubles(rows.values), pack_words(rows.treatment),
      pack_doubles(rows.outcomes));
}

}  // namespace

Campaign parse_campaign(std::string_view text) {
  const json document = parse_json_document(text, kMostDepth);
  if (!document.is_object()) throw InvalidInput("campaign", "must be an object");
  const std::string format = text_field(required(document, "", "format"), "format");
  if (format != kFormat) {
    throw InvalidInput("format", fmt::format("\"{}\"", clipped(format)),
                       fmt::format("must be \"{}\"", kFormat));
  }
  check_keys(document, "",
             {"format", "name", "outcome", "response", "features", "treatments", "rows"});
  Campaign campaign;
  if (document.contains("name")) campaign.name = text_field(document["name"], "name");
  campaign.outcome = text_field(required(document, "", "outcome"), "outcome");
  campaign.response = response_kind(
      "response", clipped(text_field(required(document, "", "response"), "response")));
  campaign.features = read_features(document);
  read_treatments(document, campaign);
  check_features(campaign);
  check_treatments(campaign);
  if (document.contains("rows")) {
    campaign.rows = read_rows(document["rows"], campaign.features.size());
    check_rows(campaign);
  }
  return campaign;
}

std::string format_campaign(const Campaign& campaign) {
  check_features(campaign);
  check_treatments(campaign);
  check_rows(campaign);
  std::vector<std::string> features;
  for (std::size_t f = 0; f < campaign.features.size(); ++f) {
    features.push_back(feature_text(campaign, f));
  }
  std::vector<std::string> treatments;
  for (std::size_t t = 0; t < campaign.treatments.size(); ++t) {
    treatments.push_back(treatment_text(campaign, t));
  }
  return fmt::format(
      "{{\n  \"format\": \"{}\",\n  \"name\": {},\n  \"outcome\": {},\n  \"response\": \"{}\",\n"
      "  \"features\": [\n    {}\n  ],\n  \"treatments\": [\n    {}\n  ]{}\n}}\n",
      kFormat, quoted(campaign.name, "name"), quoted(campaign.outcome, "outcome"),
      response_name(campaign.response), fmt::join(features, ",\n    "),
      fmt::join(treatments, ",\n    "), campaign.rows.size() > 0 ? rows_text(campaign.rows) : "");
}

Campaign load_campaign(const std::string& path) {
  const std::string text = read_input_file(path, kCampaignFile, {});
  try {
    return parse_campaign(text);
  } catch (const InvalidInput& refused) {
    throw InvalidInput(path + ": " + refused.field(), refused.value(), refused.rule());
  }
}

void save_campaign(const Campaign& campaign, const std::string& path) {
  replace_file(path, format_campaign(campaign));
}

}  // namespace updraft

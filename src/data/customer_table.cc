#include "updraft/customer_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/json_document.h"
#include "data/csv_reader.h"
#include "data/row_sample.h"
#include "data/table_survey.h"
#include "updraft/error.h"

namespace updraft {
namespace {

constexpr std::uint64_t kRowsPerReport = 4096;

/// The place of a name in a list; throws if the table is not what it was when it was surveyed.
std::size_t place_of(const std::vector<std::string>& names, const CsvReader& reader,
                     std::size_t column) {
  const auto found = std::find(names.begin(), names.end(), reader.fields()[column]);
  if (found == names.end())
    throw reader.refusal(column, "is new: the file changed while it was read");
  return static_cast<std::size_t>(found - names.begin());
}

using SegmentNumbers = std::map<std::string, std::uint32_t, std::less<>>;

void append_segment(CustomerTable& table, std::string_view name, SegmentNumbers& numbers) {
  auto found = numbers.find(name);
  if (found == numbers.end()) {
    found = numbers.emplace(name, static_cast<std::uint32_t>(numbers.size())).first;
    table.segments.emplace_back(name);
  }
  table.segment_of.push_back(found->second);
}

void append_row(CustomerTable& table, const CsvReader& reader, const TableSurvey& survey,
                double outcome) {
  const std::size_t begin = table.values.size();
  table.values.resize(begin + survey.features, 0.0);
  double* const row = table.values.data() + begin;
  for (const FeatureColumn& column : survey.columns) {
    if (column.categorical) {
      row[column.first + place_of(column.categories, reader, column.column)] = 1.0;
    } else {
      row[column.first] = number_in(reader, column.column);
    }
  }
  table.treatment.push_back(
      static_cast<Treatment>(place_of(survey.treatments, reader, survey.treatment)));
  table.outcomes.push_back(outcome);
}

std::vector<Feature> named_features(const CsvReader& reader, const TableSurvey& survey) {
  std::vector<Feature> features;
  for (const FeatureColumn& column : survey.columns) {
    const std::string& name = reader.columns()[column.column];
    if (!column.categorical) features.push_back({name, 0.0, 0.0});
    for (const std::string& category : column.categories) {
      features.push_back({fmt::format("{}={}", name, category), 0.0, 0.0});
    }
  }
  return features;
}

/// Names go into files and reports, which are UTF-8.
void check_text(const std::string& path, std::string_view field, const std::string& name) {
  try {
    nlohmann::json(name).dump();
  } catch (const nlohmann::json::type_error&) {
    std::string shown = clipped(name);
    std::replace_if(
        shown.begin(), shown.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    throw InvalidInput(fmt::format("{}: {}", path, field), shown,
                       "must be UTF-8 text; convert the file");
  }
}

/// Sets the ranges of the features and brings all values into [0, 1].
void scale(CustomerTable& table) {
  const std::size_t width = table.features.size();
  for (Feature& feature : table.features) {
    feature.min = std::numeric_limits<double>::infinity();
    feature.max = -feature.min;
  }
  for (std::size_t at = 0; at < table.values.size(); ++at) {
    Feature& feature = table.features[at % width];
    feature.min = std::min(feature.min, table.values[at]);
    feature.max = std::max(feature.max, table.values[at]);
  }
  for (std::size_t at = 0; at < table.values.size(); ++at) {
    table.values[at] = table.features[at % width].scaled(table.values[at]);
  }
}

}  // namespace

std::string_view response_name(ResponseKind kind) {
  return kind == ResponseKind::kLogistic ? "logistic" : "linear";
}

ResponseKind response_kind(std::string_view field, std::string_view name) {
  for (const ResponseKind kind : {ResponseKind::kLogistic, ResponseKind::kLinear}) {
    if (name == response_name(kind)) return kind;
  }
  throw unknown_name(field, name, {"logistic", "linear"});
}

double Feature::scaled(double value) const {
  if (!(max > min)) return 0.0;
  return std::clamp((value - min) / (max - min), 0.0, 1.0);
}

CustomerTable CustomerTable::subset(std::span<const std::size_t> chosen) const {
  CustomerTable part{outcome, response, features, treatments, {}, {}, {}, segments, {}};
  part.values.reserve(chosen.size() * features.size());
  for (const std::size_t i : chosen) {
    part.values.insert(part.values.end(), row(i).begin(), row(i).end());
    part.treatment.push_back(treatment[i]);
    part.outcomes.push_back(outcomes[i]);
    if (!segment_of.empty()) part.segment_of.push_back(segment_of[i]);
  }
  return part;
}

LoadedTable read_customer_table(const std::string& path, const CustomerTableOptions& options) {
  const auto report = [&](double share) {
    if (options.progress) options.progress(share);
  };
  TableSurvey survey;
  {
    CsvReader reader(path);
    survey = survey_table(reader, options, [&](double share) { report(0.5 * share); });
  }
  RowSample sample(options, survey.rows, survey.zeros);
  CsvReader reader(path);
  CustomerTable table;
  table.outcome = options.outcome;
  table.response = options.response;
  table.treatments = survey.treatments;
  table.features = named_features(reader, survey);
  for (const std::string& name : table.treatments) check_text(path, "treatment", name);
  for (const Feature& feature : table.features) check_text(path, "feature", feature.name);
  check_text(path, "outcome", table.outcome);
  table.values.reserve(sample.size() * survey.features);
  table.treatment.reserve(sample.size());
  table.outcomes.reserve(sample.size());
  SegmentNumbers segments;
  while (reader.next()) {
    if (reader.rows() % kRowsPerReport == 0) report(0.5 + 0.5 * reader.share());
    const double outcome = outcome_in(reader, survey.outcome, options.response);
    if (sample.keeps(reader.rows() - 1, outcome == 0.0)) {
      append_row(table, reader, survey, outcome);
      if (survey.segment) append_segment(table, reader.fields()[*survey.segment], segments);
    }
  }
  if (table.rows() != sample.size()) {
    throw InvalidInput("data", path, "changed while it was read");
  }
  scale(table);
  return {std::move(table), reader.rows()};
}

}  // namespace updraft

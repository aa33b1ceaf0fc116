#include "data/table_survey.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include "core/json_document.h"
#include "core/limits.h"

namespace updraft {
namespace {

constexpr std::uint64_t kRowsPerReport = 4096;

/// A column while it is being surveyed.
struct ColumnSurvey {
  bool declared = false;  // categorical
  bool has_numbers = false;
  bool has_names = false;
  std::set<std::string, std::less<>> values;  // where categorical
};

/// Adds a value to those of a column that holds names.
void add_value(std::set<std::string, std::less<>>& values, const CsvReader& reader,
               std::size_t column) {
  const std::string_view value = reader.fields()[column];
  if (values.contains(value)) return;
  if (values.size() == kMostCategories) {
    throw reader.refusal(
        column, fmt::format("is value number {} of a column of names; there may be at most {}",
                            kMostCategories + 1, kMostCategories));
  }
  values.emplace(value);
}

/// Takes note of a feature in the row; refuses a column that holds both numbers and names.
void survey_feature(ColumnSurvey& survey, const CsvReader& reader, std::size_t column) {
  if (survey.declared) return add_value(survey.values, reader, column);
  double number = 0.0;
  if (parse_number(reader.fields()[column], number)) {
    if (survey.has_names) {
      throw reader.refusal(
          column,
          "is a number, but earlier rows have names; declare a column with both as categorical");
    }
    survey.has_numbers = true;
    number_in(reader, column);
    return;
  }
  const bool empty = reader.fields()[column].empty();
  if (survey.has_numbers || (empty && !survey.has_names)) number_in(reader, column);
  survey.has_names = true;
  add_value(survey.values, reader, column);
}

/// `survey` has the columns that are not features.
std::vector<FeatureColumn> feature_columns(const CsvReader& reader,
                                           const CustomerTableOptions& options,
                                           const TableSurvey& survey) {
  std::vector<FeatureColumn> columns;
  std::set<std::size_t> taken = {survey.treatment, survey.outcome};
  if (!options.features.empty()) {
    for (const std::string& name : options.features) {
      const std::size_t column = reader.column("features", name);
      if (!taken.insert(column).second) {
        throw InvalidInput("features", name, "is given twice, or is the treatment or the outcome");
      }
      columns.push_back({column, false, {}, 0});
    }
  } else {
    if (survey.segment) taken.insert(*survey.segment);
    for (const std::string& name : options.ignore) taken.insert(reader.column("ignore", name));
    for (std::size_t c = 0; c < reader.columns().size(); ++c) {
      if (!taken.contains(c)) columns.push_back({c, false, {}, 0});
    }
  }
  if (columns.empty()) throw InvalidInput("features", "must have at least one column");
  for (const std::string& name : options.categorical) {
    const std::size_t column = reader.column("categorical", name);
    const auto found = std::find_if(columns.begin(), columns.end(),
                                    [&](const FeatureColumn& f) { return f.column == column; });
    if (found == columns.end()) throw InvalidInput("categorical", name, "is not a feature");
    found->categorical = true;
  }
  return columns;
}

/// The control and the treatments, all of which must occur.
std::vector<std::string> treatment_names(const std::set<std::string, std::less<>>& seen,
                                         const CustomerTableOptions& options) {
  std::vector<std::string> values;
  for (const std::string& value : seen) values.push_back(clipped(value));
  const auto check_seen = [&](std::string_view field, const std::string& name) {
    if (seen.contains(name)) return;
    const InvalidInput unknown = unknown_name(field, name, values);
    throw InvalidInput(
        unknown.field(), unknown.value(),
        fmt::format("never occurs in column {}: {}", options.treatment, unknown.rule()));
  };
  check_seen("control", options.control);
  std::vector<std::string> names = {options.control};
  for (const std::string& name : options.treatments) {
    check_seen("treatments", name);
    if (std::find(names.begin(), names.end(), name) != names.end()) {
      throw InvalidInput("treatments", name, "is given twice, or is the control");
    }
    names.push_back(name);
  }
  if (options.treatments.empty()) {
    for (const std::string& value : seen) {
      if (value != options.control) names.push_back(value);
    }
  }
  if (names.size() < 2) {
    throw InvalidInput(
        "treatment", options.treatment,
        fmt::format("contains only the control \"{}\"; must also contain a treatment",
                    options.control));
  }
  return names;
}

void check_listed(const CsvReader& reader, const CustomerTableOptions& options,
                  std::size_t column) {
  if (options.treatments.empty()) return;
  const std::string_view value = reader.fields()[column];
  if (value == options.control) return;
  const auto& listed = options.treatments;
  if (std::find(listed.begin(), listed.end(), value) != listed.end()) return;
  throw reader.refusal(column, "is neither the control nor one of the treatments");
}

}  // namespace

double number_in(const CsvReader& reader, std::size_t column) {
  double value = 0.0;
  if (!parse_number(reader.fields()[column], value)) {
    throw reader.refusal(column,
                         reader.fields()[column].empty()
                             ? "is empty; must be a number"
                             : "must be a number; declare a column of names as categorical");
  }
  if (!(std::abs(value) <= kLargestNumber)) throw reader.refusal(column, "must be finite");
  return value;
}

double outcome_in(const CsvReader& reader, std::size_t column, ResponseKind response) {
  double value = 0.0;
  if (!parse_number(reader.fields()[column], value) || !(std::abs(value) <= kLargestNumber)) {
    throw reader.refusal(column, "must be a finite number, because it is an outcome");
  }
  if (response == ResponseKind::kLogistic && value != 0.0 && value != 1.0) {
    throw reader.refusal(
        column, "must be 0 or 1, because the response is logistic; linear takes any number");
  }
  return value;
}

TableSurvey survey_table(CsvReader& reader, const CustomerTableOptions& options,
                         const std::function<void(double)>& progress) {
  TableSurvey survey;
  survey.treatment = reader.column("treatment", options.treatment);
  survey.outcome = reader.column("outcome", options.outcome);
  if (survey.treatment == survey.outcome) {
    throw InvalidInput("outcome", options.outcome, "must not be the treatment column");
  }
  if (!options.segment.empty()) {
    survey.segment = reader.column("segment", options.segment);
    if (survey.segment == survey.treatment || survey.segment == survey.outcome) {
      throw InvalidInput("segment", options.segment, "must not be the treatment or the outcome");
    }
  }
  survey.columns = feature_columns(reader, options, survey);
  std::vector<ColumnSurvey> columns(survey.columns.size());
  for (std::size_t f = 0; f < columns.size(); ++f) {
    columns[f].declared = survey.columns[f].categorical;
  }
  std::set<std::string, std::less<>> treatments;
  while (reader.next()) {
    if (progress && reader.rows() % kRowsPerReport == 0) progress(reader.share());
    add_value(treatments, reader, survey.treatment);
    check_listed(reader, options, survey.treatment);
    if (outcome_in(reader, survey.outcome, options.response) == 0.0) ++survey.zeros;
    for (std::size_t f = 0; f < columns.size(); ++f) {
      survey_feature(columns[f], reader, survey.columns[f].column);
    }
  }
  survey.rows = reader.rows();
  if (survey.rows == 0) throw InvalidInput("data", reader.path(), "has no rows below its header");
  survey.treatments = treatment_names(treatments, options);
  for (std::size_t f = 0; f < columns.size(); ++f) {
    FeatureColumn& column = survey.columns[f];
    column.categorical = columns[f].declared || columns[f].has_names;
    column.categories.assign(columns[f].values.begin(), columns[f].values.end());
    column.first = survey.features;
    survey.features += column.categorical ? column.categories.size() : 1;
  }
  return survey;
}

}  // namespace updraft

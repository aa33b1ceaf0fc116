#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "data/csv_reader.h"
#include "updraft/customer_table.h"

namespace updraft {

/// A column that becomes one feature, or one per value where it is categorical.
struct FeatureColumn {
  std::size_t column = 0;  ///< in the table
  bool categorical = false;
  std::vector<std::string> categories;  ///< sorted
  std::size_t first = 0;                ///< the first of its features
};

/// What a first look at all rows tells.
struct TableSurvey {
  std::size_t treatment = 0;  ///< columns
  std::size_t outcome = 0;
  std::optional<std::size_t> segment;
  std::vector<FeatureColumn> columns;
  std::vector<std::string> treatments;  ///< names; 0 is the control
  std::size_t features = 0;             ///< of all columns together
  std::uint64_t rows = 0;
  std::uint64_t zeros = 0;  ///< rows with outcome 0
};

/// Features and treatments have at most this many values where they are names.
inline constexpr std::size_t kMostCategories = 100;

/// Reads the table once. Throws InvalidInput for columns that are missing or given twice, values
/// that are not numbers where they should be, outcomes other than 0 and 1 for logistic responses,
/// treatments that never occur. `progress` gets the share of the file that was read.
TableSurvey survey_table(CsvReader& reader, const CustomerTableOptions& options,
                         const std::function<void(double)>& progress);

/// The number in a field of the row; throws if it is none, NaN or infinite.
double number_in(const CsvReader& reader, std::size_t column);

/// The outcome of the row; throws if the response does not allow it.
double outcome_in(const CsvReader& reader, std::size_t column, ResponseKind response);

}  // namespace updraft

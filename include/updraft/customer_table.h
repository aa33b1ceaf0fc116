#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "updraft/ids.h"

namespace updraft {

/// What values the outcomes can have, and hence how they are modelled.
enum class ResponseKind {
  kLogistic,  ///< 0 or 1
  kLinear,    ///< any finite number
};

/// "logistic" or "linear", and back; throws InvalidInput for other names.
std::string_view response_name(ResponseKind kind);
ResponseKind response_kind(std::string_view field, std::string_view name);

/// How a table of customers is read. Columns are given by the names in the table's first line.
struct CustomerTableOptions {
  std::string treatment;  ///< column: the treatment of the customer
  std::string outcome;    ///< column: the outcome
  std::string segment;    ///< column: the customer's segment, by any name; empty: there are none
  std::vector<std::string> features;     ///< columns; empty: all others except those in `ignore`
  std::vector<std::string> ignore;       ///< columns that are not features
  std::vector<std::string> categorical;  ///< features that are names, not numbers
  std::string control = "0";             ///< the treatment that means no treatment
  std::vector<std::string> treatments;   ///< the others, in this order; empty: all that occur
  ResponseKind response = ResponseKind::kLogistic;
  double outcome_rate =
      0.0;  ///< in (0, 1): drop rows with outcome 0 until this share has another; 0: drop none
  std::size_t rows = 0;    ///< keep a random sample of at most this size; 0: keep all
  std::uint64_t seed = 1;  ///< of both random choices

  /// Called now and then with the share of the reading that is done; may throw to stop it.
  std::function<void(double)> progress = {};
};

/// The options for a published data set: "criteo" (f0 to f11, treatment, visit) or "hillstrom"
/// (segment, "No E-Mail", visit). Throws InvalidInput for other names.
CustomerTableOptions table_preset(const std::string& name);
std::vector<std::string> table_presets();
bool is_table_preset(std::string_view name);

/// Usual file names of the table of a published data set, those of the whole table before those of
/// samples. Throws InvalidInput for other names.
std::vector<std::string> table_files(const std::string& preset);

/// Sets what a TOML document gives: the fields above by their names, `response` as a name. `preset`
/// is applied first. Throws InvalidInput with origin and line.
CustomerTableOptions parse_table_options(std::string_view toml, const std::string& origin,
                                         CustomerTableOptions options = {});

/// The same from a file.
CustomerTableOptions load_table_options(const std::string& path, CustomerTableOptions options = {});

/// A feature as models see it: (value - min) / (max - min), or 0 if max = min. A category is 1 if
/// the column has its value and 0 otherwise, and is named `column=value`.
struct Feature {
  std::string name;
  double min = 0.0;  ///< over the rows kept
  double max = 0.0;

  /// Cost: O(1). Values outside [min, max] are clamped.
  double scaled(double value) const;

  bool operator==(const Feature&) const = default;
};

/// Customers with their features, the treatment that each had and the outcome.
struct CustomerTable {
  std::string outcome;  ///< name of the column
  ResponseKind response = ResponseKind::kLogistic;
  std::vector<Feature> features;
  std::vector<std::string> treatments;         ///< names; 0 is the control
  std::vector<double> values;                  ///< features, row by row; see Feature
  std::vector<Treatment> treatment;            ///< per row
  std::vector<double> outcomes;                ///< per row
  std::vector<std::string> segments = {};      ///< names, as they appear; empty: there are none
  std::vector<std::uint32_t> segment_of = {};  ///< per row; empty without segments

  std::size_t rows() const { return outcomes.size(); }
  std::span<const double> row(std::size_t i) const {
    return std::span(values).subspan(i * features.size(), features.size());
  }

  /// A table with these rows of this one, in this order. Does not check its argument.
  CustomerTable subset(std::span<const std::size_t> chosen) const;

  bool operator==(const CustomerTable&) const = default;
};

/// The rows of a file that were kept.
struct LoadedTable {
  CustomerTable table;          ///< features are in [0, 1]
  std::uint64_t rows_read = 0;  ///< in the file
};

/// Reads a CSV file, plain or gzip, twice: first to learn categories, treatments and counts, then
/// to read the rows. Which rows are kept depends only on the seed and the row numbers.
///
/// A feature is categorical if it is in `categorical` or if its first row does not hold a number.
/// It has at most 100 values. Throws InvalidInput with file, line and column: see
/// docs/build-instance.md. Cost: memory for the rows kept; time O(bytes).
LoadedTable read_customer_table(const std::string& path, const CustomerTableOptions& options);

}  // namespace updraft

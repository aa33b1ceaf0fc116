#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "updraft/customer_table.h"

namespace updraft {

/// One tenth of the held-out rows, by increasing prediction.
struct CalibrationBin {
  std::uint64_t rows = 0;
  double expected = 0.0;  ///< mean prediction
  double observed = 0.0;  ///< mean outcome

  bool operator==(const CalibrationBin&) const = default;
};

/// How well the model of a treatment predicts rows that it was not fitted to. Every fifth row of
/// the treatment is held out, and the model is fitted to the other rows.
struct ResponseQuality {
  std::uint64_t rows = 0;      ///< number of rows of the treatment
  double mean_outcome = 0.0;   ///< over all these rows
  std::uint64_t held_out = 0;  ///< number of held-out rows
  double observed = 0.0;       ///< sum of the outcomes of the held-out rows
  double expected = 0.0;       ///< sum of the predictions for the held-out rows
  std::vector<CalibrationBin> calibration;

  std::optional<double> log_loss = {};   ///< logistic: mean of -log P(outcome)
  std::optional<double> auc = {};        ///< logistic, if both outcomes were held out
  std::optional<double> rmse = {};       ///< linear
  std::optional<double> r_squared = {};  ///< linear, if held-out outcomes differ

  bool operator==(const ResponseQuality&) const = default;
};

/// What customers do under one treatment, given their features.
struct ResponseModel {
  std::vector<double> coefficients;  ///< one per feature, then the intercept
  ResponseQuality quality;

  bool operator==(const ResponseModel&) const = default;
};

/// What a customer with given features does under every treatment, learnt from data.
/// docs/formats/response-models.md describes the JSON form.
struct ResponseModels {
  std::string name;
  CustomerTable table;  ///< what the models were fitted to; without rows if they were not kept
  std::vector<ResponseModel> by_treatment;

  /// The expected outcome of a customer with these features in [0, 1]; for logistic responses, the
  /// probability of 1. Does not check its arguments. Cost: O(features).
  double predict(std::size_t treatment, std::span<const double> row) const;

  /// predict(treatment) - predict(control).
  double uplift(std::size_t treatment, std::span<const double> row) const;

  bool operator==(const ResponseModels&) const = default;
};

struct ResponseFitOptions {
  std::string name;
  double ridge = 1.0;      ///< > 0: penalty on the squared coefficients, intercept included
  bool keep_rows = false;  ///< in ResponseModels::table
};

/// Fits one model per treatment to all of its rows. Before that, it measures the quality of a fit
/// to some of the rows on the others. Throws InvalidInput if a treatment has fewer than 10 rows or
/// if, for logistic responses, its outcomes are all 0, all 1 or other numbers.
/// Cost: O(rows features^2) per step of Newton's method; memory for a copy of a treatment's rows.
ResponseModels fit_response_models(const CustomerTable& table,
                                   const ResponseFitOptions& options = {});

/// What a treatment adds to the outcome, on average over all rows: as the models predict it, and as
/// the difference between the mean outcomes of the rows with the treatment and those of the
/// control.
struct AverageUplift {
  double predicted = 0.0;
  double observed = 0.0;
  double standard_error = 0.0;  ///< of the observed difference
};

/// One for each treatment except the control. If treatments were assigned at random, the two agree
/// within a few standard errors. Cost: O(rows features treatments).
std::vector<AverageUplift> average_uplifts(const ResponseModels& models,
                                           const CustomerTable& table);

/// Reads and writes the format `updraft-response-models/1`. Errors are InvalidInput with the path
/// of the field, or with line and column if the text is not JSON.
ResponseModels parse_response_models(std::string_view json);
std::string format_response_models(const ResponseModels& models);

/// The same from and to a file. The file is always complete: either the old one or the new one.
ResponseModels load_response_models(const std::string& path);
void save_response_models(const ResponseModels& models, const std::string& path);

}  // namespace updraft

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "updraft/campaign_data.h"

namespace updraft {

/// One tenth of the held-out rows, by increasing prediction.
struct CalibrationBin {
  std::uint64_t rows = 0;
  double expected = 0.0;  ///< mean prediction
  double observed = 0.0;  ///< mean outcome

  bool operator==(const CalibrationBin&) const = default;
};

/// How well the model of a treatment predicts rows that it was not fitted to: every fifth row of
/// the treatment, held out from a fit to the others.
struct ResponseQuality {
  std::uint64_t rows = 0;      ///< of the treatment
  double mean_outcome = 0.0;   ///< over all of these
  std::uint64_t held_out = 0;  ///< rows that were held out, and their sums:
  double observed = 0.0;       ///< of outcomes
  double expected = 0.0;       ///< of predictions
  std::vector<CalibrationBin> calibration;

  std::optional<double> log_loss = {};   ///< logistic: mean of -log P(outcome)
  std::optional<double> auc = {};        ///< logistic, where both outcomes were held out
  std::optional<double> rmse = {};       ///< linear
  std::optional<double> r_squared = {};  ///< linear, where held-out outcomes differ

  bool operator==(const ResponseQuality&) const = default;
};

/// What customers do under one treatment, given their features.
struct ResponseModel {
  std::vector<double> coefficients;  ///< one per feature, then the intercept
  ResponseQuality quality;

  bool operator==(const ResponseModel&) const = default;
};

/// Customers with what was done to them and what came of it.
struct CampaignRows {
  std::vector<double> values;            ///< features in [0, 1], row by row
  std::vector<std::uint32_t> treatment;  ///< per row
  std::vector<double> outcomes;          ///< per row

  std::size_t size() const { return outcomes.size(); }
  bool operator==(const CampaignRows&) const = default;
};

/// A campaign learnt from data: what a customer with given features does under every treatment.
/// docs/formats/campaign.md describes the JSON form.
struct Campaign {
  std::string name;
  std::string outcome;  ///< the column that is predicted
  ResponseKind response = ResponseKind::kLogistic;
  std::vector<CampaignFeature> features;
  std::vector<std::string> treatments;  ///< names; 0 is the control
  std::vector<ResponseModel> models;    ///< per treatment
  CampaignRows rows;                    ///< empty where they were not kept

  /// The expected outcome of a customer with these features in [0, 1]; for logistic responses the
  /// probability of 1. Trusts its arguments. Cost: O(features).
  double predict(std::size_t treatment, std::span<const double> row) const;

  /// predict(treatment) - predict(control).
  double uplift(std::size_t treatment, std::span<const double> row) const;

  std::span<const double> row(std::size_t i) const {
    return std::span(rows.values).subspan(i * features.size(), features.size());
  }

  bool operator==(const Campaign&) const = default;
};

struct CampaignFitOptions {
  std::string name;
  double ridge = 1.0;      ///< > 0: penalty on the squared coefficients, intercept included
  bool keep_rows = false;  ///< in Campaign::rows
};

/// Fits one model per treatment to all of its rows, after measuring on a part what a fit to the
/// rest predicts. Throws InvalidInput where a treatment has fewer than 10 rows, or its outcomes are
/// all 0 or all 1 for logistic responses (or are other numbers).
/// Cost: O(rows features^2) a step of Newton's method; memory for a copy of a treatment's rows.
Campaign fit_campaign(const CampaignData& data, const CampaignFitOptions& options = {});

/// What a treatment adds to the outcome, on average over all rows: as the models predict it, and as
/// the difference of the mean outcomes of the rows that got it and those that got nothing.
struct AverageUplift {
  double predicted = 0.0;
  double observed = 0.0;
  double standard_error = 0.0;  ///< of the observed difference
};

/// One for each treatment but the control. Where treatments were given at random the two agree
/// within a few standard errors. Cost: O(rows features treatments).
std::vector<AverageUplift> average_uplifts(const Campaign& campaign, const CampaignData& data);

/// Reads and writes the format `updraft-campaign/1`. Errors are InvalidInput with the path of the
/// field, or its line and column where the text is not JSON at all.
Campaign parse_campaign(std::string_view json);
std::string format_campaign(const Campaign& campaign);

/// The same from and to a file, which is always whole: the old or the new.
Campaign load_campaign(const std::string& path);
void save_campaign(const Campaign& campaign, const std::string& path);

}  // namespace updraft

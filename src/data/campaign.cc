#include "updraft/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "data/response_quality.h"
#include "models/logistic.h"
#include "models/ridge.h"
#include "updraft/error.h"

namespace updraft {
namespace {

constexpr std::size_t kHeldOutEvery = 5;
constexpr std::size_t kLeastRows = 10;

/// Rows of one treatment with a constant 1 as their last feature; those to be held out, every fifth
/// in the order of the data, come last.
struct Design {
  std::vector<double> rows;
  std::vector<double> outcomes;
  std::size_t fitted = 0;  // rows before those held out
};

Design design_of(const CampaignData& data, std::size_t treatment) {
  const auto count =
      static_cast<std::size_t>(std::count(data.treatment.begin(), data.treatment.end(), treatment));
  Design design;
  design.rows.reserve(count * (data.features.size() + 1));
  design.outcomes.reserve(count);
  for (const bool held_out : {false, true}) {
    if (held_out) design.fitted = design.outcomes.size();
    std::size_t place = 0;
    for (std::size_t i = 0; i < data.rows(); ++i) {
      if (data.treatment[i] != treatment) continue;
      if ((place++ % kHeldOutEvery == kHeldOutEvery - 1) != held_out) continue;
      const std::span<const double> row = data.row(i);
      design.rows.insert(design.rows.end(), row.begin(), row.end());
      design.rows.push_back(1.0);
      design.outcomes.push_back(data.outcomes[i]);
    }
  }
  return design;
}

double score(std::span<const double> coefficients, std::span<const double> row) {
  return std::inner_product(row.begin(), row.end(), coefficients.begin(), 0.0);
}

void check_outcomes(const CampaignData& data, std::size_t treatment, const Design& design) {
  const auto refuse = [&](const std::string& rule) {
    return InvalidInput("treatment", data.treatments[treatment], rule);
  };
  if (design.outcomes.size() < kLeastRows) {
    throw refuse(
        fmt::format("has {} rows; must have at least {}", design.outcomes.size(), kLeastRows));
  }
  if (data.response != ResponseKind::kLogistic) return;
  bool has_zero = false;
  bool has_one = false;
  for (const double outcome : design.outcomes) {
    if (outcome != 0.0 && outcome != 1.0) {
      throw InvalidInput("outcome", outcome, "must be 0 or 1, because the response is logistic");
    }
    (outcome == 0.0 ? has_zero : has_one) = true;
  }
  if (!has_one) throw refuse("has no row with outcome 1, so its response cannot be learnt");
  if (!has_zero) throw refuse("has no row with outcome 0, so its response cannot be learnt");
}

/// Coefficients from the first `count` rows; `start` may be empty.
std::vector<double> fit(ResponseKind response, const Design& design, std::size_t count,
                        double ridge, std::span<const double> start) {
  const std::size_t width = design.rows.size() / design.outcomes.size();
  const std::span<const double> rows = std::span(design.rows).first(count * width);
  const std::span<const double> outcomes = std::span(design.outcomes).first(count);
  if (response == ResponseKind::kLinear) return fit_ridge(rows, outcomes, width, ridge);
  LogisticOptions options;
  options.ridge = ridge;
  return fit_logistic(rows, outcomes, width, options, start).theta;
}

ResponseModel fit_model(const CampaignData& data, std::size_t treatment, double ridge) {
  const std::size_t width = data.features.size() + 1;
  const Design design = design_of(data, treatment);
  check_outcomes(data, treatment, design);
  ResponseModel model;
  model.coefficients = fit(data.response, design, design.fitted, ridge, {});
  std::vector<double> scores;
  for (std::size_t i = design.fitted; i < design.outcomes.size(); ++i) {
    scores.push_back(score(model.coefficients, std::span(design.rows).subspan(i * width, width)));
  }
  model.quality =
      judge_predictions(data.response, scores, std::span(design.outcomes).subspan(design.fitted));
  model.coefficients =
      fit(data.response, design, design.outcomes.size(), ridge, model.coefficients);
  model.quality.rows = design.outcomes.size();
  model.quality.mean_outcome =
      std::accumulate(design.outcomes.begin(), design.outcomes.end(), 0.0) /
      static_cast<double>(design.outcomes.size());
  return model;
}

}  // namespace

double Campaign::predict(std::size_t treatment, std::span<const double> row) const {
  const std::vector<double>& coefficients = models[treatment].coefficients;
  const double value = coefficients.back() + score(coefficients, row);
  return response == ResponseKind::kLogistic ? sigmoid(value) : value;
}

double Campaign::uplift(std::size_t treatment, std::span<const double> row) const {
  return predict(treatment, row) - predict(0, row);
}

Campaign fit_campaign(const CampaignData& data, const CampaignFitOptions& options) {
  check_positive("ridge", options.ridge);
  Campaign campaign;
  campaign.name = options.name;
  campaign.outcome = data.outcome;
  campaign.response = data.response;
  campaign.features = data.features;
  campaign.treatments = data.treatments;
  for (std::size_t t = 0; t < data.treatments.size(); ++t) {
    campaign.models.push_back(fit_model(data, t, options.ridge));
  }
  if (options.keep_rows) campaign.rows = {data.values, data.treatment, data.outcomes};
  return campaign;
}

std::vector<AverageUplift> average_uplifts(const Campaign& campaign, const CampaignData& data) {
  std::vector<double> predicted(campaign.treatments.size(), 0.0);
  std::vector<double> count(campaign.treatments.size(), 0.0);
  std::vector<double> squares(campaign.treatments.size(), 0.0);  // around the mean outcome
  for (std::size_t i = 0; i < data.rows(); ++i) {
    for (std::size_t t = 0; t < predicted.size(); ++t) {
      predicted[t] += campaign.predict(t, data.row(i));
    }
    const std::uint32_t t = data.treatment[i];
    const double distance = data.outcomes[i] - campaign.models[t].quality.mean_outcome;
    count[t] += 1.0;
    squares[t] += distance * distance;
  }
  const auto variance_of_mean = [&](std::size_t t) {
    return squares[t] / (count[t] - 1.0) / count[t];
  };
  const auto mean = [&](std::size_t t) { return campaign.models[t].quality.mean_outcome; };
  std::vector<AverageUplift> uplifts;
  for (std::size_t t = 1; t < predicted.size(); ++t) {
    uplifts.push_back({(predicted[t] - predicted[0]) / static_cast<double>(data.rows()),
                       mean(t) - mean(0), std::sqrt(variance_of_mean(t) + variance_of_mean(0))});
  }
  return uplifts;
}

}  // namespace updraft

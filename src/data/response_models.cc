#include "updraft/response_models.h"

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
/// in the order of the table, come last.
struct Design {
  std::vector<double> rows;
  std::vector<double> outcomes;
  std::size_t fitted = 0;  // rows before those held out
};

Design design_of(const CustomerTable& table, std::size_t treatment) {
  const auto count = static_cast<std::size_t>(
      std::count(table.treatment.begin(), table.treatment.end(), treatment));
  Design design;
  design.rows.reserve(count * (table.features.size() + 1));
  design.outcomes.reserve(count);
  for (const bool held_out : {false, true}) {
    if (held_out) design.fitted = design.outcomes.size();
    std::size_t place = 0;
    for (std::size_t i = 0; i < table.rows(); ++i) {
      if (table.treatment[i] != treatment) continue;
      if ((place++ % kHeldOutEvery == kHeldOutEvery - 1) != held_out) continue;
      const std::span<const double> row = table.row(i);
      design.rows.insert(design.rows.end(), row.begin(), row.end());
      design.rows.push_back(1.0);
      design.outcomes.push_back(table.outcomes[i]);
    }
  }
  return design;
}

double score(std::span<const double> coefficients, std::span<const double> row) {
  return std::inner_product(row.begin(), row.end(), coefficients.begin(), 0.0);
}

void check_outcomes(const CustomerTable& table, std::size_t treatment, const Design& design) {
  const auto refuse = [&](const std::string& rule) {
    return InvalidInput("treatment", table.treatments[treatment], rule);
  };
  if (design.outcomes.size() < kLeastRows) {
    throw refuse(
        fmt::format("has {} rows; must have at least {}", design.outcomes.size(), kLeastRows));
  }
  if (table.response != ResponseKind::kLogistic) return;
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

ResponseModel fit_model(const CustomerTable& table, std::size_t treatment, double ridge) {
  const std::size_t width = table.features.size() + 1;
  const Design design = design_of(table, treatment);
  check_outcomes(table, treatment, design);
  ResponseModel model;
  model.coefficients = fit(table.response, design, design.fitted, ridge, {});
  std::vector<double> scores;
  for (std::size_t i = design.fitted; i < design.outcomes.size(); ++i) {
    scores.push_back(score(model.coefficients, std::span(design.rows).subspan(i * width, width)));
  }
  model.quality =
      judge_predictions(table.response, scores, std::span(design.outcomes).subspan(design.fitted));
  model.coefficients =
      fit(table.response, design, design.outcomes.size(), ridge, model.coefficients);
  model.quality.rows = design.outcomes.size();
  model.quality.mean_outcome =
      std::accumulate(design.outcomes.begin(), design.outcomes.end(), 0.0) /
      static_cast<double>(design.outcomes.size());
  return model;
}

}  // namespace

double ResponseModels::predict(std::size_t treatment, std::span<const double> row) const {
  const std::vector<double>& coefficients = by_treatment[treatment].coefficients;
  const double value = coefficients.back() + score(coefficients, row);
  return table.response == ResponseKind::kLogistic ? sigmoid(value) : value;
}

double ResponseModels::uplift(std::size_t treatment, std::span<const double> row) const {
  return predict(treatment, row) - predict(0, row);
}

ResponseModels fit_response_models(const CustomerTable& table, const ResponseFitOptions& options) {
  check_positive("ridge", options.ridge);
  ResponseModels models;
  models.name = options.name;
  for (std::size_t t = 0; t < table.treatments.size(); ++t) {
    models.by_treatment.push_back(fit_model(table, t, options.ridge));
  }
  models.table = options.keep_rows ? table : table.subset({});
  return models;
}

std::vector<AverageUplift> average_uplifts(const ResponseModels& models,
                                           const CustomerTable& table) {
  std::vector<double> predicted(models.by_treatment.size(), 0.0);
  std::vector<double> count(models.by_treatment.size(), 0.0);
  std::vector<double> squares(models.by_treatment.size(), 0.0);  // around the mean outcome
  for (std::size_t i = 0; i < table.rows(); ++i) {
    for (std::size_t t = 0; t < predicted.size(); ++t) {
      predicted[t] += models.predict(t, table.row(i));
    }
    const Treatment t = table.treatment[i];
    const double distance = table.outcomes[i] - models.by_treatment[t].quality.mean_outcome;
    count[t] += 1.0;
    squares[t] += distance * distance;
  }
  const auto variance_of_mean = [&](std::size_t t) {
    return squares[t] / (count[t] - 1.0) / count[t];
  };
  const auto mean = [&](std::size_t t) { return models.by_treatment[t].quality.mean_outcome; };
  std::vector<AverageUplift> uplifts;
  for (std::size_t t = 1; t < predicted.size(); ++t) {
    uplifts.push_back({(predicted[t] - predicted[0]) / static_cast<double>(table.rows()),
                       mean(t) - mean(0), std::sqrt(variance_of_mean(t) + variance_of_mean(0))});
  }
  return uplifts;
}

}  // namespace updraft

#include "build_report.h"

#include <fmt/format.h>

#include <optional>

namespace updraft::cli {
namespace {

using enum Table::Align;

std::string rate_text(double rate) { return fixed_text(rate, 4); }

std::string optional_text(const std::optional<double>& value) {
  return value ? fixed_text(*value, 4) : "-";
}

std::string data_text(const LoadedTable& loaded) {
  const CustomerTable& customers = loaded.table;
  return fmt::format("{} of {} rows, {} features, outcome {}\n\n", count_text(customers.rows()),
                     count_text(loaded.rows_read), count_text(customers.features.size()),
                     printable_text(customers.outcome));
}

Json data_json(const LoadedTable& loaded) {
  const CustomerTable& customers = loaded.table;
  Json features = Json::array();
  for (const Feature& feature : customers.features) features.push_back(feature.name);
  return {{"rows_read", loaded.rows_read},
          {"rows", customers.rows()},
          {"outcome", customers.outcome},
          {"features", features},
          {"treatments", customers.treatments}};
}

std::string quality_table(const ResponseModels& models) {
  const bool logistic = models.table.response == ResponseKind::kLogistic;
  Table table({{.title = "treatment"},
               {.title = "rows", .align = kRight},
               {.title = logistic ? "rate" : "mean", .align = kRight},
               {.title = "held out", .align = kRight},
               {.title = logistic ? "log-loss" : "RMSE", .align = kRight},
               {.title = logistic ? "AUC" : "R^2", .align = kRight},
               {.title = "observed / expected", .align = kRight}});
  for (std::size_t t = 0; t < models.table.treatments.size(); ++t) {
    const ResponseQuality& quality = models.by_treatment[t].quality;
    table.add_row(
        {models.table.treatments[t] + (t == 0 ? " (control)" : ""), count_text(quality.rows),
         rate_text(quality.mean_outcome), count_text(quality.held_out),
         optional_text(logistic ? quality.log_loss : quality.rmse),
         optional_text(logistic ? quality.auc : quality.r_squared),
         fmt::format("{} / {}", fixed_text(quality.observed, 1), fixed_text(quality.expected, 1))});
  }
  return table.text();
}

std::string calibration_table(const ResponseModels& models) {
  std::vector<Table::Column> columns = {{.title = "tenth", .align = kRight}};
  std::size_t bins = 0;
  for (std::size_t t = 0; t < models.table.treatments.size(); ++t) {
    columns.push_back({.title = models.table.treatments[t] + ": expected", .align = kRight});
    columns.push_back({.title = "observed", .align = kRight});
    bins = std::max(bins, models.by_treatment[t].quality.calibration.size());
  }
  Table table(std::move(columns));
  for (std::size_t b = 0; b < bins; ++b) {
    std::vector<std::string> row = {fmt::format("{}", b + 1)};
    for (const ResponseModel& model : models.by_treatment) {
      const auto& calibration = model.quality.calibration;
      const bool has = b < calibration.size();
      row.push_back(has ? rate_text(calibration[b].expected) : "");
      row.push_back(has ? rate_text(calibration[b].observed) : "");
    }
    table.add_row(std::move(row));
  }
  return table.text();
}

std::string uplift_table(const ResponseModels& models, const std::vector<AverageUplift>& uplifts) {
  Table table({{.title = "treatment"},
               {.title = "predicted uplift", .align = kRight},
               {.title = "observed", .align = kRight},
               {.title = "± s.e.", .align = kRight}});
  for (std::size_t t = 1; t < models.table.treatments.size(); ++t) {
    const AverageUplift& uplift = uplifts[t - 1];
    table.add_row({models.table.treatments[t], fixed_text(uplift.predicted, 5),
                   fixed_text(uplift.observed, 5), "± " + fixed_text(uplift.standard_error, 5)});
  }
  return table.text();
}

Json optional_json(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json quality_json(const ResponseQuality& quality, ResponseKind response) {
  Json calibration = Json::array();
  for (const CalibrationBin& bin : quality.calibration) {
    calibration.push_back(
        {{"rows", bin.rows}, {"expected", bin.expected}, {"observed", bin.observed}});
  }
  Json out = {{"rows", quality.rows},
              {"mean_outcome", quality.mean_outcome},
              {"held_out", quality.held_out},
              {"observed", quality.observed},
              {"expected", quality.expected}};
  if (response == ResponseKind::kLogistic) {
    out["log_loss"] = optional_json(quality.log_loss);
    out["auc"] = optional_json(quality.auc);
  } else {
    out["rmse"] = optional_json(quality.rmse);
    out["r_squared"] = optional_json(quality.r_squared);
  }
  out["calibration"] = calibration;
  return out;
}

}  // namespace

std::string models_report(const LoadedTable& loaded, const ResponseModels& models) {
  return data_text(loaded) + quality_table(models) + "\n" + calibration_table(models) + "\n" +
         uplift_table(models, average_uplifts(models, loaded.table)) +
         "\nQuality and calibration are those of a fit to four fifths of the rows, measured on "
         "the other fifth.\nCalibration is by tenths of the rows, in order of prediction. Uplifts "
         "are averages over all rows;\nobserved: the difference of the mean outcomes.\n";
}

Json models_json(const LoadedTable& loaded, const ResponseModels& models) {
  Json out = data_json(loaded);
  out["response"] = response_name(models.table.response);
  const std::vector<AverageUplift> uplifts = average_uplifts(models, loaded.table);
  Json by_treatment = Json::array();
  for (std::size_t t = 0; t < models.table.treatments.size(); ++t) {
    Json model = {{"treatment", models.table.treatments[t]},
                  {"quality", quality_json(models.by_treatment[t].quality, models.table.response)}};
    if (t > 0) {
      model["uplift"] = {{"predicted", uplifts[t - 1].predicted},
                         {"observed", uplifts[t - 1].observed},
                         {"standard_error", uplifts[t - 1].standard_error}};
    }
    by_treatment.push_back(std::move(model));
  }
  out["models"] = by_treatment;
  return out;
}

std::string cluster_report(const LoadedTable& loaded, const ClusteredInstance& instance) {
  std::vector<Table::Column> columns = {{.title = "cluster", .align = kRight},
                                        {.title = "size", .align = kRight},
                                        {.title = "untreated rate", .align = kRight}};
  const bool one = loaded.table.treatments.size() == 2;
  for (std::size_t t = 1; t < loaded.table.treatments.size(); ++t) {
    columns.push_back(
        {.title = one ? "treated rate" : loaded.table.treatments[t], .align = kRight});
    columns.push_back({.title = "uplift", .align = kRight});
  }
  Table table(std::move(columns));
  for (std::size_t k = 0; k < instance.clusters.size(); ++k) {
    const CustomerCluster& cluster = instance.clusters[k];
    std::vector<std::string> row = {fmt::format("{}", k), count_text(cluster.size),
                                    rate_text(cluster.rates[0])};
    for (std::size_t t = 1; t < loaded.table.treatments.size(); ++t) {
      row.push_back(rate_text(cluster.rates[t]));
      row.push_back(fixed_text(cluster.uplift(t) * static_cast<double>(cluster.size), 1));
    }
    table.add_row(std::move(row));
  }
  return data_text(loaded) + table.text() +
         fmt::format(
             "\nUplift: what treating the cluster adds to the number of customers with {} = 1.\n"
             "k-means {} after {} iterations, inertia {} per row.\n",
             printable_text(loaded.table.outcome),
             instance.converged ? "converged" : "stopped before it converged", instance.iterations,
             short_text(instance.inertia));
}

Json cluster_json(const LoadedTable& loaded, const ClusteredInstance& instance) {
  Json out = data_json(loaded);
  Json clusters = Json::array();
  for (const CustomerCluster& cluster : instance.clusters) {
    Json uplifts = Json::array();
    for (std::size_t t = 1; t < loaded.table.treatments.size(); ++t) {
      uplifts.push_back(cluster.uplift(t) * static_cast<double>(cluster.size));
    }
    clusters.push_back({{"size", cluster.size},
                        {"rows", cluster.rows},
                        {"rates", cluster.rates},
                        {"uplifts", uplifts}});
  }
  out["clusters"] = clusters;
  out["inertia"] = instance.inertia;
  out["iterations"] = instance.iterations;
  out["converged"] = instance.converged;
  return out;
}

}  // namespace updraft::cli

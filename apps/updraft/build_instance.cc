#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "add_option.h"
#include "build_report.h"
#include "command.h"
#include "interrupt.h"
#include "options.h"
#include "output.h"
#include "progress.h"
#include "updraft/clustered_instance.h"
#include "updraft/customer_table.h"
#include "updraft/error.h"
#include "updraft/response_models.h"
#include "updraft/simulate.h"

namespace updraft::cli {
namespace {

constexpr std::uint64_t kMostRows = std::uint64_t{1} << 32;
constexpr std::uint64_t kMostClusters = 100'000;
constexpr std::uint64_t kMostRestarts = 1000;

/// Roughly the share of the time that reading takes; the rest goes into clustering.
constexpr double kReadingShare = 0.4;

constexpr const char* kHelp =
    "Builds a response model file or an instance file from a table of past customers.\n"
    "The data are a CSV file, plain or gzip, with one row per customer: features, treatment and\n"
    "outcome. Without --clusters, it fits one response model per treatment and writes a response\n"
    "model file. With --clusters, it groups customers by their features and writes an instance\n"
    "file in which an action treats one group; simulate, bounds and instance read that file.";

constexpr const char* kFooter =
    "Output: the file --out, and its contents in short on standard output: for models, their\n"
    "quality on held-out rows and the average uplifts; for clusters, a table of sizes and rates.\n"
    "With --json an object with\n"
    "  out, kind, rows_read, rows, outcome, features, treatments, then\n"
    "  response, models (treatment, quality, uplift)          or\n"
    "  clusters (size, rows, rates, uplifts), inertia, iterations, converged\n"
    "If any input is refused, nothing is written. Options on the command line override --config,\n"
    "which overrides --preset. Lists are names separated by commas; for names that contain\n"
    "commas, use --config.\n"
    "\n"
    "Examples:\n"
    "  updraft build-instance criteo.csv.gz --preset criteo --outcome-rate 0.25 \\\n"
    "      --out models.json\n"
    "  updraft build-instance criteo.csv.gz --preset criteo --clusters 20 --rows 100000 \\\n"
    "      --out instance.json\n"
    "  updraft build-instance hillstrom.csv --preset hillstrom --outcome spend \\\n"
    "      --response linear --out spend.json\n"
    "  updraft build-instance shop.csv --treatment mail --control none --outcome bought \\\n"
    "      --ignore customer,day --keep-rows --out shop.json --json";

struct Options {
  std::string csv;
  std::optional<std::string> preset;
  std::optional<std::string> config;
  std::optional<std::string> treatment;
  std::optional<std::string> outcome;
  std::optional<std::string> segment;
  std::optional<std::string> features;
  std::optional<std::string> ignore;
  std::optional<std::string> categorical;
  std::optional<std::string> control;
  std::optional<std::string> treatments;
  std::optional<std::string> response;
  std::optional<std::string> outcome_rate;
  std::optional<std::string> rows;
  std::optional<std::string> seed;
  std::optional<std::string> clusters;
  std::optional<std::string> restarts;
  std::optional<std::string> ridge;
  std::optional<std::string> name;
  std::string out;
  bool keep_rows = false;
  bool json = false;
  bool quiet = false;
};

std::vector<std::string> names_in(std::string_view option, const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    names.push_back(text.substr(from, comma - from));
    if (names.back().empty()) throw InvalidInput(option, text, "contains an empty name");
    from = comma + 1;
  }
  return names;
}

CustomerTableOptions data_options(const Options& options) {
  CustomerTableOptions out;
  if (options.preset) out = table_preset(*options.preset);
  if (options.config) out = load_table_options(*options.config, out);
  const auto text = [](const std::optional<std::string>& given, std::string& value) {
    if (given) value = *given;
  };
  const auto names = [](std::string_view option, const std::optional<std::string>& given,
                        std::vector<std::string>& value) {
    if (given) value = names_in(option, *given);
  };
  text(options.treatment, out.treatment);
  text(options.outcome, out.outcome);
  text(options.segment, out.segment);
  names("--features", options.features, out.features);
  names("--ignore", options.ignore, out.ignore);
  names("--categorical", options.categorical, out.categorical);
  text(options.control, out.control);
  names("--treatments", options.treatments, out.treatments);
  if (options.response) out.response = response_kind("--response", *options.response);
  if (options.outcome_rate) {
    out.outcome_rate = parse_probability("--outcome-rate", *options.outcome_rate);
  }
  if (options.rows) out.rows = parse_count("--rows", *options.rows, {1, kMostRows});
  if (options.seed) {
    out.seed = parse_count("--seed", *options.seed, {0, std::numeric_limits<std::uint64_t>::max()});
  }
  for (const auto& [option, value] :
       {std::pair("--treatment", &out.treatment), std::pair("--outcome", &out.outcome)}) {
    if (value->empty()) throw InvalidInput(option, "must name a column, unless --preset does");
  }
  return out;
}

/// Refuses an output file that could not be written, before any work is done.
void check_out(const Options& options) {
  if (options.out.empty()) throw InvalidInput("--out", "must be given: the file to write");
  std::error_code error;
  const std::filesystem::path path = options.out;
  if (std::filesystem::is_directory(path, error)) {
    throw InvalidInput("--out", options.out, "is a directory; must be a file");
  }
  if (path.has_parent_path() && !std::filesystem::is_directory(path.parent_path(), error)) {
    throw InvalidInput("--out", options.out, "must be in a directory that exists");
  }
  if (std::filesystem::equivalent(path, options.csv, error)) {
    throw InvalidInput("--out", options.out, "must not be the data file");
  }
}

/// The file's name without folders and extensions.
std::string name_of(const Options& options) {
  if (options.name) return *options.name;
  const std::string file = std::filesystem::path(options.csv).filename().string();
  return file.substr(0, file.find('.', 1));
}

ClusterOptions cluster_options(const Options& options, std::uint64_t seed) {
  for (const auto& [option, given] : {std::pair("--keep-rows", options.keep_rows),
                                      std::pair("--ridge", options.ridge.has_value())}) {
    if (given)
      throw InvalidInput(option, "is for response model files; cannot be used with --clusters");
  }
  ClusterOptions out;
  out.name = name_of(options);
  out.clusters = parse_count("--clusters", *options.clusters, {1, kMostClusters});
  if (options.restarts) {
    out.restarts = parse_count("--restarts", *options.restarts, {1, kMostRestarts});
  }
  out.seed = seed;
  return out;
}

ResponseFitOptions fit_options(const Options& options) {
  if (options.restarts) throw InvalidInput("--restarts", "can be used only with --clusters");
  if (options.segment) throw InvalidInput("--segment", "can be used only with --clusters");
  ResponseFitOptions out;
  out.name = name_of(options);
  if (options.ridge) out.ridge = parse_positive("--ridge", *options.ridge);
  out.keep_rows = options.keep_rows;
  return out;
}

void show(const Options& options, const char* kind, Json json, const std::string& report) {
  if (options.json) {
    Json out = {{"out", options.out}, {"kind", kind}};
    out.update(json);
    write_output(json_text(out));
  } else {
    write_output(report + fmt::format("\nWritten: {}\n", printable_text(options.out)));
  }
}

void run(const Options& options) {
  if (options.csv.empty()) throw InvalidInput("CSV", "must be given: the data, a CSV file");
  check_out(options);
  CustomerTableOptions reading = data_options(options);
  const bool clustering = options.clusters.has_value();
  ClusterOptions clusters;
  ResponseFitOptions fit;
  if (clustering) {
    clusters = cluster_options(options, reading.seed);
  } else {
    fit = fit_options(options);
  }
  std::optional<ResponseModels> models;
  std::optional<ClusteredInstance> instance;
  LoadedTable loaded;
  {
    Interrupt interrupt;
    Progress progress(options.quiet);
    const auto report = [&](double share) {
      if (interrupt.token().stop_requested()) throw Cancelled();
      progress.update(share);
    };
    reading.progress = [&](double share) { report(share * (clustering ? kReadingShare : 1.0)); };
    clusters.progress = [&](double share) {
      report(kReadingShare + (1.0 - kReadingShare) * share);
    };
    loaded = read_customer_table(options.csv, reading);
    if (clustering) {
      instance = cluster_customers(loaded.table, clusters);
    } else {
      models = fit_response_models(loaded.table, fit);
    }
    report(1.0);
  }
  if (clustering) {
    save_instance(instance->definition, options.out);
    show(options, "instance", cluster_json(loaded, *instance), cluster_report(loaded, *instance));
  } else {
    save_response_models(*models, options.out);
    show(options, "response-models", models_json(loaded, *models), models_report(loaded, *models));
  }
}

}  // namespace

Command add_build_instance_command(CLI::App& program) {
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(program, "build-instance", kHelp, kFooter);
  add_option(*command, "CSV", options->csv, "The data: a CSV file, plain or gzip");
  add_option(*command, "--out FILE", options->out, "The file to write");
  add_option(*command, "--preset NAME", options->preset,
             "Use the columns of a published data set: criteo, hillstrom");
  add_option(*command, "--config FILE", options->config, "A TOML file that describes the data");
  add_option(*command, "--treatment COLUMN", options->treatment,
             "Column with the customer's treatment");
  add_option(*command, "--control VALUE", options->control,
             "The value that means no treatment [0]");
  add_option(*command, "--treatments LIST", options->treatments,
             "The other treatments, in this order [all that occur]");
  add_option(*command, "--outcome COLUMN", options->outcome, "Column with the outcome");
  add_option(*command, "--segment COLUMN", options->segment,
             "Column with the customer's segment, for --clusters\n"
             "[the clusters are the segments]");
  add_option(*command, "--features LIST", options->features,
             "Columns that describe customers [all others]");
  add_option(*command, "--ignore LIST", options->ignore, "Columns that are not features");
  add_option(*command, "--categorical LIST", options->categorical,
             "Features whose values are names, even if they look\n"
             "like numbers");
  add_option(*command, "--response KIND", options->response,
             "logistic for outcomes 0 and 1, linear for numbers\n"
             "[logistic]");
  add_option(*command, "--outcome-rate RATE", options->outcome_rate,
             "Drop random rows with outcome 0 until this share of\n"
             "the rows has another outcome");
  add_option(*command, "--rows N", options->rows,
             "Keep a random sample of at most this many rows [all]");
  add_option(*command, "--seed N", options->seed, "Seed of all random choices [1]");
  add_option(*command, "--clusters K", options->clusters,
             "Write an instance with this many groups of customers");
  add_option(*command, "--restarts N", options->restarts,
             "Restarts of k-means; the best one counts [5]");
  add_option(*command, "--ridge X", options->ridge, "Penalty on squared coefficients [1]");
  add_option(*command, "--name NAME", options->name,
             "Name of the result in reports [the name of CSV]");
  add_flag(*command, "--keep-rows", options->keep_rows,
           "Also write the rows into the response model file");
  add_flag(*command, "--json", options->json, "Machine-readable output");
  add_flag(*command, "--quiet", options->quiet, "No progress on standard error");
  return {command, [options] { run(*options); }};
}

}  // namespace updraft::cli

#include "experiment_run.h"

#include <fmt/format.h>

#include <cstdlib>
#include <limits>
#include <span>
#include <stdexcept>

#include "add_option.h"
#include "find_data.h"
#include "interrupt.h"
#include "options.h"
#include "output.h"
#include "progress.h"
#include "updraft/error.h"
#include "updraft/report.h"
#include "web/html_report.h"

namespace updraft::cli {
namespace {

Experiment chosen_version(Experiment experiment, const ExperimentChoices& choices) {
  if (choices.quick) experiment = quick_version(std::move(experiment));
  if (choices.rounds) {
    experiment.rounds = static_cast<std::uint32_t>(parse_count("--rounds", *choices.rounds));
  }
  if (choices.runs) {
    experiment.runs =
        static_cast<std::uint32_t>(parse_count("--runs", *choices.runs, {1, kMostRuns}));
  }
  if (choices.seed) {
    experiment.seed =
        parse_count("--seed", *choices.seed, {0, std::numeric_limits<std::uint64_t>::max()});
  }
  add_style(experiment, {.bounds = choices.bounds});
  return experiment;
}

/// 0 if there is no choice.
unsigned threads_of(const ExperimentChoices& choices) {
  if (!choices.threads) return 0;
  return static_cast<unsigned>(parse_count("--threads", *choices.threads, {1, kMostThreads}));
}

/// The table of the experiment's data set. If generated individuals replace it, writes a note.
std::filesystem::path data_of(const Experiment& experiment, const ExperimentChoices& choices) {
  if (!experiment.targeting) return {};
  const std::filesystem::path data = find_data(experiment.targeting->data, choices.data);
  const bool stands_in = data.empty() && is_table_preset(experiment.targeting->data);
  if (stands_in && !choices.quiet) {
    const char* folder = std::getenv("UPDRAFT_DATA");
    write_note(fmt::format(
        "no {} data{}: {} runs on generated individuals instead; give the table with --data, or "
        "its folder in UPDRAFT_DATA",
        experiment.targeting->data,
        folder != nullptr ? fmt::format(" in UPDRAFT_DATA, {}", folder) : "", experiment.name));
  }
  if (!data.empty() && !choices.quiet) write_note(fmt::format("reading {}", data.string()));
  return data;
}

/// Throws InvalidInput if --data lacks what an experiment needs, or if no experiment needs data.
void check_data(std::span<const Experiment> experiments, const ExperimentChoices& choices) {
  if (!choices.data) return;
  bool used = false;
  for (const Experiment& experiment : experiments) {
    if (!experiment.targeting || !is_table_preset(experiment.targeting->data)) continue;
    find_data(experiment.targeting->data, choices.data);
    used = true;
  }
  if (!used) {
    throw InvalidInput("--data", *choices.data,
                       "is only for experiments on published data, such as targeting-model and "
                       "hillstrom");
  }
}

/// Runs an experiment that needs no changes, or a part of it: what `run` makes of the options.
template <typename Run>
auto play(const Experiment& experiment, const std::filesystem::path& folder,
          const ExperimentChoices& choices, const Run& run) {
  Interrupt interrupt;
  Progress progress(choices.quiet);
  ExperimentOptions options{
      .folder = folder, .data = data_of(experiment, choices), .threads = threads_of(choices)};
  options.progress = [&progress](double share) { progress.update(share); };
  options.stop = interrupt.token();
  try {
    return run(options);
  } catch (const Cancelled&) {
    throw std::runtime_error(fmt::format(
        "stopped: the finished runs are kept in {}; the same command continues from there",
        folder.string()));
  }
}

template <typename Result>
void write_all_reports(const Result& result, const std::filesystem::path& folder, bool html) {
  if (html) write_html_report(result, folder);
  const std::string not_drawn = write_report(result, folder);
  if (!not_drawn.empty()) write_note(not_drawn);
}

ExperimentResult play_and_report(const Experiment& experiment, const std::filesystem::path& folder,
                                 const ExperimentChoices& choices) {
  ExperimentResult result =
      play(experiment, folder, choices,
           [&](const ExperimentOptions& options) { return run_experiment(experiment, options); });
  write_reports(result, folder, choices.html);
  return result;
}

ShardSize play_one_shard(const Experiment& experiment, const Shard& shard,
                         const std::filesystem::path& folder, const ExperimentChoices& choices) {
  return play(experiment, folder, choices, [&](const ExperimentOptions& options) {
    return run_shard(experiment, shard, options);
  });
}

/// Claims the folder, and calls one(experiment, its folder) for each experiment as the choices
/// change it. Refuses bad choices before it writes anything.
template <typename One>
void play_each(const Suite& suite, const std::filesystem::path& folder,
               const ExperimentChoices& choices, const One& one) {
  threads_of(choices);
  std::vector<Experiment> versions;
  for (const Experiment& experiment : suite.experiments) {
    ExperimentChoices fitting = choices;
    fitting.bounds = choices.bounds && !experiment.targeting;  // only figures that can have them
    versions.push_back(chosen_version(experiment, fitting));
  }
  check_data(versions, choices);
  claim_suite_folder(suite, folder);
  for (std::size_t j = 0; j < versions.size(); ++j) {
    if (!choices.quiet) {
      write_note(fmt::format("running {}, {} of {}", versions[j].name, j + 1, versions.size()));
    }
    one(versions[j], folder / versions[j].name);
  }
}

}  // namespace

void add_choices(CLI::App& command, ExperimentChoices& choices) {
  add_flag(command, "--quick", choices.quick,
           "A short version: fewer rounds and runs, the paper's parameters");
  add_option(command, "--rounds T", choices.rounds, "Rounds of a run [the experiment's]");
  add_option(command, "--runs R", choices.runs, "Independent runs [the experiment's]");
  add_option(command, "--seed S", choices.seed, "Seed of all random numbers [the experiment's]");
  add_option(command, "--threads N", choices.threads,
             "Number of threads [as many as the machine has]");
  add_option(command, "--data PATH", choices.data,
             "The published table of a targeting experiment, or its folder [$UPDRAFT_DATA]");
  add_flag(command, "--bounds", choices.bounds, "Draw the theory's bounds into the figure");
  add_flag(command, "--html", choices.html,
           "Also write report.html: one file with interactive charts, for any browser");
  add_flag(command, "--quiet", choices.quiet, "No progress and no notes");
  add_option(command, "--out DIR", choices.out, "Folder of the results [results/NAME]");
}

std::filesystem::path results_folder(const std::string& name, const ExperimentChoices& choices) {
  if (choices.out) return *choices.out;
  return std::filesystem::path("results") / (name + (choices.quick ? "-quick" : ""));
}

void add_style(Experiment& experiment, const FigureStyle& more) {
  FigureStyle& style = experiment.figure;
  if (experiment.targeting && (more.bounds || more.percentile)) {
    throw InvalidInput(
        more.bounds ? "--bounds" : "--percentile",
        fmt::format("is for experiments on an instance; {} is on a population", experiment.name));
  }
  if (experiment.contexts && more.bounds) {
    throw InvalidInput("--bounds",
                       fmt::format("is for experiments on an instance; {} is a contextual bandit",
                                   experiment.name));
  }
  const auto add = [&](std::string_view option, bool& flag, bool asked) {
    if (asked && style.against == FigureStyle::Against::kParameter) {
      throw InvalidInput(option, fmt::format("is for figures against rounds; the figure of {} is "
                                             "against the parameter",
                                             experiment.name));
    }
    flag = flag || asked;
  };
  add("--bounds", style.bounds, more.bounds);
  add("--log-rounds", style.log_rounds, more.log_rounds);
  add("--log-regret", style.log_regret, more.log_regret);
  add("--percentile", style.percentile, more.percentile);
}

ExperimentResult play_into(const Experiment& experiment, const std::filesystem::path& folder,
                           const ExperimentChoices& choices) {
  check_data({&experiment, 1}, choices);
  return play_and_report(chosen_version(experiment, choices), folder, choices);
}

SuiteResult play_into(const Suite& suite, const std::filesystem::path& folder,
                      const ExperimentChoices& choices) {
  SuiteResult result{.name = suite.name, .title = suite.title, .parts = {}};
  play_each(suite, folder, choices, [&](const Experiment& experiment, const auto& into) {
    result.parts.push_back(play_and_report(experiment, into, choices));
  });
  write_reports(result, folder, choices.html);
  return result;
}

ShardSize play_shard(const Experiment& experiment, const Shard& shard,
                     const std::filesystem::path& folder, const ExperimentChoices& choices) {
  check_data({&experiment, 1}, choices);
  return play_one_shard(chosen_version(experiment, choices), shard, folder, choices);
}

ShardSize play_shard(const Suite& suite, const Shard& shard, const std::filesystem::path& folder,
                     const ExperimentChoices& choices) {
  ShardSize size;
  play_each(suite, folder, choices, [&](const Experiment& experiment, const auto& into) {
    const ShardSize part = play_one_shard(experiment, shard, into, choices);
    size.runs += part.runs;
    size.of += part.of;
  });
  return size;
}

void write_reports(const ExperimentResult& result, const std::filesystem::path& folder, bool html) {
  write_all_reports(result, folder, html);
}

void write_reports(const SuiteResult& result, const std::filesystem::path& folder, bool html) {
  write_all_reports(result, folder, html);
}

std::string folder_text(const std::filesystem::path& folder) {
  std::string text;
  for (const char* name : {"figure.svg", "figure.png", "summary.md", "report.html", "final.csv",
                           "curves.csv", "ranking.csv", "manifest.json", "suite.json"}) {
    if (std::filesystem::exists(folder / name)) text += (folder / name).string() + "\n";
  }
  return text;
}

}  // namespace updraft::cli

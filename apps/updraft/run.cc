#include <fmt/format.h>

#include "add_option.h"
#include "command.h"
#include "experiment_run.h"
#include "options.h"
#include "output.h"
#include "result_json.h"
#include "updraft/error.h"
#include "updraft/report.h"

namespace updraft::cli {
namespace {

constexpr const char* kFooter =
    "Output: the summary on standard output, and a folder with summary.md, figure.svg,\n"
    "figure.png, final.csv (one row per policy, value and run), curves.csv and manifest.json;\n"
    "for targeting also ranking.csv; with --html also report.html, one file with all results and\n"
    "interactive charts, which needs no network. A suite gets a summary and a figure of its own,\n"
    "and such a folder for each experiment.\n"
    "\n"
    "If published data are missing, an experiment on them takes generated individuals, and its\n"
    "summary says so. If a run is stopped or killed, the same command continues it. The files are\n"
    "the same, byte for byte, for any number of threads and interruptions, except that the\n"
    "manifest and report.html also contain times.\n"
    "\n"
    "With --shard, one part of the runs is played, and the folder, by default\n"
    "results/NAME-shards/I-of-N, has only these. docs/sweeps.md shows how a cluster runs all "
    "parts.\n"
    "\n"
    "Examples:\n"
    "  updraft run criteo --quick --html\n"
    "  updraft run gaussian --runs 20 --policies ucb up_ucb --out my-results\n"
    "  updraft run tuning-free --quick\n"
    "  updraft run hillstrom --data hillstrom.csv.gz\n"
    "  updraft run gaussian --shard 2/8\n"
    "  updraft run mine.toml";

std::string names_of(std::span<const ShippedExperiment> shipped) {
  std::vector<std::string_view> names;
  for (const ShippedExperiment& one : shipped) names.push_back(one.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string help() {
  const std::string text = fmt::format(
      "EXPERIMENT is a shipped experiment ({}), a shipped suite of experiments ({}), or a TOML "
      "file; docs/experiments.md explains how to write one.",
      names_of(shipped_experiments()), names_of(shipped_suites()));
  return fmt::format(
      "Runs an experiment: tunes each policy, draws the figure, judges the paper's claims.\n{}",
      fmt::join(wrap_text(text, 90), "\n"));
}

struct Options {
  std::string experiment;
  std::vector<std::string> policies;
  ExperimentChoices choices;
  std::optional<std::string> shard;
  bool json = false;
};

template <typename Result>
void show(const Result& result, const std::filesystem::path& folder, bool json) {
  write_output(json ? json_text(result_json(result, folder))
                    : summary_markdown(result) + "\n" + folder_text(folder));
}

/// "2/8"
Shard parse_shard(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) {
    throw InvalidInput("--shard", text, "must be I/N with I from 1 to N, such as 2/8");
  }
  const auto of = parse_count("--shard, N", text.substr(slash + 1));
  const auto index = parse_count("--shard, I", text.substr(0, slash), {1, of});
  return {.index = static_cast<std::uint32_t>(index), .of = static_cast<std::uint32_t>(of)};
}

/// The folder given with --out, else results/NAME-shards/I-of-N.
std::filesystem::path shard_folder(const std::string& name, const Shard& shard,
                                   const ExperimentChoices& choices) {
  std::filesystem::path folder = results_folder(name, choices);
  if (choices.out) return folder;
  folder += "-shards";
  return folder / fmt::format("{}-of-{}", shard.index, shard.of);
}

void show_shard(const Shard& shard, const ShardSize& size, const std::filesystem::path& folder,
                bool json) {
  if (json) {
    write_output(json_text({{"shard", {{"index", shard.index}, {"of", shard.of}}},
                            {"runs", size.runs},
                            {"of_runs", size.of},
                            {"folder", folder.string()}}));
    return;
  }
  write_output(fmt::format("shard {} of {}: {} of {} runs of policies are finished\n{}\n",
                           shard.index, shard.of, size.runs, size.of, folder.string()));
}

void run(const Options& options) {
  if (options.experiment.empty()) {
    throw InvalidInput("experiment",
                       "must be given: a shipped experiment or a TOML file; see --help");
  }
  if (options.shard && options.choices.html) {
    throw InvalidInput("--html", "is for whole results: give it to updraft merge");
  }
  const auto play = [&options](auto chosen) {
    if (!options.policies.empty()) chosen = with_policies(std::move(chosen), options.policies);
    if (options.shard) {
      const Shard shard = parse_shard(*options.shard);
      const std::filesystem::path folder = shard_folder(chosen.name, shard, options.choices);
      show_shard(shard, play_shard(chosen, shard, folder, options.choices), folder, options.json);
      return;
    }
    const std::filesystem::path folder = results_folder(chosen.name, options.choices);
    show(play_into(chosen, folder, options.choices), folder, options.json);
  };
  std::visit(play, load_experiment_or_suite(options.experiment));
}

}  // namespace

Command add_run_command(CLI::App& program) {
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(program, "run", help(), kFooter);
  add_option(*command, "experiment EXPERIMENT", options->experiment,
             "A shipped experiment or suite, or a TOML file");
  add_choices(*command, options->choices);
  add_option(*command, "--policies NAME ...", options->policies,
             "Only these policies, by label, name or spec [all of the experiment]");
  add_option(*command, "--shard I/N", options->shard,
             "Only part I of N; updraft merge joins the parts [all]");
  add_flag(*command, "--json", options->json, "Machine-readable output");
  return {command, [options] { run(*options); }};
}

}  // namespace updraft::cli

#include <fmt/format.h>

#include "add_option.h"
#include "command.h"
#include "experiment_run.h"
#include "output.h"
#include "result_json.h"
#include "updraft/error.h"
#include "updraft/report.h"

namespace updraft::cli {
namespace {

constexpr const char* kHelp =
    "Joins the shards that updraft run --shard wrote. The results are those of a run on one\n"
    "machine, byte for byte. Needs no data, and the instance file only if the figure shows bounds.";

constexpr const char* kFooter =
    "Output: the summary on standard output, and the files that updraft run writes. A shard may\n"
    "be given twice. Shards that differ in version, instance, seed or experiment are refused, and\n"
    "so are shards that contradict each other. If runs are missing, nothing is written, and the\n"
    "message names the shards that should have them.\n"
    "\n"
    "Example:\n"
    "  updraft merge results/gaussian-shards/* --out results/gaussian";

struct Options {
  std::vector<std::string> shards;
  std::string out;
  bool html = false;
  bool json = false;
};

void report_parts(const SuiteResult& suite, const std::filesystem::path& folder, bool html) {
  for (const ExperimentResult& part : suite.parts) {
    write_reports(part, folder / part.experiment.name, html);
  }
}

void run(const Options& options) {
  if (options.shards.empty()) {
    throw InvalidInput("shards", "must be given: folders that updraft run --shard has written");
  }
  if (options.out.empty()) {
    throw InvalidInput("--out", "must be given: the folder of the joined results");
  }
  const std::vector<std::filesystem::path> shards(options.shards.begin(), options.shards.end());
  const std::filesystem::path out = options.out;
  const auto show = [&](const auto& result) {
    write_reports(result, out, options.html);
    write_output(options.json ? json_text(result_json(result, out))
                              : summary_markdown(result) + "\n" + folder_text(out));
  };
  if (is_suite_folder(shards.front())) {
    const SuiteResult result = merge_suite_shards(shards, out);
    report_parts(result, out, options.html);
    show(result);
  } else {
    show(merge_shards(shards, out));
  }
}

}  // namespace

Command add_merge_command(CLI::App& program) {
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(program, "merge", kHelp, kFooter);
  add_option(*command, "shards DIR ...", options->shards,
             "Folders that updraft run --shard has written");
  add_option(*command, "--out DIR", options->out, "Folder of the joined results");
  add_flag(*command, "--html", options->html,
           "Also write report.html: one file with interactive charts, for any browser");
  add_flag(*command, "--json", options->json, "Machine-readable output");
  return {command, [options] { run(*options); }};
}

}  // namespace updraft::cli

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <fstream>
#include <iostream>
#include <memory>
#include <string>

#include "command.h"
#include "core/files.h"
#include "output.h"
#include "service/campaign_log.h"
#include "service/store_check.h"
#include "store/campaign_store.h"
#include "updraft/error.h"

namespace updraft::cli {
namespace {

constexpr const char* kHelp =
    "Looks after the store of updraft serve: checks it, and moves campaigns as JSON lines.";

constexpr const char* kFooter =
    "check   reads all of it, replays every event and compares the state with the snapshots, bit\n"
    "        for bit; exit 1 where something is wrong. The service may run meanwhile.\n"
    "export  writes a campaign with all its events (docs/formats/campaign-log.md) to --file or to\n"
    "        standard output. The service may run meanwhile.\n"
    "import  takes over such a file, or standard input: all of it or nothing. The store is made\n"
    "        where there is none; no service may use it.\n"
    "\n"
    "Examples:\n"
    "  updraft store check --store campaigns.db\n"
    "  updraft store export spring --store campaigns.db --file spring.jsonl\n"
    "  updraft store import --store other.db --file spring.jsonl";

struct Options {
  std::string action;
  std::string campaign;
  std::string store;
  std::string file;
  bool json = false;
};

void check(const Options& options) {
  const StoreCheck found = check_store(CampaignStore(options.store, CampaignStore::Mode::kRead));
  std::string text;
  Json campaigns = Json::array();
  for (const CheckedCampaign& campaign : found.campaigns) {
    text += fmt::format("{}: {} events, {} snapshots as they must be\n", campaign.name,
                        campaign.events, campaign.snapshots);
    campaigns.push_back(
        {{"name", campaign.name}, {"events", campaign.events}, {"snapshots", campaign.snapshots}});
  }
  for (const std::string& defect : found.defects) text += "wrong: " + defect + "\n";
  if (found.defects.empty()) text += "nothing is wrong\n";
  write_output(options.json ? json_text(Json{{"campaigns", campaigns}, {"defects", found.defects}})
                            : text);
  if (!found.defects.empty()) throw std::runtime_error(options.store + ": something is wrong");
}

void export_to(const Options& options) {
  if (options.campaign.empty()) throw InvalidInput("CAMPAIGN", "must be given");
  const CampaignStore store(options.store, CampaignStore::Mode::kRead);
  if (options.file.empty()) {
    export_campaign(store, options.campaign, std::cout);
    if (!std::cout.flush()) throw std::runtime_error("cannot write to standard output");
    return;
  }
  const std::string partial = options.file + ".partial";
  std::ofstream out(partial, std::ios::binary);
  if (!out) fail_on("write", partial);
  try {
    export_campaign(store, options.campaign, out);
    out.close();
    if (!out) fail_on("write", partial);
    std::filesystem::rename(partial, options.file);
  } catch (...) {
    std::filesystem::remove(partial);
    throw;
  }
}

void import_from(const Options& options) {
  CampaignStore store(options.store, CampaignStore::Mode::kWrite);
  std::string name;
  if (options.file.empty()) {
    name = import_campaign(store, std::cin);
  } else {
    std::ifstream in(options.file, std::ios::binary);
    if (!in || std::filesystem::is_directory(options.file)) {
      throw InvalidInput("--file", options.file, "cannot be read");
    }
    name = import_campaign(store, in);
  }
  write_output(fmt::format("{} is in {}\n", name, options.store));
}

void run(const Options& options) {
  if (options.store.empty()) throw InvalidInput("--store", "must be given");
  if (options.action == "check") return check(options);
  if (options.action == "export") return export_to(options);
  if (options.action == "import") return import_from(options);
  if (options.action.empty()) throw InvalidInput("ACTION", "must be check, export or import");
  throw unknown_name("ACTION", options.action, {"check", "export", "import"});
}

}  // namespace

Command add_store_command(CLI::App& program) {
  auto options = std::make_shared<Options>();
  CLI::App* command = program.add_subcommand("store", kHelp);
  command->add_option("ACTION", options->action, "check, export or import")->option_text(" ");
  command->add_option("CAMPAIGN", options->campaign, "The campaign to export")->option_text(" ");
  command->add_option("--store", options->store, "The file of updraft serve --store")
      ->option_text("FILE");
  command->add_option("--file", options->file, "Where the lines go or come from")
      ->option_text("FILE");
  command->add_flag("--json", options->json, "check: print JSON");
  command->footer(kFooter);
  return {command, [options] { run(*options); }};
}

}  // namespace updraft::cli

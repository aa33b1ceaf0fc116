#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <memory>
#include <string>

#include "add_option.h"
#include "command.h"
#include "core/files.h"
#include "export_log.h"
#include "migrate_store.h"
#include "output.h"
#include "service/campaign_log.h"
#include "service/store_check.h"
#include "store/campaign_store.h"
#include "store/open_store.h"
#include "store/postgres_store.h"
#include "updraft/error.h"

namespace updraft::cli {
namespace {

constexpr const char* kHelp =
    "Checks and backs up the store of updraft serve, and exports and imports its campaigns as\n"
    "JSON lines.";

constexpr const char* kFooter =
    "check   reads the whole store, replays every event, compares the state with the snapshots,\n"
    "        bit for bit, and makes every decision again. Exit code 1 if something is wrong, or\n"
    "        if the policy would now decide otherwise, as a newer revision of it may. The store\n"
    "        still opens and serves in that case: recorded decisions stand. The service may run\n"
    "        meanwhile.\n"
    "backup  copies the store to the new file --file, as of one moment, and checks the copy. The\n"
    "        service may run meanwhile. docs/operations.md says how to restore it. A store in\n"
    "        PostgreSQL is backed up by PostgreSQL's own tools.\n"
    "export  writes a campaign with all its events (docs/formats/campaign-log.md) to --file or to\n"
    "        standard output. With --log, it writes the decisions whose payoffs are complete as a\n"
    "        decision log (docs/formats/decision-log.md), for updraft evaluate and updraft\n"
    "        simulate --warm: NDJSON if the name ends in .ndjson or .jsonl, otherwise CSV;\n"
    "        compressed with gzip if it ends in .gz. The service may run meanwhile.\n"
    "import  reads such a file, or standard input: all of it or nothing. It creates the store if\n"
    "        there is none. No service may be using the store, unless it is in PostgreSQL.\n"
    "migrate copies the store FROM into the store TO, from a file to PostgreSQL or back, and\n"
    "        checks the copy by replay: the same events, chains and snapshots. TO must be a new\n"
    "        file, or a database without campaigns. No service may be using FROM.\n"
    "audit   reads such a file, or standard input, and says whether it has exactly the events\n"
    "        of the campaign that the store has, or had before it dropped or deleted them.\n"
    "\n"
    "Examples:\n"
    "  updraft store check --store campaigns.db\n"
    "  updraft store backup --store campaigns.db --file backup.db\n"
    "  updraft store export spring --store campaigns.db --file spring.jsonl\n"
    "  updraft store export spring --store campaigns.db --log spring.csv.gz\n"
    "  updraft store import --store other.db --file spring.jsonl\n"
    "  updraft store migrate campaigns.db postgresql://updraft@db/updraft\n"
    "  updraft store audit --store campaigns.db --file spring.jsonl";

struct Options {
  std::string action;
  std::string campaign;
  std::string to;
  std::string store;
  std::string file;
  std::string log;
  std::string log_form = "wide";
  bool json = false;
};

std::string revision_text(std::uint32_t revision) {
  return revision == 0 ? "an unrecorded revision" : fmt::format("revision {}", revision);
}

std::string choice_text(const Decided& decided) {
  const std::string choice = decided.treatments.empty()
                                 ? fmt::format("action {}", decided.action)
                                 : fmt::format("treatments {}", fmt::join(decided.treatments, " "));
  if (!decided.probability) return choice;
  return fmt::format("{} with probability {}", choice, *decided.probability);
}

std::string check_text(const CheckedCampaign& campaign) {
  if (campaign.dropped) {
    return fmt::format("{}: archived without events, the archive is correct\n", campaign.name);
  }
  std::string text = fmt::format("{}: {} events, {} snapshots, all correct\n", campaign.name,
                                 campaign.events, campaign.snapshots);
  if (campaign.cut > 0) {
    text += fmt::format(
        "{}: events up to {} were dropped; the check begins at the snapshot after them\n",
        campaign.name, campaign.cut);
  }
  if (campaign.other_snapshots > 0) {
    text += fmt::format("{}: {} snapshots of another revision of the policy are not used\n",
                        campaign.name, campaign.other_snapshots);
  }
  for (const OtherDecision& other : campaign.first_otherwise) {
    text += fmt::format(
        "decided otherwise: campaign {}, event {}, decision {}: recorded {}, now {}; made by {}; "
        "now {}\n",
        campaign.name, other.event, other.decision, choice_text(other.recorded),
        choice_text(other.now), revision_text(other.recorded.revision), other.now.revision);
  }
  const std::uint64_t more = campaign.decided_otherwise - campaign.first_otherwise.size();
  if (more > 0)
    text += fmt::format("decided otherwise: campaign {}, {} more\n", campaign.name, more);
  return text;
}

Json choice_json(const Decided& decided) {
  Json out = Json::object();
  if (decided.treatments.empty()) {
    out["action"] = decided.action;
  } else {
    out["treatments"] = decided.treatments;
  }
  out["probability"] = decided.probability ? Json(*decided.probability) : Json(nullptr);
  out["revision"] = decided.revision == 0 ? Json(nullptr) : Json(decided.revision);
  return out;
}

Json check_json(const CheckedCampaign& campaign) {
  Json listed = Json::array();
  for (const OtherDecision& other : campaign.first_otherwise) {
    listed.push_back({{"event", other.event},
                      {"decision", other.decision},
                      {"recorded", choice_json(other.recorded)},
                      {"now", choice_json(other.now)}});
  }
  return {{"name", campaign.name},
          {"events", campaign.dropped ? Json(nullptr) : Json(campaign.events)},
          {"cut", campaign.cut == 0 ? Json(nullptr) : Json(campaign.cut)},
          {"snapshots", campaign.snapshots},
          {"other_snapshots", campaign.other_snapshots},
          {"decided_otherwise", campaign.decided_otherwise},
          {"first_otherwise", listed}};
}

void check(const Options& options) {
  const StoreCheck found = check_store(*open_store(options.store));
  std::string text;
  Json campaigns = Json::array();
  for (const CheckedCampaign& campaign : found.campaigns) {
    text += check_text(campaign);
    campaigns.push_back(check_json(campaign));
  }
  for (const std::string& defect : found.defects) text += "wrong: " + defect + "\n";
  if (found.nothing_found()) text += "nothing is wrong\n";
  write_output(options.json ? json_text(Json{{"campaigns", campaigns}, {"defects", found.defects}})
                            : text);
  const std::string store = shown_store(options.store);
  if (!found.defects.empty()) throw std::runtime_error(store + ": something is wrong");
  if (!found.nothing_found()) {
    throw std::runtime_error(store + ": the policy would now make some decisions otherwise");
  }
}

void export_to(const Options& options) {
  if (options.campaign.empty()) throw InvalidInput("CAMPAIGN", "must be given");
  const std::unique_ptr<EventStore> opened = open_store(options.store);
  const EventStore& store = *opened;
  if (!options.log.empty()) {
    if (!options.file.empty()) throw InvalidInput("--log", "cannot be combined with --file");
    if (options.log_form != "wide" && options.log_form != "long") {
      throw InvalidInput("--log-form", options.log_form, "must be wide or long");
    }
    const std::uint64_t rows =
        export_decision_log(store, {options.campaign, options.log, options.log_form == "long"});
    write_output(fmt::format("wrote {} decisions to {}\n", rows, options.log));
    return;
  }
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

/// What `read` makes of the file, or of standard input if there is none.
template <typename Read>
auto from_file(const std::string& path, Read read) {
  if (path.empty()) return read(std::cin);
  std::ifstream in(path, std::ios::binary);
  if (!in || std::filesystem::is_directory(path)) {
    throw InvalidInput("--file", path, "cannot be read");
  }
  return read(in);
}

void import_from(const Options& options) {
  const std::unique_ptr<EventStore> store = open_store_to_write(options.store);
  const std::string name =
      from_file(options.file, [&](std::istream& in) { return import_campaign(*store, in); });
  write_output(fmt::format("imported {} into {}\n", name, shown_store(options.store)));
}

void audit(const Options& options) {
  const std::unique_ptr<EventStore> store = open_store(options.store);
  const std::uint64_t events =
      from_file(options.file, [&](std::istream& in) { return audit_campaign(*store, in); });
  write_output(fmt::format("these are the {} events of {}\n", events, shown_store(options.store)));
}

void back_up(const Options& options) {
  if (is_postgres(options.store)) {
    throw InvalidInput("--store", shown_store(options.store),
                       "is backed up by PostgreSQL's own tools: pg_basebackup or pg_dump");
  }
  if (options.file.empty()) throw InvalidInput("--file", "must be given: the file to copy to");
  CampaignStore(options.store, CampaignStore::Mode::kRead).back_up(options.file);
  const std::vector<std::string> damage =
      damage_in(CampaignStore(options.file, CampaignStore::Mode::kRead));
  if (!damage.empty()) {
    std::filesystem::remove(options.file);
    throw std::runtime_error(fmt::format("{} is damaged, and so is the copy, which was removed: {}",
                                         options.store, damage.front()));
  }
  write_output(fmt::format("copied {} to {}\n", options.store, options.file));
}

void run(const Options& options) {
  if (options.action == "migrate") return migrate_store(options.campaign, options.to);
  if (!options.to.empty()) throw InvalidInput("TO", "is for migrate only");
  if (options.store.empty()) throw InvalidInput("--store", "must be given");
  if (options.action == "check") return check(options);
  if (options.action == "backup") return back_up(options);
  if (options.action == "export") return export_to(options);
  if (options.action == "import") return import_from(options);
  if (options.action == "audit") return audit(options);
  if (options.action.empty())
    throw InvalidInput("ACTION", "must be check, backup, export, import, migrate or audit");
  throw unknown_name("ACTION", options.action,
                     {"check", "backup", "export", "import", "migrate", "audit"});
}

}  // namespace

Command add_store_command(CLI::App& program) {
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(program, "store", kHelp, kFooter);
  add_option(*command, "ACTION", options->action,
             "check, backup, export, import, migrate or audit");
  add_option(*command, "CAMPAIGN", options->campaign,
             "The campaign to export; migrate: the store to copy");
  add_option(*command, "TO", options->to, "migrate: the store to make");
  add_option(*command, "--store FILE", options->store,
             "The file of updraft serve --store, or its postgresql://...");
  add_option(*command, "--file FILE", options->file,
             "The file to copy or export to, to import from, or to audit");
  add_option(*command, "--log FILE", options->log,
             "export: the file for the decisions as a decision log");
  add_option(*command, "--log-form FORM", options->log_form,
             "--log: wide, a row per decision, or long, a row per payoff [wide]");
  add_flag(*command, "--json", options->json, "check: print JSON");
  return {command, [options] { run(*options); }};
}

}  // namespace updraft::cli

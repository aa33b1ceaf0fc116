#include <fmt/format.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "add_option.h"
#include "command.h"
#include "describe.h"
#include "output.h"
#include "updraft/registry.h"

namespace updraft::cli {
namespace {

constexpr std::size_t kTextWidth = 96;

constexpr const char* kHelp =
    "Lists the policies, or describes one.\n"
    "For each policy: what it must be told before it can start, its parameters, and how well it\n"
    "is checked. NAME may be an alias.";

constexpr const char* kFooter =
    "Output: a table, or the details of one policy; with --json\n"
    "  {\"policies\": [{name, aliases, summary, index, reference, status, needs, parameters}],\n"
    "  \"targeting_policies\", \"contextual_policies\": the same; not with NAME}\n"
    "Status: verified = checked against a plain reference and its theorem, light = against a\n"
    "reference only, experimental = not yet checked.\n"
    "\n"
    "Examples:\n"
    "  updraft policies\n"
    "  updraft policies up_ucb\n"
    "  updraft policies --json";

struct Options {
  std::string name;
  bool json = false;
};

Json policy_json(const PolicyInfo& policy) {
  Json parameters = Json::array();
  for (const ParameterInfo& parameter : policy.parameters) {
    parameters.push_back({{"name", parameter.name},
                          {"rule", parameter_rule(parameter)},
                          {"default", parameter.otherwise.text()},
                          {"help", parameter.help}});
  }
  Json out;
  out["name"] = policy.name;
  out["aliases"] = policy.aliases;
  out["summary"] = policy.summary;
  out["index"] = policy.index;
  out["reference"] = policy.reference;
  out["status"] = status_name(policy.status);
  out["needs"] = need_names(policy.needs);
  out["parameters"] = parameters;
  return out;
}

std::string overview_table(std::span<const PolicyInfo> policies) {
  Table table({{.title = "policy"},
               {.title = "needs to know", .width = 18},
               {.title = "parameters", .width = 26},
               {.title = "what it does", .width = 44},
               {.title = "status"}});
  for (const PolicyInfo& policy : policies) {
    std::vector<std::string_view> names;
    for (const ParameterInfo& parameter : policy.parameters) names.push_back(parameter.name);
    table.add_row({std::string(policy.name), short_words(policy.needs),
                   fmt::format("{}", fmt::join(names, ", ")), std::string(policy.summary),
                   std::string(status_name(policy.status))});
  }
  return table.text();
}

std::string overview() {
  return overview_table(policies(PolicyKind::kPlain)) +
         "\n"
         "Targeting policies, which choose whom to treat, and how (in the library;\n"
         "docs/targeting.md):\n"
         "\n" +
         overview_table(policies(PolicyKind::kTargeting)) +
         "\n"
         "Contextual policies, for contexts that differ between rounds (in the library and\n"
         "simulate --instance contextual-linear; docs/targeting.md):\n"
         "\n" +
         overview_table(policies(PolicyKind::kContextual)) +
         "\n"
         "updraft policies NAME describes one of them. Give parameters in parentheses:\n"
         "up_ucb(alpha=3). L: the largest number of variables that an action affects. Delta: the\n"
         "least change of the mean of a variable that an action affects.\n";
}

std::string details(const PolicyInfo& policy) {
  std::string out = fmt::format("{}\n", policy.name);
  for (const std::string& line : wrap_text(policy.summary, kTextWidth)) out += line + "\n";
  out += "\n";
  const auto field = [&out](std::string_view title, std::string_view text) {
    bool first = true;
    for (const std::string& line : wrap_text(text, kTextWidth - 11)) {
      out += fmt::format("{:<11}{}\n", first ? title : "", line);
      first = false;
    }
  };
  field("index", policy.index);
  field("reference", policy.reference);
  field("status", status_name(policy.status));
  if (!policy.aliases.empty()) field("aliases", fmt::format("{}", fmt::join(policy.aliases, ", ")));

  out += "\nneeds to know\n";
  for (const Need need : all_needs()) {
    if (policy.needs.contains(need)) out += "  " + sentence(need) + "\n";
  }
  if (policy.needs.empty()) out += "  nothing\n";

  out += "\n";
  Table table({{.title = "parameter"},
               {.title = "rule", .width = 24},
               {.title = "default", .width = 24},
               {.title = "meaning", .width = 50}});
  for (const ParameterInfo& parameter : policy.parameters) {
    const std::string otherwise = parameter.otherwise.text();
    table.add_row({std::string(parameter.name), parameter_rule(parameter),
                   otherwise.empty() ? "-" : otherwise, std::string(parameter.help)});
  }
  return out + table.text();
}

void run(const Options& options) {
  const std::span<const PolicyInfo> chosen = options.name.empty()
                                                 ? policies(PolicyKind::kPlain)
                                                 : std::span(&policy_info(options.name), 1);
  if (!options.json) {
    write_output(options.name.empty() ? overview() : details(chosen.front()));
    return;
  }
  const auto listed = [](std::span<const PolicyInfo> infos) {
    Json list = Json::array();
    for (const PolicyInfo& policy : infos) list.push_back(policy_json(policy));
    return list;
  };
  Json out = {{"policies", listed(chosen)}};
  if (options.name.empty()) {
    out["targeting_policies"] = listed(policies(PolicyKind::kTargeting));
    out["contextual_policies"] = listed(policies(PolicyKind::kContextual));
  }
  write_output(json_text(out));
}

}  // namespace

Command add_policies_command(CLI::App& program) {
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(program, "policies", kHelp, kFooter);
  add_option(*command, "NAME", options->name, "A policy or alias, such as up_ucb");
  add_flag(*command, "--json", options->json, "Machine-readable output");
  return {command, [options] { run(*options); }};
}

}  // namespace updraft::cli

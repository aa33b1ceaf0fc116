#include "updraft/instance.h"
#include "add_option.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "command.h"
#include "describe.h"
#include "output.h"
#include "updraft/context_environment.h"
#include "updraft/error.h"

namespace updraft::cli {
namespace {

constexpr std::size_t kMostActionsShown = 30;
constexpr std::size_t kBestShown = 10;
constexpr std::size_t kWorstShown = 5;

constexpr const char* kHelp =
    "Shows an instance, or lists the instances that come with updraft.\n"
    "It shows the true size of the problem, how good each action is, and how noisy the reward is.\n"
    "A file must be in the instance format, which --export writes.";

constexpr const char* kFooter =
    "Output: a summary and a table of actions, best first; with --json an object with\n"
    "  name, summary, actions, action_names, variables, affected, max_affected, uplifts, gaps,\n"
    "  min_gap, min_uplift, effect_gap, rewards, best_action, noise, noise_sd, variance_proxy,\n"
    "  reward_variance_proxy\n"
    "With --export, the instance itself, which you can edit and use as FILE.\n"
    "\n"
    "Examples:\n"
    "  updraft instance\n"
    "  updraft instance criteo\n"
    "  updraft instance gaussian --export > mine.json\n"
    "  updraft instance mine.json --json";

struct Options {
  std::string instance;
  bool json = false;
  bool export_definition = false;
};

void list_shipped(bool json) {
  if (json) {
    Json list = Json::array();
    for (const ShippedInstance& shipped : shipped_instances()) {
      list.push_back({{"name", shipped.name}, {"summary", shipped.summary}});
    }
    list.push_back({{"name", kContextInstance}, {"summary", kContextSummary}});
    write_output(json_text({{"instances", list}}));
    return;
  }
  Table table({{.title = "instance"}, {.title = "what it is", .width = 80}});
  for (const ShippedInstance& shipped : shipped_instances()) {
    table.add_row({std::string(shipped.name), std::string(shipped.summary)});
  }
  table.add_row({std::string(kContextInstance), std::string(kContextSummary)});
  write_output(table.text() +
               "\nupdraft instance NAME shows one of them. A file in the instance format can "
               "replace a name;\nupdraft instance NAME --export writes one to start from.\n");
}

std::vector<std::string> changes_of(const Instance& instance) {
  std::vector<std::string> texts;
  for (const Change& change : instance.definition().changes) {
    texts.push_back(change_text(change, instance.definition().action_names));
  }
  return texts;
}

std::string facts(const Instance& instance) {
  const ActionId best = instance.best_action();
  std::string out = printable_text(instance.name());
  const std::string summary = printable_text(instance.definition().summary);
  out += '\n';
  if (!summary.empty()) {
    for (const std::string& line : wrap_text(summary, 96)) out += line + '\n';
  }
  out += '\n';
  const auto fact = [&out](std::string_view title, std::string_view value) {
    out += fmt::format("{:<42}{}\n", title, value);
  };
  fact("actions (K)", count_text(instance.actions()));
  fact("variables (m)", count_text(instance.variables()));
  fact("most variables one action affects (L)", count_text(instance.max_affected()));
  fact("best action",
       fmt::format("{}, uplift {}", printable_text(instance.definition().action_names[best]),
                   short_text(instance.uplifts()[best])));
  fact("smallest gap to the best", instance.min_gap() > 0.0 ? short_text(instance.min_gap())
                                                            : "none: all actions are equally good");
  fact("least individual uplift (Delta)", min_uplift_words(instance));
  fact("effect gap", effect_gap_words(instance));
  const bool heavy = std::isinf(instance.variance_proxy());
  fact("payoffs", noise_kind(instance) == "bernoulli" ? "0 or 1, independent"
                  : heavy                             ? "real numbers with heavy tails"
                                                      : "real numbers with Gaussian noise");
  fact("sub-Gaussian scale of a payoff (sigma^2)",
       heavy ? "none: tails are heavy" : short_text(instance.variance_proxy()));
  if (instance.segments()) fact("segments", count_text(instance.segments()->groups()));
  fact("standard deviation of the total noise", short_text(instance.noise_sd()));
  if (!instance.changes()) return out;
  out += "\nMeans change with the rounds, which are numbered from 0:\n";
  for (const std::string& change : changes_of(instance)) {
    for (const std::string& line : wrap_text("- " + printable_text(change), 96)) out += line + '\n';
  }
  out +=
      "Everything else that is shown here is without these changes. Regret is against the best\n"
      "action of each round.\n";
  return out;
}

std::string action_table(const Instance& instance) {
  std::vector<ActionId> order(instance.actions());
  std::iota(order.begin(), order.end(), ActionId{0});
  const auto uplifts = instance.uplifts();
  std::stable_sort(order.begin(), order.end(),
                   [&](ActionId a, ActionId b) { return uplifts[a] > uplifts[b]; });
  double largest = 0.0;
  for (const double uplift : uplifts) largest = std::max(largest, std::abs(uplift));
  const int decimals = decimals_for(largest);

  using enum Table::Align;
  Table table({{.title = "id", .align = kRight},
               {.title = "action"},
               {.title = "affected", .align = kRight},
               {.title = "uplift", .align = kRight},
               {.title = "gap", .align = kRight}});
  const bool all = order.size() <= kMostActionsShown;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    if (!all && rank == kBestShown) {
      table.add_row({"", "...", "", "", ""});
      rank = order.size() - kWorstShown;
    }
    const ActionId action = order[rank];
    table.add_row({fmt::format("{}", action), instance.definition().action_names[action],
                   count_text(instance.affected()->of(action).size()),
                   fixed_text(uplifts[action], decimals),
                   fixed_text(instance.gaps()[action], decimals)});
  }
  std::string out = table.text();
  if (!all) {
    out += fmt::format("\nThe {} best and the {} worst of {} actions; --json gives them all.\n",
                       kBestShown, kWorstShown, count_text(order.size()));
  }
  return out;
}

/// The contextual bandit, which has no file format.
void show_contexts(const LinearContexts& contexts, const Options& options) {
  if (options.export_definition) {
    throw InvalidInput("--export", fmt::format("cannot be used with {}, which has no file format; "
                                               "set its sizes in parentheses, or in [contexts] of "
                                               "an experiment",
                                               kContextInstance));
  }
  if (options.json) return write_output(json_text(contexts_json(contexts)));
  std::string out = std::string(kContextInstance) + '\n';
  for (const std::string& line : wrap_text(kContextSummary, 96)) out += line + '\n';
  const auto fact = [&out](std::string_view title, std::string_view value) {
    out += fmt::format("{:<40}{}\n", title, value);
  };
  out += '\n';
  fact("actions (K)", count_text(contexts.actions));
  fact("variables of a round (m)", count_text(contexts.variables));
  fact("features of a variable (d)",
       fmt::format("{}, in {} groups of {}", count_text(contexts.features()),
                   count_text(contexts.groups), count_text(contexts.group_features)));
  fact("most variables one action affects (L)", count_text(contexts.max_affected));
  fact("payoffs", "real numbers with independent Gaussian noise");
  fact("standard deviation of the noise", short_text(contexts.noise_sd));
  write_output(out +
               "\nThe best action differs from round to round. Policies: lin_up_ucb, "
               "lin_up_ucb_bl, lin_ucb;\nupdraft run contextual-linear compares them.\n");
}

void run(const Options& options) {
  if (const auto contexts = find_contexts(options.instance)) {
    return show_contexts(*contexts, options);
  }
  if (options.export_definition && options.json) {
    throw InvalidInput("--export", "cannot be combined with --json");
  }
  if (options.instance.empty()) {
    if (options.export_definition) {
      throw InvalidInput("--export", "needs the name of an instance");
    }
    list_shipped(options.json);
    return;
  }
  const auto instance = load_instance(options.instance);
  if (options.export_definition) {
    std::string text = format_instance(instance->definition());
    if (!text.ends_with('\n')) text += '\n';
    write_output(text);
  } else if (options.json) {
    write_output(json_text(instance_json(*instance)));
  } else {
    write_output(facts(*instance) + '\n' + action_table(*instance) +
                 "\nUplift: what an action adds to the expected reward of doing nothing. Gap: how "
                 "much less it\nadds than the best action.\n");
  }
}

}  // namespace

Command add_instance_command(CLI::App& program) {
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(program, "instance", kHelp, kFooter);
  add_option(*command, "NAME|FILE", options->instance, "A shipped instance or an instance file");
  add_flag(*command, "--json", options->json, "Machine-readable output");
  add_flag(*command, "--export", options->export_definition,
           "Write the instance itself, in the instance format");
  return {command, [options] { run(*options); }};
}

}  // namespace updraft::cli

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <csignal>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "command.h"
#include "output.h"
#include "updraft/error.h"
#include "updraft/simulate.h"
#include "updraft/version.h"

namespace updraft::cli {
namespace {

constexpr int kDone = 0;
constexpr int kFailure = 1;
constexpr int kBadInput = 2;

constexpr const char* kHelp =
    "Updraft simulates and runs policies for uplifting bandits. In each round you take one\n"
    "action (a discount, an e-mail) and observe many small payoffs (one per customer, product or\n"
    "film), but the action changes only a few of them. Policies that look at single payoffs find\n"
    "the best action far sooner than policies that look only at the total. With this program you\n"
    "can list the policies, simulate them on known instances, compare their regret with what\n"
    "theory promises, and use them in live campaigns over HTTP.";

constexpr const char* kFooter =
    "Examples:\n"
    "  updraft policies up_ucb                            what a policy does, needs and takes\n"
    "  updraft instance criteo                            size and actions of an instance\n"
    "  updraft simulate --instance criteo --rounds 1000   which policy loses least\n"
    "  updraft bounds --instance gaussian                 what theory promises\n"
    "  updraft run gaussian --quick                       an experiment of the paper\n"
    "  updraft paper --quick                              all experiments of the paper\n"
    "  updraft run tuning-free --quick                    policies that have nothing to tune\n"
    "  updraft figure results/gaussian-quick              draw a figure again\n"
    "  updraft build-instance data.csv.gz --preset criteo --clusters 20 --out mine.json\n"
    "                                                     an instance from your own data\n"
    "  updraft serve --store campaigns.db                 decisions over HTTP\n"
    "\n"
    "updraft COMMAND --help explains a command. Exit code: 0 success, 2 bad input, 1 failure.";

/// Lists commands by the first line of their description.
class HelpFormatter final : public CLI::Formatter {
 public:
  HelpFormatter() {
    column_width(30);
    label("SUBCOMMAND", "COMMAND");
    label("Positionals", "Arguments");
  }

  std::string make_usage(const CLI::App* app, std::string name) const override {
    return "\n" + Formatter::make_usage(app, std::move(name));
  }

  std::string make_subcommand(const CLI::App* command) const override {
    const std::string text = command->get_description();
    return fmt::format("  {:<16}{}\n", command->get_name(), text.substr(0, text.find('\n')));
  }
};

/// What is wrong with a command line that could not be parsed, as `option: rule`.
std::string parse_message(const CLI::ParseError& error) {
  std::string text = error.what();
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    const bool missing = text.find("missing") != std::string::npos;
    return text.substr(0, text.find(':')) +
           (missing ? ": must have a value" : ": must be given only once");
  }
  if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) {
    return text.substr(text.find("--")) + ": takes no value";
  }
  return text;
}

/// Throws InvalidInput, which names the unknown option or the unexpected argument.
[[noreturn]] void refuse_extra(const CLI::App& command, const std::string& extra) {
  if (!extra.starts_with('-'))
    throw InvalidInput("argument", extra, "is not expected here; see --help");
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  throw unknown_name("option", extra.substr(0, extra.find('=')), names);
}

/// `--option=` must not take the next argument for its value.
void check_values(const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    if (argument.starts_with("--") && argument.find('=') == argument.size() - 1) {
      throw InvalidInput(argument.substr(0, argument.size() - 1), "must have a value");
    }
  }
}

/// The first argument that is not an option must name a command.
void check_command(const std::vector<std::string>& arguments,
                   const std::vector<Command>& commands) {
  for (const std::string& argument : arguments) {
    if (argument.starts_with('-')) continue;
    std::vector<std::string> names;
    names.reserve(commands.size());
    for (const Command& command : commands) names.push_back(command.options->get_name());
    if (std::find(names.begin(), names.end(), argument) == names.end()) {
      throw unknown_name("command", argument, names);
    }
    return;
  }
}

void run(std::vector<std::string> arguments) {
  CLI::App program(kHelp, "updraft");
  program.set_help_flag("-h,--help", "Show this help");
  program.set_version_flag("--version", "updraft " UPDRAFT_VERSION, "Show the version");
  program.footer(kFooter);
  program.formatter(std::make_shared<HelpFormatter>());
  const std::vector<Command> commands = {
      add_policies_command(program), add_instance_command(program),
      add_simulate_command(program), add_bounds_command(program),
      add_evaluate_command(program), add_run_command(program),
      add_merge_command(program),    add_paper_command(program),
      add_figure_command(program),   add_build_instance_command(program),
      add_serve_command(program),    add_store_command(program),
      add_pay_command(program)};
  program.allow_extras();
  for (const Command& command : commands) command.options->group("Commands")->allow_extras();

  check_values(arguments);
  check_command(arguments, commands);
  try {
    std::reverse(arguments.begin(), arguments.end());
    program.parse(std::move(arguments));
  } catch (const CLI::CallForHelp&) {
    write_output(program.help());
    return;
  } catch (const CLI::CallForVersion& version) {
    write_output(fmt::format("{}\n", version.what()));
    return;
  }
  for (const std::string& extra : program.remaining()) refuse_extra(program, extra);
  for (const Command& command : commands) {
    if (!command.options->parsed()) continue;
    for (const std::string& extra : command.options->remaining()) {
      refuse_extra(*command.options, extra);
    }
    command.run();
    return;
  }
  throw InvalidInput(
      "command",
      "must be given: policies, instance, simulate, bounds, evaluate, run, merge, paper, figure, "
      "build-instance, serve, store or pay; see updraft --help");
}

int exit_code_of_run(std::vector<std::string> arguments) {
  try {
    run(std::move(arguments));
    return kDone;
  } catch (const InvalidInput& error) {
    write_note(error.what());
    return kBadInput;
  } catch (const CLI::ParseError& error) {
    write_note(parse_message(error));
    return kBadInput;
  } catch (const Cancelled&) {
    write_note("stopped: nothing was written");
  } catch (const std::bad_alloc&) {
    write_note("out of memory");
  } catch (const std::exception& error) {
    write_note(error.what());
  }
  return kFailure;
}

}  // namespace
}  // namespace updraft::cli

int main(int argc, char** argv) {
  // If the reader of standard output has gone, report a write error instead of dying silently.
  std::signal(SIGPIPE, SIG_IGN);
  // The same if a file reaches the size limit.
  std::signal(SIGXFSZ, SIG_IGN);
  return updraft::cli::exit_code_of_run(std::vector<std::string>(argv + 1, argv + argc));
}

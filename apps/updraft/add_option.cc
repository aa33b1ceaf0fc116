#include "add_option.h"

#include <CLI/CLI.hpp>

namespace updraft::cli {
namespace {

template <typename Value>
void add(CLI::App& command, const std::string& usage, Value& value, const std::string& help) {
  const std::size_t space = usage.find(' ');
  CLI::Option* option = command.add_option(usage.substr(0, space), value, help);
  if (space == usage.npos) {
    option->type_name("");
  } else {
    option->option_text(usage.substr(space + 1));
  }
}

}  // namespace

CLI::App* add_command(CLI::App& program, const std::string& name, const std::string& help,
                      const std::string& footer) {
  return program.add_subcommand(name, help)->footer(footer);
}

void add_option(CLI::App& command, const std::string& usage, std::string& value,
                const std::string& help) {
  add(command, usage, value, help);
}

void add_option(CLI::App& command, const std::string& usage, std::optional<std::string>& value,
                const std::string& help) {
  add(command, usage, value, help);
}

void add_option(CLI::App& command, const std::string& usage, std::vector<std::string>& values,
                const std::string& help) {
  add(command, usage, values, help);
}

void add_flag(CLI::App& command, const std::string& name, bool& value, const std::string& help) {
  command.add_flag(name, value, help);
}

}  // namespace updraft::cli

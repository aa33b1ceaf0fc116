#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace updraft::cli {

/// Adds an option. `usage` is what the help shows of it: "--rounds T".
template <typename Value>
void add_option(CLI::App& command, const std::string& usage, Value& value,
                const std::string& help) {
  const std::size_t space = usage.find(' ');
  command.add_option(usage.substr(0, space), value, help)->option_text(usage.substr(space + 1));
}

}  // namespace updraft::cli

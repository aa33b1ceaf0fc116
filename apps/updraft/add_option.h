#pragma once

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace updraft::cli {

// Only a few units see CLI11 itself: its header takes as long to compile as a whole command.

/// Adds a command. `help` stands above its options, `footer` below them.
CLI::App* add_command(CLI::App& program, const std::string& name, const std::string& help,
                      const std::string& footer);

/// Adds an option. `usage` is what the help shows of it: "--rounds T", or "NAME" for an argument.
void add_option(CLI::App& command, const std::string& usage, std::string& value,
                const std::string& help);
void add_option(CLI::App& command, const std::string& usage, std::optional<std::string>& value,
                const std::string& help);
void add_option(CLI::App& command, const std::string& usage, std::vector<std::string>& values,
                const std::string& help);

void add_flag(CLI::App& command, const std::string& name, bool& value, const std::string& help);

}  // namespace updraft::cli

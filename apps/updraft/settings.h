#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "updraft/error.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace updraft::cli {

/// A value that a file, the environment and the command line may set: `name` in the file,
/// UPDRAFT_NAME in the environment, --name on the command line.
struct SettingInfo {
  enum class Type { kText, kCount, kSwitch };

  std::string_view name;  ///< such as "body-limit"
  Type type = Type::kText;
  std::string_view unit;     ///< of help texts, such as FILE
  std::string_view initial;  ///< unless anybody sets it; "false" for a switch
  std::string_view help;
  /// What is shown of a text that may hold a password; null: all of it.
  std::string (*shown)(std::string_view) = nullptr;
};

/// The settings of a long-running command. The last of these that has a value wins: the default,
/// the TOML file of --config or UPDRAFT_CONFIG, the environment, the command line.
class Settings {
 public:
  /// Adds --name for each of `infos`, which must outlive this, and --config.
  Settings(std::span<const SettingInfo> infos, CLI::App& command);

  /// To be called once the command line is read. Throws InvalidInput that names the place of a
  /// value of the wrong type, and of a key of the file that is no setting.
  void resolve(const char* const* environment);

  const std::string& text(std::string_view name) const { return value(name).text; }
  bool is_on(std::string_view name) const { return text(name) == "true"; }

  /// The error of `--name = value` as one of the place that the value comes from.
  InvalidInput placed(const InvalidInput& error) const;

  /// A TOML file that sets the same values, with the place of each as a comment, and the variables
  /// UPDRAFT_... that set nothing.
  std::string shown() const;

 private:
  struct Value {
    const SettingInfo* info = nullptr;
    std::string text;
    std::string place;  ///< "default", `mine.toml:3`, `UPDRAFT_THREADS`, `--threads`
    CLI::Option* option = nullptr;
  };

  const Value& value(std::string_view name) const;
  Value* find(std::string_view name);
  void read_file(const std::string& path);
  void read_environment(const char* const* environment);

  std::vector<Value> values_;
  CLI::Option* config_ = nullptr;
  std::vector<std::string> ignored_;  // variables
};

}  // namespace updraft::cli

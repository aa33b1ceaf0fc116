#include "settings.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "core/files.h"
#include "experiments/toml_fields.h"

namespace updraft::cli {
namespace {

using Type = SettingInfo::Type;

constexpr std::string_view kPrefix = "UPDRAFT_";
constexpr std::string_view kConfig = "UPDRAFT_CONFIG";

std::string flag_of(const SettingInfo& info) { return fmt::format("--{}", info.name); }

std::string variable_of(const SettingInfo& info) {
  std::string out = fmt::format("{}{}", kPrefix, info.name);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) {
    return c == '-' ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return out;
}

void check_switch(std::string_view place, const std::string& text) {
  if (text != "true" && text != "false") throw InvalidInput(place, text, "must be true or false");
}

std::string text_in(const TomlField& field, Type type) {
  switch (type) {
    case Type::kText:
      return field.text();
    case Type::kCount:
      return std::to_string(field.whole(0, std::numeric_limits<std::uint32_t>::max()));
    case Type::kSwitch:
      return field.flag() ? "true" : "false";
  }
  return "";
}

/// A basic string of TOML.
std::string toml_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') {
      out += fmt::format("\\u{:04X}", static_cast<unsigned char>(c));
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

/// Whether a field of an error is about --name, such as `--token-file, line 3`.
bool is_about(std::string_view field, const SettingInfo& info) {
  const std::string flag = flag_of(info);
  if (!field.starts_with(flag)) return false;
  const std::string_view rest = field.substr(flag.size());
  return rest.empty() || !(rest[0] == '-' || (rest[0] >= 'a' && rest[0] <= 'z'));
}

}  // namespace

Settings::Settings(std::span<const SettingInfo> infos, CLI::App& command) {
  values_.reserve(infos.size());
  for (const SettingInfo& info : infos) {
    Value value = {&info, std::string(info.initial), "default", nullptr};
    const std::string help(info.help);
    if (info.type == Type::kSwitch) {
      value.option = command.add_flag(flag_of(info), help);
    } else {
      value.option = command.add_option(flag_of(info), help);
      value.option->type_name(std::string(info.unit))->expected(1);
      if (!info.initial.empty()) value.option->default_str(std::string(info.initial));
    }
    values_.push_back(std::move(value));
  }
  const std::string help = "A TOML file with these settings; flags win";
  config_ = command.add_option("--config", help);
  config_->type_name("FILE")->expected(1);
}

void Settings::resolve(const char* const* environment) {
  std::string file;
  for (const char* const* at = environment; *at != nullptr; ++at) {
    const std::string_view entry = *at;
    if (entry.starts_with(kConfig) && entry.substr(kConfig.size(), 1) == "=") {
      file = entry.substr(kConfig.size() + 1);
    }
  }
  if (config_->count() > 0) file = config_->as<std::string>();
  if (!file.empty()) read_file(file);
  read_environment(environment);
  for (Value& value : values_) {
    if (value.option->count() == 0) continue;
    value.text = value.option->results().back();
    value.place = flag_of(*value.info);
    if (value.info->type == Type::kSwitch) check_switch(value.place, value.text);
  }
}

void Settings::read_file(const std::string& path) {
  std::string text;
  try {
    text = updraft::read_file(path);
  } catch (const std::runtime_error& error) {
    throw InvalidInput("--config", path, error.what());
  }
  const toml::table document = parse_toml_document(text, path);
  const TomlTable table(document, 1, "", path);
  std::vector<std::string> names;
  for (const Value& value : values_) names.emplace_back(value.info->name);
  table.check_keys(names);
  for (const TomlTable::Member& member : table.members()) {
    Value* value = find(member.key);
    value->text = text_in(member.field, value->info->type);
    value->place = fmt::format("{}:{}: {}", path, member.field.line(), member.key);
  }
}

void Settings::read_environment(const char* const* environment) {
  for (const char* const* at = environment; *at != nullptr; ++at) {
    const std::string_view entry = *at;
    const std::size_t equals = entry.find('=');
    if (!entry.starts_with(kPrefix) || equals == entry.npos) continue;
    const std::string variable(entry.substr(0, equals));
    const auto found = std::find_if(values_.begin(), values_.end(), [&](const Value& value) {
      return variable_of(*value.info) == variable;
    });
    if (found == values_.end()) {
      if (variable != kConfig) ignored_.push_back(variable);
      continue;
    }
    found->text = entry.substr(equals + 1);
    found->place = variable;
    if (found->info->type == Type::kSwitch) check_switch(found->place, found->text);
  }
}

InvalidInput Settings::placed(const InvalidInput& error) const {
  for (const Value& value : values_) {
    if (!is_about(error.field(), *value.info) || value.place == "default") continue;
    const std::string field = value.place + error.field().substr(flag_of(*value.info).size());
    return error.value().empty() ? InvalidInput(field, error.rule())
                                 : InvalidInput(field, error.value(), error.rule());
  }
  return error;
}

std::string Settings::shown() const {
  std::string out;
  for (const Value& value : values_) {
    std::string text = value.info->shown ? value.info->shown(value.text) : value.text;
    if (value.info->type == Type::kText) text = toml_text(text);
    out +=
        fmt::format("{:<40}  # {}\n", fmt::format("{} = {}", value.info->name, text), value.place);
  }
  for (const std::string& variable : ignored_) {
    out += fmt::format("# {} sets nothing: there is no such setting\n", variable);
  }
  return out;
}

const Settings::Value& Settings::value(std::string_view name) const {
  return *std::find_if(values_.begin(), values_.end(),
                       [&](const Value& value) { return value.info->name == name; });
}

Settings::Value* Settings::find(std::string_view name) {
  const auto found = std::find_if(values_.begin(), values_.end(),
                                  [&](const Value& value) { return value.info->name == name; });
  return found == values_.end() ? nullptr : &*found;
}

}  // namespace updraft::cli

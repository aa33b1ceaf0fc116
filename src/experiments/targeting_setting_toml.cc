#include "experiments/targeting_setting_toml.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "updraft/error.h"
#include "updraft/response_models.h"

namespace updraft {
namespace {

constexpr std::uint64_t kMostIndividuals = 1'000'000;  // a round
constexpr std::uint64_t kMostTreatments = 1000;

std::vector<std::string> known_data() {
  std::vector<std::string> names = table_presets();
  names.push_back("synthetic");
  return names;
}

bool is_known(const std::string& data) {
  const std::vector<std::string> names = known_data();
  return std::find(names.begin(), names.end(), data) != names.end();
}

/// A name stays as it is; else it is the path of a file.
std::string resolve_data(const TomlField& field, const std::string& origin) {
  const std::string given = field.text();
  if (is_known(given)) return given;
  const std::filesystem::path path = std::filesystem::path(origin).parent_path() / given;
  std::error_code error;
  if (given.empty() || (!std::filesystem::exists(path, error) && !error)) {
    const InvalidInput unknown = unknown_name("data", given, known_data());
    throw field.refusal(unknown.value(), unknown.rule() + "; no file has that name either");
  }
  return path.string();
}

/// A response model file brings its own treatments, response and outcome.
void take_from_file(const TomlTable& table, TargetingSetting& setting) {
  for (const char* key : {"outcome", "response", "outcome_rate", "treatments"}) {
    if (const auto field = table.find(key)) {
      throw field->refusal("is given by the response model file; leave it out");
    }
  }
  try {
    const CustomerTable customers = load_response_models(setting.data).table;
    setting.treatments = customers.treatments.size() - 1;
    setting.response = customers.response;
  } catch (const InvalidInput& refused) {
    throw table.required("data").refusal(refused.what());
  }
}

}  // namespace

TargetingSetting read_targeting_setting(const TomlField& field, const std::string& origin) {
  const TomlTable table = field.table("a table, [targeting]");
  table.check_keys({"data", "outcome", "response", "outcome_rate", "treatments", "constant",
                    "payoffs", "individuals", "budget"});
  TargetingSetting setting;
  setting.data = resolve_data(table.required("data"), origin);
  if (!is_known(setting.data)) take_from_file(table, setting);
  for (const char* key : {"outcome", "outcome_rate", "constant"}) {
    const auto given = table.find(key);
    if (given && setting.data == "synthetic") {
      throw given->refusal(
          "is for data files; synthetic has no columns, and always has a constant feature");
    }
  }
  if (const auto given = table.find("outcome")) setting.outcome = given->text();
  if (const auto given = table.find("response")) {
    const std::string name = given->text();
    try {
      setting.response = response_kind("response", name);
    } catch (const InvalidInput& refused) {
      throw given->refusal(refused.value(), refused.rule());
    }
  }
  if (const auto given = table.find("outcome_rate")) {
    setting.outcome_rate = given->number();
    if (!(setting.outcome_rate > 0.0 && setting.outcome_rate < 1.0)) {
      throw given->refusal(number_text(setting.outcome_rate), "must be in (0, 1)");
    }
  }
  if (const auto given = table.find("treatments")) {
    setting.treatments = given->whole(1, kMostTreatments);
  }
  if (const auto given = table.find("constant")) setting.constant = given->flag();
  if (const auto given = table.find("payoffs")) {
    const std::string name = given->text();
    if (name != "model" && name != "recorded") {
      throw given->refusal(fmt::format("\"{}\"", name), "must be \"model\" or \"recorded\"");
    }
    setting.recorded = name == "recorded";
  }
  if (const auto given = table.find("individuals")) {
    setting.individuals = given->whole(1, kMostIndividuals);
  }
  if (const auto given = table.find("budget")) setting.budget = given->whole(1, kMostIndividuals);
  if (setting.budget > setting.individuals) {
    const auto given = table.find("budget");
    const std::string rule =
        fmt::format("must be at most the individuals of a round, {}", setting.individuals);
    if (given) throw given->refusal(std::to_string(setting.budget), rule);
    throw table.refusal(fmt::format("budget = {}: {}", setting.budget, rule));
  }
  return setting;
}

}  // namespace updraft

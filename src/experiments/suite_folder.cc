#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "core/files.h"
#include "experiments/folder.h"
#include "updraft/error.h"
#include "updraft/suite.h"

namespace updraft {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kFormat = "updraft-suite/1";
constexpr const char* kFile = "suite.json";

/// What suite.json says.
struct Contents {
  std::string name;
  std::string title;
  std::vector<std::string> experiments;
};

Contents read_contents(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / kFile;
  try {
    const Json json = Json::parse(read_file(path));
    if (json.at("format") != kFormat) {
      throw InvalidInput(path.string(), fmt::format("format must be {}", kFormat));
    }
    return {json.at("name"), json.at("title"), json.at("experiments")};
  } catch (const Json::exception& error) {
    throw InvalidInput(path.string(), fmt::format("does not describe a suite: {}", error.what()));
  }
}

}  // namespace

bool is_suite_folder(const std::filesystem::path& folder) {
  return std::filesystem::exists(folder / kFile);
}

void claim_suite_folder(const Suite& suite, const std::filesystem::path& folder) {
  make_folder(folder);
  if (is_suite_folder(folder)) {
    const Contents there = read_contents(folder);
    if (there.name != suite.name) {
      throw InvalidInput(
          folder.string(),
          fmt::format("contains results of another suite: {} there and {} here; give "
                      "another folder with --out, or remove this one",
                      there.name, suite.name));
    }
  } else {
    check_empty(folder, {"suite.json.partial"});
  }
  Json json = {{"format", kFormat},
               {"name", suite.name},
               {"title", suite.title},
               {"experiments", Json::array()}};
  for (const Experiment& experiment : suite.experiments) {
    json["experiments"].push_back(experiment.name);
  }
  replace_file(folder / kFile, json.dump(2) + "\n");
}

SuiteResult read_suite_results(const std::filesystem::path& folder) {
  if (!is_suite_folder(folder)) {
    throw InvalidInput(folder.string(),
                       "is not the results folder of a suite: it has no suite.json");
  }
  const Contents contents = read_contents(folder);
  SuiteResult result{.name = contents.name, .title = contents.title, .parts = {}};
  for (const std::string& name : contents.experiments) {
    result.parts.push_back(read_results(folder / name));
  }
  return result;
}

}  // namespace updraft

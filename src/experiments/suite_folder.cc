#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "core/files.h"
#include "experiments/folder.h"
#include "experiments/suite_contents.h"
#include "updraft/error.h"
#include "updraft/suite.h"

namespace updraft {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kFormat = "updraft-suite/1";
constexpr const char* kFile = "suite.json";

}  // namespace

bool is_suite_folder(const std::filesystem::path& folder) {
  return std::filesystem::exists(folder / kFile);
}

SuiteContents read_suite_contents(const std::filesystem::path& folder) {
  if (!is_suite_folder(folder)) {
    throw InvalidInput(folder.string(),
                       "is not the results folder of a suite: it has no suite.json");
  }
  const std::filesystem::path path = folder / kFile;
  SuiteContents contents;
  try {
    const Json json = Json::parse(read_file(path));
    if (json.at("format") != kFormat) {
      throw InvalidInput(path.string(), fmt::format("format must be {}", kFormat));
    }
    contents = {json.at("name"), json.at("title"), json.at("experiments")};
  } catch (const Json::exception& error) {
    throw InvalidInput(path.string(), fmt::format("does not describe a suite: {}", error.what()));
  }
  for (const std::string& name : contents.experiments) {
    if (name.empty() || name.front() == '.' || name.find('/') != std::string::npos) {
      throw InvalidInput(path.string() + ": experiments", name, "must be the name of a folder");
    }
  }
  return contents;
}

void claim_suite_folder(const SuiteContents& suite, const std::filesystem::path& folder) {
  make_folder(folder);
  if (is_suite_folder(folder)) {
    const SuiteContents there = read_suite_contents(folder);
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
  const Json json = {{"format", kFormat},
                     {"name", suite.name},
                     {"title", suite.title},
                     {"experiments", suite.experiments}};
  replace_file(folder / kFile, json.dump(2) + "\n");
}

void claim_suite_folder(const Suite& suite, const std::filesystem::path& folder) {
  SuiteContents contents{.name = suite.name, .title = suite.title, .experiments = {}};
  for (const Experiment& experiment : suite.experiments) {
    contents.experiments.push_back(experiment.name);
  }
  claim_suite_folder(contents, folder);
}

SuiteResult read_suite_results(const std::filesystem::path& folder) {
  const SuiteContents contents = read_suite_contents(folder);
  SuiteResult result{.name = contents.name, .title = contents.title, .parts = {}};
  for (const std::string& name : contents.experiments) {
    result.parts.push_back(read_results(folder / name));
  }
  return result;
}

}  // namespace updraft

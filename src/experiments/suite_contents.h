#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace updraft {

/// suite.json of the results folder of a suite.
struct SuiteContents {
  std::string name;
  std::string title;
  std::vector<std::string> experiments;  ///< names of the folders, in order

  bool operator==(const SuiteContents&) const = default;
};

/// Throws InvalidInput if the folder is not that of a suite.
SuiteContents read_suite_contents(const std::filesystem::path& folder);

/// As claim_suite_folder() with a suite.
void claim_suite_folder(const SuiteContents& suite, const std::filesystem::path& folder);

}  // namespace updraft

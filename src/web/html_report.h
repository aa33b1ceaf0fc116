#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "updraft/results.h"
#include "updraft/suite.h"

namespace updraft {

// One HTML file with an experiment's results: data, script and style are in it, so that it works
// from a disk, from a mail and without a network. Its content security policy lets nothing run but
// that one script, named by its hash. The same results give the same bytes.

/// The page of an experiment; `manifest` is the text of its manifest.json. Throws InvalidInput
/// if that is not JSON, or there are no policies.
std::string html_report(const ExperimentResult& result, std::string_view manifest);

/// One page of all experiments of a suite, with a list of contents; a manifest for each. Throws
/// InvalidInput if it has no experiments.
std::string html_report(const SuiteResult& suite, const std::vector<std::string>& manifests);

/// Writes report.html into a finished results folder, of a suite into its own. Throws
/// std::runtime_error if it cannot be written.
void write_html_report(const ExperimentResult& result, const std::filesystem::path& folder);
void write_html_report(const SuiteResult& suite, const std::filesystem::path& folder);

}  // namespace updraft

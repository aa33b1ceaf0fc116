#pragma once

#include <string>

#include "store/event_store.h"

namespace updraft::cli {

struct ExportLog {
  std::string campaign;
  std::string path;
  bool long_form = false;
};

/// Writes the decisions of a campaign whose payoffs are complete as a decision log
/// (docs/formats/decision-log.md). Returns their number. Throws InvalidInput if there is no such
/// campaign, its policy is not plain, or its names do not fit the form.
std::uint64_t export_decision_log(const EventStore& store, const ExportLog& log);

}  // namespace updraft::cli

#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "updraft/instance.h"

namespace updraft {

/// The list `changes` of an instance file; `ranges` reads a list of ranges [begin, end] at a path.
/// Throws InvalidInput with the path of the field.
std::vector<Change> read_changes(
    const nlohmann::json& list, const std::vector<std::string>& action_names,
    const std::function<VariableSet(const nlohmann::json& list, const std::string& path)>& ranges);

/// One object per change; `ranges` gives the text of a set, `action` that of a name.
std::vector<std::string> changes_text(
    const std::vector<Change>& changes, const std::vector<std::string>& quoted_actions,
    const std::function<std::string(const VariableSet& set)>& ranges);

}  // namespace updraft

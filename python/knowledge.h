#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <string_view>
#include <vector>

#include "updraft/knowledge.h"
#include "updraft/registry.h"
#include "updraft/variable_set.h"

namespace updraft::python {

/// The knowledge of a plain policy, from a dict with actions, variables and any of baseline,
/// affected, max_affected, min_uplift, effect_gap, horizon, reward_prior (mean, variance) and
/// observations (counts, means). Throws InvalidInput for another key, or a value that breaks a
/// rule.
Knowledge knowledge_from(const pybind11::dict& known);

/// The sizes that another policy is made for: targeting with features, treatments and budget,
/// contextual with features and actions.
Knowledge shape_from(const pybind11::dict& known);

/// What to warn of if auto picks a policy with the alpha of its theorem; else empty.
std::string theorem_alpha_warning(const PolicySpec& given, const Pick& pick);

/// Either as a dict again, and its sizes alone.
pybind11::dict knowledge_dict(const Knowledge& knowledge);
pybind11::dict sizes_dict(const Knowledge& knowledge);

/// Per action the variables that it affects, each set as in variable_set().
std::vector<VariableSet> sets_from(pybind11::handle object, std::size_t variables);

/// The sets as a list of arrays of ids.
pybind11::list affected_list(const AffectedSets& sets);

/// "plain", "targeting", "contextual", and back. Throws InvalidInput for another name.
std::string_view kind_name(PolicyKind kind);
PolicyKind kind_from(const std::string& name);

}  // namespace updraft::python

#pragma once

#include <pybind11/pybind11.h>

#include <vector>

#include "updraft/knowledge.h"
#include "updraft/variable_set.h"

namespace updraft::python {

/// What a learner is told, from a dict with actions, variables and any of baseline, affected,
/// max_affected, min_uplift, effect_gap, horizon, reward_prior (mean, variance) and observations
/// (counts, means). Throws InvalidInput: another key, a value that breaks a rule.
Knowledge knowledge_from(const pybind11::dict& told);

/// The same dict, with what is known.
pybind11::dict knowledge_dict(const Knowledge& knowledge);

/// Per action the variables that it affects, each set as in variable_set().
std::vector<VariableSet> sets_from(pybind11::handle object, std::size_t variables);

/// The sets as a list of arrays of ids.
pybind11::list affected_list(const AffectedSets& sets);

/// The names of `needs`.
pybind11::list need_names(Needs needs);

}  // namespace updraft::python

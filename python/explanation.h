#pragma once

#include <pybind11/pybind11.h>

#include "updraft/explanation.h"
#include "updraft/policy_kind.h"

namespace updraft::python {

/// An explanation as a dict of columns, with a row per action or individual. The columns are those
/// that the docstring of Policy.explain() lists, without `probability`.
pybind11::dict explanation_dict(const Explanation& explanation, PolicyKind kind);

}  // namespace updraft::python

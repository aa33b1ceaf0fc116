#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <vector>

#include "updraft/evidence.h"

namespace updraft::python {

/// From a dict with any of error, control (an id), holdout, probe, and guardrails: a list of dicts
/// with name, variables (ids), tolerance and pause.
EvidenceOptions evidence_options(const pybind11::dict& given);

}  // namespace updraft::python

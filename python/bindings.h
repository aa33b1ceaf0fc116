#pragma once

#include <pybind11/pybind11.h>

namespace updraft::python {

// Each adds one part of the compiled module; python/updraft/ makes the package that people import
// of them. Errors: InvalidInput becomes ValueError, std::runtime_error RuntimeError. All but
// simulate() keep the interpreter's lock, so that threads which share a policy take turns.

void bind_instance(pybind11::module_& module);
void bind_policy(pybind11::module_& module);
void bind_simulate(pybind11::module_& module);
void bind_logs(pybind11::module_& module);
void bind_evidence(pybind11::module_& module);
void bind_registry(pybind11::module_& module);

}  // namespace updraft::python

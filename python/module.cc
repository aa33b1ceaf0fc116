#include <pybind11/pybind11.h>

#include "bindings.h"
#include "updraft/version.h"

PYBIND11_MODULE(_updraft, module) {
  module.doc() = "The compiled part of the package updraft.";
  module.attr("version") = UPDRAFT_VERSION;
  updraft::python::bind_instance(module);
  updraft::python::bind_policy(module);
  updraft::python::bind_simulate(module);
  updraft::python::bind_logs(module);
  updraft::python::bind_evidence(module);
  updraft::python::bind_registry(module);
  // People meet the classes as updraft.Policy and so on; pickles name them so.
  for (const char* name : {"Decision", "Environment", "Instance", "Monitor", "Policy"}) {
    module.attr(name).attr("__module__") = "updraft";
  }
}

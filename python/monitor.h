#pragma once

#include <pybind11/pybind11.h>

#include "seeded.h"
#include "updraft/monitor.h"
#include "updraft/policy.h"

namespace updraft::python {

/// Calls visit(monitor) for the monitors of a policy that are still in use.
template <typename Visit>
void for_each_monitor(Seeded<Policy>& self, Visit visit) {
  std::erase_if(self.monitors, [](const auto& monitor) { return monitor.expired(); });
  for (const std::weak_ptr<Monitor>& monitor : self.monitors) visit(*monitor.lock());
}

/// Monitor, and Policy.monitor().
void bind_monitor(py::module_& module, py::class_<Seeded<Policy>>& policy);

}  // namespace updraft::python

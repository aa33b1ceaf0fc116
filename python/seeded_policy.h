#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "updraft/action_roster.h"
#include "updraft/monitor.h"
#include "updraft/policy.h"
#include "updraft/stream.h"

namespace updraft::python {

/// A policy with where its draws come from, and which actions it may take.
struct SeededPolicy {
  std::unique_ptr<Policy> policy;
  ActionRoster roster;  ///< without actions if the policy is a targeting one
  std::uint64_t seed = 1;
  std::uint32_t run = 0;
  std::vector<std::weak_ptr<Monitor>> monitors = {};  ///< see every decision and every update

  Stream stream() const { return {seed, run, Purpose::kPolicy}; }

  /// What a round without restrictions of its own may take: Round::allowed.
  std::vector<ActionId> active() const { return roster.active_among({}); }

  /// Calls visit(monitor) for the monitors that are still in use.
  template <typename Visit>
  void for_each_monitor(Visit visit) {
    std::erase_if(monitors, [](const auto& monitor) { return monitor.expired(); });
    for (const std::weak_ptr<Monitor>& monitor : monitors) visit(*monitor.lock());
  }
};

/// Monitor, and Policy.monitor().
void bind_monitor(pybind11::module_& module, pybind11::class_<SeededPolicy>& policy);

}  // namespace updraft::python

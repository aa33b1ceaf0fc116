#pragma once

#include <fmt/format.h>

#include <array>
#include <memory>
#include <utility>

#include "updraft/instance.h"

namespace updraft {

/// K actions that each move a K-th of m variables, from 0.05 to a little above 0.1.
inline std::shared_ptr<const Instance> made_instance(std::size_t actions, std::size_t variables,
                                                     Noise noise) {
  InstanceDefinition definition;
  definition.name = "made";
  definition.variables = {{variables, 0.05}};
  for (std::size_t a = 0; a < actions; ++a) {
    const auto begin = static_cast<VariableId>(a * variables / actions);
    const auto end = static_cast<VariableId>((a + 1) * variables / actions);
    const std::array range = {VariableRange{begin, end}};
    const double mean = 0.1 + 0.01 * static_cast<double>(a) / static_cast<double>(actions);
    definition.action_names.push_back(fmt::format("action-{}", a));
    definition.effects.push_back({});
    if (begin < end) definition.effects.back().push_back({VariableSet::from_ranges(range), {mean}});
  }
  definition.noise = std::move(noise);
  return std::make_shared<const Instance>(definition);
}

}  // namespace updraft

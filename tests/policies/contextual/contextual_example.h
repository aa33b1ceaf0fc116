#pragma once

#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "reference/random_contexts.h"
#include "support/rounds.h"

namespace updraft::testing {

/// A small problem: 3 features, no row longer than 1, 3 actions on 10 variables.
inline constexpr ContextualShape kExampleContextualShape{.features = 3, .actions = 3};
inline constexpr std::size_t kExampleVariables = 10;

inline MadeContext example_context(std::uint32_t round, std::size_t size = kExampleVariables) {
  const Stream stream(21, 0, Purpose::kTest);
  MadeContext context;
  context.width = kExampleContextualShape.features;
  context.features.resize(size * context.width);
  context.baseline.resize(size);
  stream.uniforms(round, 0, context.features);
  for (double& x : context.features) x = 1.1 * x - 0.55;  // sqrt(3) 0.55 < 1
  for (std::size_t i = 0; i < size; ++i) context.baseline[i] = 0.8 * context.features[3 * i];
  for (std::size_t a = 0; a < kExampleContextualShape.actions; ++a) {
    std::vector<VariableId> ids;  // action 0: round, round + 3, ...; 1: one later; 2: two later
    for (VariableId i = 0; i < size; ++i) {
      if ((i + a + round) % 3 == 0) ids.push_back(i);
    }
    context.affected.push_back(VariableSet::from_ids(ids));
  }
  return context;
}

inline std::vector<double> example_payoffs(std::uint32_t round, const MadeContext& context,
                                           ActionId action) {
  const Stream stream(22, 0, Purpose::kTest);
  std::vector<double> payoffs = context.baseline;
  for (std::size_t i = 0; i < payoffs.size(); ++i) {
    if (context.affected[action].contains(static_cast<VariableId>(i))) {
      payoffs[i] += (static_cast<double>(action) - 0.7) * context.features[3 * i + 1];
    }
    payoffs[i] += 0.2 * stream.normal(round, i);
  }
  return payoffs;
}

/// Every policy: with the sets and with L, with a constant beta and with the schedule, as far as
/// it has the parameters.
inline std::vector<std::string> usable_context_specs() {
  std::vector<std::string> specs;
  for (const PolicyInfo& info : policies(PolicyKind::kContextual)) {
    const std::string name(info.name);
    const bool widths = info.has_parameter("beta");
    specs.push_back(name + (widths ? "(beta=0.5)" : "()"));
    if (widths) specs.push_back(name + "(delta=0.1)");
    if (!info.has_parameter("max_affected")) continue;
    specs.push_back(name + (widths ? "(beta=0.5, max_affected=2)" : "(max_affected=2)"));
    if (widths) specs.push_back(name + "(delta=0.1, lambda=2, max_affected=4)");
  }
  return specs;
}

/// Rounds first..last - 1 of the example, each with its feedback; returns the decisions.
inline std::vector<ActionId> play_contexts_example(Policy& policy, std::uint32_t first,
                                                   std::uint32_t last) {
  const Stream stream(23, 0, Purpose::kPolicy);
  std::vector<ActionId> decisions;
  for (std::uint32_t round = first; round < last; ++round) {
    const MadeContext context = example_context(round);
    decisions.push_back(select_action(policy, context.view(), stream));
    teach(policy, context.view(), decisions.back(),
          example_payoffs(round, context, decisions.back()));
  }
  return decisions;
}

}  // namespace updraft::testing

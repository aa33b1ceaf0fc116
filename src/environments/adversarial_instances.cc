#include "environments/adversarial_instances.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>

namespace updraft {
namespace {

constexpr std::size_t kVariables = 64;  // of variance 1: the reward has standard deviation 8
constexpr double kBaseline = 10.0;
constexpr double kStep = 0.8;  // a tenth of that

/// The uplifts of ten actions, in steps.
constexpr std::array<int, 10> kLevels = {3, 7, 1, 9, 0, 5, 8, 2, 6, 4};

VariableSet range(std::size_t begin, std::size_t end) {
  const std::array one = {
      VariableRange{static_cast<VariableId>(begin), static_cast<VariableId>(end)}};
  return VariableSet::from_ranges(one);
}

InstanceDefinition started(const char* name, std::string_view summary) {
  InstanceDefinition definition;
  definition.name = name;
  definition.summary = summary;
  definition.variables = {{kVariables, kBaseline}};
  definition.noise = GaussianNoise{};
  return definition;
}

void add_action(InstanceDefinition& definition, std::vector<Effect> effects) {
  definition.action_names.push_back(fmt::format("action-{}", definition.effects.size()));
  definition.effects.push_back(std::move(effects));
}

/// The variables of `set` share the uplift.
std::vector<Effect> shared(const VariableSet& set, double uplift) {
  return {{set, {kBaseline + uplift / static_cast<double>(set.size())}}};
}

/// The six variables of an action that moves few.
VariableSet own_six(std::size_t action) { return range(6 * action, 6 * action + 6); }

}  // namespace

InstanceDefinition dense() {
  InstanceDefinition definition = started("dense", kDenseSummary);
  for (const int level : kLevels) {
    add_action(definition, shared(range(0, kVariables), kStep * level));
  }
  return definition;
}

InstanceDefinition alternating() {
  constexpr double kSwing = 0.5;  // half of a standard deviation up or down
  InstanceDefinition definition = started("alternating", kAlternatingSummary);
  for (std::size_t a = 0; a < kLevels.size(); ++a) {
    Effect effect{range(0, kVariables), {}};
    for (std::size_t i = 0; i < kVariables; ++i) {
      const double swing = (i + a) % 2 == 0 ? kSwing : -kSwing;
      effect.means.push_back(kBaseline + kStep * kLevels[a] / kVariables + swing);
    }
    add_action(definition, {std::move(effect)});
  }
  return definition;
}

InstanceDefinition one_moves_all() {
  constexpr int kMost = 9;
  constexpr double kFew = 0.7;  // of the steps of those that move few variables
  InstanceDefinition definition = started("one-moves-all", kOneMovesAllSummary);
  for (std::size_t a = 0; a < kLevels.size(); ++a) {
    const double uplift = kStep * kLevels[a];
    add_action(definition, kLevels[a] == kMost ? shared(range(0, kVariables), uplift)
                                               : shared(own_six(a), kFew * uplift));
  }
  return definition;
}

InstanceDefinition identical() {
  InstanceDefinition definition = started("identical", kIdenticalSummary);
  for (const int level : kLevels) {
    add_action(definition, shared(range(0, 8), kStep * (level < 6 ? 5.0 : 1.0)));
  }
  return definition;
}

InstanceDefinition heavy_tails() {
  InstanceDefinition definition = started("heavy-tails", kHeavyTailsSummary);
  for (std::size_t a = 0; a < kLevels.size(); ++a) {
    add_action(definition, shared(own_six(a), kStep * kLevels[a]));
  }
  GaussianNoise noise;
  noise.tail_degrees = 3;
  definition.noise = noise;
  return definition;
}

InstanceDefinition rare() {
  constexpr std::size_t kCustomers = 100;  // of a cluster
  constexpr double kRate = 0.01;
  InstanceDefinition definition = started("rare", kRareSummary);
  definition.variables = {{kLevels.size() * kCustomers, kRate}};
  for (std::size_t a = 0; a < kLevels.size(); ++a) {
    const VariableSet cluster = range(a * kCustomers, (a + 1) * kCustomers);
    add_action(definition, {{cluster, {kRate * (1.0 + 0.25 * kLevels[a])}}});
    definition.segments.push_back(cluster);
  }
  definition.noise = BernoulliNoise{};
  return definition;
}

InstanceDefinition two_actions() {
  InstanceDefinition definition = started("two-actions", kTwoActionsSummary);
  add_action(definition, {});
  add_action(definition, shared(range(20, 24), 1.5 * kStep));
  return definition;
}

InstanceDefinition one_variable() {
  InstanceDefinition definition = started("one-variable", kOneVariableSummary);
  definition.variables = {{1, kBaseline}};
  for (const int level : kLevels) add_action(definition, shared(range(0, 1), 0.1 * level));
  return definition;
}

}  // namespace updraft

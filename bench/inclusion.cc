// Whether `inclusion` of up_ts_sparse is what it says: of the units that an action is said to move
// with a probability of about 0.9, the share that it moves. A unit is moved if one of its variables
// is.
//
//   inclusion [RUNS [INSTANCE ...]]

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "updraft/instance_environment.h"
#include "updraft/registry.h"

namespace updraft {
namespace {

/// Edges of the classes of probabilities; the last but one holds what is shown as 90 %.
constexpr std::array kEdges = {0.0, 0.2, 0.4, 0.6, 0.75, 0.85, 0.95, 1.0};
constexpr std::size_t kClasses = kEdges.size() - 1;
constexpr std::array<std::uint32_t, 3> kRounds = {100, 500, 2000};

struct Shown {
  std::array<std::uint32_t, kClasses> units{};
  std::array<std::uint32_t, kClasses> moved{};

  void add(double probability, bool is_moved) {
    std::size_t place = 0;
    while (place + 1 < kClasses && probability >= kEdges[place + 1]) ++place;
    ++units[place];
    moved[place] += is_moved;
  }
};

/// Per unit, whether the action moves one of its variables.
std::vector<bool> moved_units(const Instance& instance, const Partition& units, ActionId action) {
  std::vector<bool> moved(units.groups(), false);
  for (const VariableRange range : instance.affected()->of(action).ranges()) {
    for (VariableId i = range.begin; i < range.end; ++i) moved[units.group_of(i)] = true;
  }
  return moved;
}

Shown shown(const std::shared_ptr<const Instance>& instance, bool rotation, std::uint32_t rounds,
            std::uint32_t runs) {
  Shown result;
  const auto actions = static_cast<std::uint32_t>(instance->actions());
  const auto law = prepare_payoffs(instance);
  for (std::uint32_t run = 0; run < runs; ++run) {
    const auto policy =
        make_policy("up_ts_sparse", Knowledge(instance->actions(), instance->variables()));
    InstanceEnvironment environment(law, 1, run);
    const Stream stream(1, run, Purpose::kPolicy);
    for (std::uint32_t round = 0; round < rounds; ++round) {
      const ActionId action = rotation ? round % actions : policy->select(stream);
      policy->observe(action, environment.draw(round, action, policy->resolution()));
    }
    const Explanation explanation = policy->explain();
    for (ActionId a = 0; a < actions; ++a) {
      const std::vector<bool> moved = moved_units(*instance, *policy->resolution().partition, a);
      const std::vector<double>& inclusion = *explanation.actions[a].inclusion;
      for (std::size_t u = 0; u < inclusion.size(); ++u) result.add(inclusion[u], moved[u]);
    }
  }
  return result;
}

void print(const std::string& name, std::uint32_t runs) {
  const std::shared_ptr<const Instance> instance = load_instance(name);
  fmt::print("{}, {} runs: share of units that are moved (of how many), by probability shown\n",
             name, runs);
  fmt::print("{:>9} {:>6}", "design", "rounds");
  for (std::size_t c = 0; c < kClasses; ++c) {
    fmt::print(" {:>15}", fmt::format("{} to {}", kEdges[c], kEdges[c + 1]));
  }
  fmt::print("\n");
  for (const bool rotation : {true, false}) {
    for (const std::uint32_t rounds : kRounds) {
      const Shown result = shown(instance, rotation, rounds, runs);
      fmt::print("{:>9} {:>6}", rotation ? "rotation" : "adaptive", rounds);
      for (std::size_t c = 0; c < kClasses; ++c) {
        const double share = result.units[c] == 0 ? 0.0 : 1.0 * result.moved[c] / result.units[c];
        fmt::print(" {:>15}", fmt::format("{:.3f} ({})", share, result.units[c]));
      }
      fmt::print("\n");
    }
  }
}

}  // namespace
}  // namespace updraft

int main(int count, char** arguments) {
  const auto runs = static_cast<std::uint32_t>(count > 1 ? std::atoi(arguments[1]) : 50);
  std::vector<std::string> names(arguments + std::min(count, 2), arguments + count);
  if (names.empty()) names = {"gaussian", "discounts"};
  for (const std::string& name : names) updraft::print(name, runs);
}

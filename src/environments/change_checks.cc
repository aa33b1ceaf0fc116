#include "environments/change_checks.h"

#include <fmt/format.h>

#include <cmath>

#include "updraft/error.h"

namespace updraft {
namespace {

template <typename... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};

bool of_effects_only(const Change::Course& course) {
  return std::holds_alternative<Start>(course) || std::holds_alternative<End>(course) ||
         std::holds_alternative<Flip>(course) || std::holds_alternative<WearOff>(course);
}

void check_change_size(const std::string& field, double value) {
  if (std::abs(value) <= kLargestChange) return;
  throw InvalidInput(field, value, "must be finite and at most 1e50 in size");
}

void check(const Season& season, const std::string& path) {
  if (season.levels.size() < 2) {
    throw InvalidInput(path + ".levels",
                       fmt::format("has {} numbers; must have at least two", season.levels.size()));
  }
  for (std::size_t j = 0; j < season.levels.size(); ++j) {
    check_change_size(fmt::format("{}.levels[{}]", path, j), season.levels[j]);
  }
  if (season.rounds < 1) throw InvalidInput(path + ".rounds", "0", "must be at least 1");
}

void check(const Trend& trend, const std::string& path) {
  if (trend.to <= trend.from) {
    throw InvalidInput(path + ".to", std::to_string(trend.to),
                       fmt::format("must be above {}.from, {}", path, trend.from));
  }
  check_change_size(path + ".by", trend.by);
}

void check(const Walk& walk, const std::string& path) {
  if (!(walk.step > 0.0 && walk.step <= kLargestChange)) {
    throw InvalidInput(path + ".step", walk.step, "must be > 0 and at most 1e50");
  }
  if (!(walk.pull >= 0.0 && walk.pull < 1.0)) {
    throw InvalidInput(path + ".pull", walk.pull, "must be in [0, 1)");
  }
}

void check(const Flip& flip, const std::string& path) {
  check_change_size(path + ".factor", flip.factor);
}

void check(const WearOff& wear_off, const std::string& path) {
  if (!(wear_off.half_life > 0.0 && wear_off.half_life <= kLargestChange)) {
    throw InvalidInput(path + ".half_life", wear_off.half_life, "must be > 0 and at most 1e50");
  }
  if (!(wear_off.floor >= 0.0 && wear_off.floor <= 1.0)) {
    throw InvalidInput(path + ".floor", wear_off.floor, "must be in [0, 1]");
  }
}

void check_changed_action(const InstanceDefinition& definition, const Change& change,
                          const std::string& path) {
  const std::size_t actions = definition.action_names.size();
  if (*change.action >= actions) {
    throw InvalidInput(path + ".action", std::to_string(*change.action),
                       fmt::format("must be below the number of actions, {}", actions));
  }
  if (!change.variables.empty()) {
    throw InvalidInput(path + ".variables",
                       "cannot be given with an action: its effects say which variables change");
  }
  if (definition.effects[*change.action].empty()) {
    throw InvalidInput(path + ".action", definition.action_names[*change.action],
                       "must be an action that has effects");
  }
}

}  // namespace

void check_changes(const InstanceDefinition& definition, std::size_t variables) {
  if (definition.changes.empty()) return;
  if (std::holds_alternative<BernoulliNoise>(definition.noise)) {
    throw InvalidInput("changes", "must not be given with noise of kind bernoulli");
  }
  for (std::size_t j = 0; j < definition.changes.size(); ++j) {
    const Change& change = definition.changes[j];
    const std::string path = fmt::format("changes[{}]", j);
    const std::string name = course_name(change.course);
    if (change.action) {
      if (name == "season" || name == "trend") {
        throw InvalidInput(
            path + ".action",
            fmt::format("cannot be given with {}, which changes the baseline", name));
      }
      check_changed_action(definition, change, path);
    } else if (of_effects_only(change.course)) {
      throw InvalidInput(
          path + ".action",
          fmt::format("must be given with {}: the action whose effect changes", name));
    }
    change.variables.check_below(variables, path + ".variables");
    std::visit(Overloaded{[](const Start&) {}, [](const End&) {},
                          [&](const auto& course) { check(course, path); }},
               change.course);
  }
}

}  // namespace updraft

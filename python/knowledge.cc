#include "knowledge.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "arrays.h"
#include "updraft/error.h"

namespace updraft::python {
namespace {

constexpr std::array<std::string_view, 3> kKindNames = {"plain", "targeting", "contextual"};

py::sequence pair(std::string_view field, py::handle object, std::string_view what) {
  const Py_ssize_t size = PySequence_Check(object.ptr()) ? PySequence_Size(object.ptr()) : 0;
  if (size != 2) {
    if (PyErr_Occurred() != nullptr) clear_conversion_error();
    throw InvalidInput(field, fmt::format("must be a pair: {}", what));
  }
  return py::reinterpret_borrow<py::sequence>(object);
}

/// A label of any kind for each variable.
Partition segments_from(std::string_view field, py::handle labels, std::size_t variables) {
  if (!PySequence_Check(labels.ptr())) {
    throw InvalidInput(field, "must be a list or an array with a label for each variable");
  }
  py::dict numbers;
  std::vector<GroupId> groups;
  // Not a handle: an array makes its items only now.
  for (const py::object label : py::reinterpret_borrow<py::sequence>(labels)) {
    if (!numbers.contains(label)) numbers[label] = numbers.size();
    groups.push_back(numbers[label].cast<GroupId>());
  }
  if (groups.size() != variables) {
    throw InvalidInput(fmt::format("length of {}", field), std::to_string(groups.size()),
                       fmt::format("must be the number of variables, {}", variables));
  }
  return Partition::of_groups(groups);
}

void set(Knowledge& knowledge, const std::string& name, py::handle value) {
  if (name == "baseline") {
    knowledge.set_baseline(double_vector(name, value));
  } else if (name == "affected") {
    knowledge.set_affected(sets_from(value, knowledge.variables()));
  } else if (name == "max_affected") {
    set_max_affected(knowledge, name, value);
  } else if (name == "min_uplift") {
    knowledge.set_min_uplift(number(name, value));
  } else if (name == "effect_gap") {
    knowledge.set_effect_gap(number(name, value));
  } else if (name == "horizon") {
    knowledge.set_horizon(whole_number(name, value, kAnyCount));
  } else if (name == "reward_prior") {
    const py::sequence prior = pair(name, value, "mean and variance");
    knowledge.set_reward_prior(
        {number("reward_prior: mean", prior[0]), number("reward_prior: variance", prior[1])});
  } else if (name == "segments") {
    knowledge.set_segments(segments_from(name, value, knowledge.variables()));
  } else if (name == "observations") {
    const py::sequence table = pair(name, value, "counts and means, one of each per variable");
    knowledge.set_observations({double_vector("observations: counts", table[0]),
                                double_vector("observations: means", table[1])});
  } else {
    std::vector<std::string> valid = {"actions", "variables"};
    for (const Need need : all_needs()) valid.push_back(need_name(need));
    throw unknown_name("knowledge", name, valid);
  }
}

}  // namespace

std::vector<VariableSet> sets_from(py::handle object, std::size_t variables) {
  if (!PySequence_Check(object.ptr())) {
    throw InvalidInput("affected", "must be a list with one set of variables per action");
  }
  std::vector<VariableSet> sets;
  const auto given = py::reinterpret_borrow<py::sequence>(object);
  for (std::size_t action = 0; action < given.size(); ++action) {
    const py::object set = given[action];  // which may be made only now, as the rows of an array
    sets.push_back(variable_set(fmt::format("affected[{}]", sets.size()), set, variables));
  }
  return sets;
}

Knowledge knowledge_from(const py::dict& known) {
  Knowledge knowledge(whole_number("actions", known["actions"]),
                      whole_number("variables", known["variables"]));
  for (const auto& [key, value] : known) {
    const auto name = key.cast<std::string>();
    if (name != "actions" && name != "variables") set(knowledge, name, value);
  }
  return knowledge;
}

Knowledge shape_from(const py::dict& known) {
  const auto size = [&known](const char* name) { return whole_number(name, known[name]); };
  if (known.contains("budget")) {
    return Knowledge(TargetingShape{
        .features = size("features"), .treatments = size("treatments"), .budget = size("budget")});
  }
  return Knowledge(ContextualShape{.features = size("features"), .actions = size("actions")});
}

py::dict sizes_dict(const Knowledge& knowledge) {
  py::dict out;
  switch (knowledge.kind()) {
    case PolicyKind::kPlain:
      out["actions"] = knowledge.actions();
      out["variables"] = knowledge.variables();
      break;
    case PolicyKind::kTargeting:
      out["features"] = knowledge.features();
      out["treatments"] = knowledge.actions();
      out["budget"] = knowledge.budget();
      break;
    case PolicyKind::kContextual:
      out["features"] = knowledge.features();
      out["actions"] = knowledge.actions();
      break;
  }
  return out;
}

py::list affected_list(const AffectedSets& sets) {
  py::list out;
  for (ActionId action = 0; action < sets.actions(); ++action) {
    out.append(array_of(sets.of(action)));
  }
  return out;
}

py::dict knowledge_dict(const Knowledge& knowledge) {
  py::dict out = sizes_dict(knowledge);
  if (knowledge.baseline() != nullptr) {
    out["baseline"] = array_of(std::span<const double>(*knowledge.baseline()));
  }
  if (knowledge.affected()) out["affected"] = affected_list(*knowledge.affected());
  if (const std::vector<std::size_t>* bounds = knowledge.max_affected_per_action()) {
    out["max_affected"] = integers_of(std::span<const std::size_t>(*bounds));
  } else if (knowledge.max_affected()) {
    out["max_affected"] = *knowledge.max_affected();
  }
  if (knowledge.min_uplift()) out["min_uplift"] = *knowledge.min_uplift();
  if (knowledge.effect_gap()) out["effect_gap"] = *knowledge.effect_gap();
  if (knowledge.horizon()) out["horizon"] = *knowledge.horizon();
  if (const auto prior = knowledge.reward_prior()) {
    out["reward_prior"] = py::make_tuple(prior->mean, prior->variance);
  }
  if (const Partition* segments = knowledge.segments().get()) {
    std::vector<std::size_t> groups(segments->variables());
    for (const Partition::Segment& run : segments->segments()) {
      std::fill(groups.begin() + run.range.begin, groups.begin() + run.range.end, run.group);
    }
    out["segments"] = integers_of(std::span<const std::size_t>(groups));
  }
  if (const BaselineObservations* table = knowledge.observations()) {
    out["observations"] = py::make_tuple(array_of(std::span<const double>(table->counts)),
                                         array_of(std::span<const double>(table->means)));
  }
  return out;
}

std::string theorem_alpha_warning(const PolicySpec& given, const Pick& pick) {
  if (pick.reason.empty() || !pick.spec.number("delta")) return "";
  return fmt::format("{} is {}: {}", given.text(), pick.spec.text(), pick.reason);
}

std::string_view kind_name(PolicyKind kind) { return kKindNames[static_cast<std::size_t>(kind)]; }

PolicyKind kind_from(const std::string& name) {
  const auto found = std::find(kKindNames.begin(), kKindNames.end(), name);
  if (found == kKindNames.end()) {
    throw unknown_name("kind", name, {kKindNames.begin(), kKindNames.end()});
  }
  return static_cast<PolicyKind>(found - kKindNames.begin());
}

}  // namespace updraft::python

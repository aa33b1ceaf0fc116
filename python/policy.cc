#include "updraft/policy.h"

#include <fmt/format.h>

#include <algorithm>

#include "arrays.h"
#include "bindings.h"
#include "columns.h"
#include "monitor.h"
#include "seeded.h"
#include "told.h"
#include "updraft/error.h"
#include "updraft/registry.h"
#include "updraft/state.h"

namespace updraft::python {
namespace {

using SeededPolicy = Seeded<Policy>;

/// A tuple of two sequences. Two numbers in a tuple are the payoffs of two variables.
bool is_sparse(py::handle payoffs) {
  return PyTuple_Check(payoffs.ptr()) && PyTuple_GET_SIZE(payoffs.ptr()) == 2 &&
         PySequence_Check(PyTuple_GET_ITEM(payoffs.ptr(), 0));
}

bool is_number(py::handle payoffs) {
  return PyNumber_Check(payoffs.ptr()) && !PySequence_Check(payoffs.ptr());
}

ActionId seen(SeededPolicy& self, ActionId action) {
  for_each_monitor(self, [&](Monitor& monitor) {
    monitor.decided(action);
    monitor.look(*self.policy);
  });
  return action;
}

Decision seen(SeededPolicy& self, Decision decision) {
  seen(self, decision.action);
  return decision;
}

void learn(SeededPolicy& self, ActionId action, const Payoffs& payoffs) {
  self.policy->observe(action, payoffs);
  for_each_monitor(self, [&](Monitor& monitor) {
    monitor.observed(action, payoffs);
    monitor.look(*self.policy);
  });
}

/// Payoffs of single variables in the order of their ids, which monitors need.
void learn_sparse(SeededPolicy& self, ActionId action, std::vector<VariableId> ids,
                  std::span<const double> values) {
  if (self.monitors.empty() || ids.size() != values.size() ||
      std::is_sorted(ids.begin(), ids.end())) {
    return learn(self, action, Payoffs::sparse(ids, values));
  }
  std::vector<std::pair<VariableId, double>> pairs;
  for (std::size_t j = 0; j < ids.size(); ++j) pairs.emplace_back(ids[j], values[j]);
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const auto& one, const auto& other) { return one.first < other.first; });
  std::vector<double> sorted;
  for (std::size_t j = 0; j < ids.size(); ++j) {
    ids[j] = pairs[j].first;
    sorted.push_back(pairs[j].second);
  }
  learn(self, action, Payoffs::sparse(ids, sorted));
}

void learn_total(SeededPolicy& self, ActionId action, double total) {
  for_each_monitor(self, [&](Monitor&) {
    throw InvalidInput("payoffs", total,
                       "must be those of single variables: the policy has a monitor");
  });
  self.policy->observe(action, Payoffs::total(total));
}

void update(SeededPolicy& self, py::handle action_object, py::handle payoffs) {
  const auto action = static_cast<ActionId>(whole_number("action", action_object));
  if (is_number(payoffs)) {
    learn_total(self, action, number("payoffs", payoffs));
  } else if (is_sparse(payoffs)) {
    const auto pair = py::reinterpret_borrow<py::tuple>(payoffs);
    std::vector<VariableId> ids = whole_numbers("payoffs: variable", pair[0]);
    const Doubles values = doubles("payoffs", pair[1], 1);
    learn_sparse(self, action, std::move(ids), view(values));
  } else {
    const Doubles values = doubles("payoffs", payoffs, 1);
    learn(self, action, Payoffs::dense(view(values)));
  }
}

void explain_weights(const Explanation& explanation, Columns<ActionExplanation>& columns) {
  std::size_t width = 0;
  for (const ActionExplanation& action : explanation.actions) {
    if (action.weights) width = std::max(width, action.weights->size());
  }
  columns.table(
      "weights", &ActionExplanation::weights, width,
      [](const std::vector<double>& row, double* to) { std::copy(row.begin(), row.end(), to); });
}

py::array_t<std::int64_t> pulls(const SeededPolicy& self) {
  const std::size_t actions = self.policy->knowledge().actions();
  py::array_t<std::int64_t> out(static_cast<py::ssize_t>(actions));
  for (ActionId action = 0; action < actions; ++action) {
    out.mutable_data()[action] = static_cast<std::int64_t>(self.policy->pulls(action));
  }
  return out;
}

py::dict explain(SeededPolicy& self) {
  const Explanation explanation = self.policy->explain();
  py::dict out;
  Columns<ActionExplanation> columns(explanation.actions, out);
  columns.always("pulls", &ActionExplanation::pulls);
  columns.always("index", &ActionExplanation::index);
  columns.always("radius", &ActionExplanation::radius);
  columns.if_any("reward", &ActionExplanation::reward);
  columns.if_any("uplift", &ActionExplanation::uplift);
  columns.sets("identified", &ActionExplanation::identified);
  columns.sets("padding", &ActionExplanation::padding);
  columns.if_any("standard_error", &ActionExplanation::standard_error);
  columns.intervals("interval", &ActionExplanation::interval);
  columns.differences();
  if (explanation.reference_action) out["reference_action"] = *explanation.reference_action;
  columns.if_any("probability_best", &ActionExplanation::probability_best);
  const std::vector<double> probabilities = self.policy->probabilities(self.stream());
  out["probability"] =
      py::array_t<double>(static_cast<py::ssize_t>(probabilities.size()), probabilities.data());
  if (columns.known(&ActionExplanation::weights)) explain_weights(explanation, columns);
  if (explanation.active) {
    py::array_t<bool> active(static_cast<py::ssize_t>(explanation.active->size()));
    std::copy(explanation.active->begin(), explanation.active->end(), active.mutable_data());
    out["active"] = active;
  }
  if (explanation.shrinkage) out["shrinkage"] = *explanation.shrinkage;
  if (explanation.degrees_of_freedom) out["degrees_of_freedom"] = *explanation.degrees_of_freedom;
  return out;
}

std::string repr(const SeededPolicy& self) {
  const Policy& policy = *self.policy;
  return fmt::format("<updraft.Policy {}: {}, {}, rounds seen {}>", policy.spec().text(),
                     counted(policy.knowledge().actions(), "action"),
                     counted(policy.knowledge().variables(), "variable"), policy.observations());
}

constexpr const char* kClassDoc =
    R"(A learner: it offers actions and learns from the payoffs of those that were taken.

Made by updraft.policy() and updraft.load(). Several offers may be outstanding, and payoffs may
come late, out of order or never. The same calls give the same state, bit for bit. Pickling and
copying keep everything, the seed included.)";

constexpr const char* kUpdateDoc =
    R"(Learns from the payoffs of a round in which `action` was taken.

`payoffs` is one number per variable (an array of float64 in C order is read in place; other
arrays of numbers or bools and lists are converted), or a tuple (indices, values) of the variables
that did not pay 0, or the total as one number for the policies that look at nothing else. Raises
ValueError, and learns nothing, where they cannot be.)";

constexpr const char* kDecideDoc =
    R"(The action to take next, as a Decision: number, action, probability.

The action is that of select(). probability is the propensity: the probability of the action in the
distribution from which the policy drew it, and 1 if the policy does not draw. Keep it with the
payoffs, and the decision can be evaluated off-policy later.)";

constexpr const char* kExplainDoc = R"(What the policy believes of each action, as a dict.

Arrays with one number per action: pulls, index (what select() compares) and radius; if the policy
knows them of any action, with NaN for the others:

- reward;
- uplift over doing nothing, with standard_error and interval (actions x 2). If every action
  affects some variable and the baseline was not told, nothing tells what that variable pays
  without any of them, and there is no uplift;
- difference: how much more reward the action brings than reference_action, with difference_error
  and difference_interval (actions x 2). It is known even if the uplift is not;
- probability_best, weights (actions x atoms), active.

probability is that of the distribution from which the next decide() draws its action.

identified and padding are lists of arrays of variables. reference_action, shrinkage and
degrees_of_freedom are numbers.)";

}  // namespace

void bind_policy(py::module_& module) {
  py::class_<Decision>(module, "Decision", "What Policy.decide() decided.")
      .def_readonly("number", &Decision::number, "The decisions made before.")
      .def_readonly("action", &Decision::action)
      .def_readonly("probability", &Decision::probability,
                    "Of the action, in the distribution from which it was drawn.")
      .def("__repr__", [](const Decision& decision) {
        return fmt::format("Decision(number={}, action={}, probability={})", decision.number,
                           decision.action, decision.probability);
      });
  py::class_<SeededPolicy> type(module, "Policy", kClassDoc);
  type.def(py::init(
               [](const std::string& spec, const py::dict& told, py::handle seed, py::handle run) {
                 return seeded(make_policy(spec, knowledge_from(told)), seed, run);
               }),
           py::arg("spec"), py::arg("told"), py::arg("seed") = 1, py::arg("run") = 0)
      .def(
          "select",
          [](SeededPolicy& self) { return seen(self, self.policy->select(self.stream())); },
          "The action to take next: decide().action, without the cost of its probability. Learns "
          "nothing.")
      .def(
          "decide",
          [](SeededPolicy& self) { return seen(self, self.policy->decide(self.stream())); },
          kDecideDoc)
      .def("update", &update, py::arg("action"), py::arg("payoffs"), kUpdateDoc)
      .def("explain", &explain, kExplainDoc)
      .def_property_readonly(
          "actions", [](const SeededPolicy& self) { return self.policy->knowledge().actions(); },
          "The number of actions.")
      .def_property_readonly(
          "variables",
          [](const SeededPolicy& self) { return self.policy->knowledge().variables(); },
          "The number of variables.")
      .def_property_readonly("pulls", &pulls, "Per action, the rounds seen.")
      .def_property_readonly(
          "knowledge",
          [](const SeededPolicy& self) { return knowledge_dict(self.policy->knowledge()); },
          "What the policy was told and uses, as keywords of updraft.policy().")
      .def("__repr__", &repr);
  bind_monitor(module, type);
  bind_common<Policy>(module, type, {&save_policy, &save_policy, &load_policy});
}

}  // namespace updraft::python

#include "updraft/context_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "arrays.h"
#include "bindings.h"
#include "seeded.h"
#include "told.h"

namespace updraft::python {
namespace {

using SeededContext = Seeded<ContextPolicy>;

/// A context with the arrays that it looks at.
class ContextArrays {
 public:
  ContextArrays(py::handle features, py::handle baseline, py::handle affected)
      : features_(doubles("X", features, 2)) {
    context_ = {.features = view(features_), .width = static_cast<std::size_t>(features_.shape(1))};
    if (!baseline.is_none()) {
      baseline_ = doubles("baseline", baseline, 1);
      context_.baseline = view(baseline_);
    }
    if (!affected.is_none()) {
      affected_ = sets_from(affected, static_cast<std::size_t>(features_.shape(0)));
      context_.affected = affected_;
    }
  }
  ContextArrays(const ContextArrays&) = delete;
  ContextArrays& operator=(const ContextArrays&) = delete;

  const Context& context() const { return context_; }

 private:
  Doubles features_;
  Doubles baseline_;
  std::vector<VariableSet> affected_;
  Context context_;
};

ActionId select(SeededContext& self, py::handle features, py::handle baseline,
                py::handle affected) {
  const ContextArrays arrays(features, baseline, affected);
  return self.policy->select(arrays.context(), self.stream());
}

void update(SeededContext& self, py::handle features, py::handle action, py::handle payoffs,
            py::handle affected) {
  const ContextArrays arrays(features, py::none(), affected);
  const auto taken = static_cast<ActionId>(whole_number("action", action));
  const Doubles values = doubles("payoffs", payoffs, 1);
  self.policy->observe(arrays.context(), taken, view(values));
}

py::list sets_of(const ContextExplanation& explanation,
                 std::optional<VariableSet> ContextActionExplanation::*field) {
  py::list out;
  for (const ContextActionExplanation& action : explanation.actions) {
    out.append(array_of((action.*field).value_or(VariableSet())));
  }
  return out;
}

py::dict explain(const SeededContext& self, py::handle features, py::handle baseline,
                 py::handle affected) {
  const ContextArrays arrays(features, baseline, affected);
  const ContextExplanation explanation = self.policy->explain(arrays.context());
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  const auto count = static_cast<py::ssize_t>(explanation.actions.size());
  py::array_t<std::int64_t> pulls(count);
  py::array_t<double> index(count);
  py::array_t<double> uplift(count);
  py::array_t<double> interval({count, py::ssize_t{2}});
  py::array_t<bool> chosen(count);
  py::list reason;
  bool unknown_sets = false;
  for (py::ssize_t a = 0; a < count; ++a) {
    const ContextActionExplanation& action = explanation.actions[static_cast<std::size_t>(a)];
    const Interval around = action.interval.value_or(Interval{kUnknown, kUnknown});
    pulls.mutable_at(a) = static_cast<std::int64_t>(action.pulls);
    index.mutable_at(a) = action.index;
    uplift.mutable_at(a) = action.uplift.value_or(kUnknown);
    interval.mutable_at(a, 0) = around.low;
    interval.mutable_at(a, 1) = around.high;
    chosen.mutable_at(a) = action.chosen;
    reason.append(py::str(action.reason.data(), action.reason.size()));
    unknown_sets = unknown_sets || action.identified.has_value();
  }
  py::dict out;
  out["pulls"] = pulls;
  out["index"] = index;
  out["uplift"] = uplift;
  out["interval"] = interval;
  out["chosen"] = chosen;
  out["reason"] = py::array(reason);
  if (unknown_sets) {
    out["identified"] = sets_of(explanation, &ContextActionExplanation::identified);
    out["padding"] = sets_of(explanation, &ContextActionExplanation::padding);
  }
  if (explanation.baseline_action) out["baseline_action"] = *explanation.baseline_action;
  return out;
}

std::string repr(const SeededContext& self) {
  const ContextShape& shape = self.policy->shape();
  return fmt::format("<updraft.ContextPolicy {}: {}, {}, rounds seen {}>",
                     self.policy->spec().text(), counted(shape.features, "feature"),
                     counted(shape.actions, "action"), self.policy->observations());
}

constexpr const char* kClassDoc =
    R"(A learner for actions with contexts: every round each variable has features, one action is
taken for all of them, and all payoffs are observed.

Made by updraft.context() and updraft.load(). The variables may differ in number from round to
round, and payoffs may come late, out of order or never. The same calls give the same state, bit
for bit. Pickling and copying keep everything, the seed included.)";

constexpr const char* kSelectDoc =
    R"(The action to take in a context. Learns nothing.

`X`: variables x features. `baseline`: what each variable is expected to pay if nothing is done,
for the policies that must know. `affected`: per action the variables that it affects in this
round, as ids or as a mask of bools, unless the policy was given max_affected.)";

constexpr const char* kUpdateDoc =
    R"(Learns from what every variable of a context paid under `action`. `affected` as in select().)";

constexpr const char* kExplainDoc =
    R"(What the policy believes of each action in a context, as a dict of arrays.

pulls, index (what select() compares), uplift, interval (actions x 2), chosen and reason; where the
sets are not known, identified and padding, lists of arrays of variables, and baseline_action.)";

}  // namespace

void bind_context_policy(py::module_& module) {
  py::class_<SeededContext> type(module, "ContextPolicy", kClassDoc);
  type.def(py::init([](const std::string& spec, const py::tuple& shape, py::handle seed,
                       py::handle run) {
             const ContextShape made = {.features = whole_number("features", shape[0]),
                                        .actions = whole_number("actions", shape[1])};
             return seeded(make_context_policy(spec, made), seed, run);
           }),
           py::arg("spec"), py::arg("shape"), py::arg("seed") = 1, py::arg("run") = 0)
      .def("select", &select, py::arg("X"), py::arg("baseline") = py::none(),
           py::arg("affected") = py::none(), kSelectDoc)
      .def("update", &update, py::arg("X"), py::arg("action"), py::arg("payoffs"),
           py::arg("affected") = py::none(), kUpdateDoc)
      .def("explain", &explain, py::arg("X"), py::arg("baseline") = py::none(),
           py::arg("affected") = py::none(), kExplainDoc)
      .def_property_readonly(
          "features", [](const SeededContext& self) { return self.policy->shape().features; },
          "The number of features of a variable.")
      .def_property_readonly(
          "actions", [](const SeededContext& self) { return self.policy->shape().actions; },
          "The number of actions.")
      .def("__repr__", &repr);
  bind_common<ContextPolicy>(module, type,
                             {&save_context_policy, &save_context_policy, &load_context_policy});
}

}  // namespace updraft::python

#include "updraft/context_policy.h"

#include <fmt/format.h>

#include "arrays.h"
#include "bindings.h"
#include "columns.h"
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

py::dict explain(const SeededContext& self, py::handle features, py::handle baseline,
                 py::handle affected) {
  const ContextArrays arrays(features, baseline, affected);
  const ContextExplanation explanation = self.policy->explain(arrays.context());
  py::dict out;
  Columns<ContextActionExplanation> columns(explanation.actions, out);
  columns.always("pulls", &ContextActionExplanation::pulls);
  columns.always("index", &ContextActionExplanation::index);
  columns.if_any("reward", &ContextActionExplanation::reward);
  columns.if_any("uplift", &ContextActionExplanation::uplift);
  columns.intervals("interval", &ContextActionExplanation::interval);
  columns.differences();
  if (explanation.reference_action) out["reference_action"] = *explanation.reference_action;
  columns.sets("identified", &ContextActionExplanation::identified);
  columns.sets("padding", &ContextActionExplanation::padding);
  columns.always("chosen", &ContextActionExplanation::chosen);
  columns.texts("reason", &ContextActionExplanation::reason);
  return out;
}

std::string repr(const SeededContext& self) {
  const ContextShape& shape = self.policy->shape();
  return fmt::format("<updraft.ContextPolicy {}: {}, {}, rounds seen {}>",
                     self.policy->spec().text(), counted(shape.features, "feature"),
                     counted(shape.actions, "action"), self.policy->observations());
}

constexpr const char* kClassDoc =
    R"(A contextual policy: in every round each variable has features, one action is taken for all
of them, and all payoffs are observed.

Made by updraft.context() and updraft.load(). The variables may differ in number from round to
round, and payoffs may come late, out of order or never. The same calls give the same state, bit
for bit. Pickling and copying keep everything, the seed included.)";

constexpr const char* kSelectDoc =
    R"(The action to take in a context. Learns nothing.

`X`: variables x features. `baseline`: the expected payoff of each variable if nothing is done, for
policies that must know it. `affected`: for each action, the variables that it affects in this
round, as ids or as a mask of bools, unless the policy was given max_affected.)";

constexpr const char* kUpdateDoc =
    R"(Learns from what every variable of a context paid under `action`. `affected` as in select().)";

constexpr const char* kExplainDoc =
    R"(The policy's estimates for each action in a context, as a dict of arrays.

pulls, index (which select() compares), chosen and reason. If known for any action, with NaN for the
others: reward, of all variables of the context; uplift over doing nothing and interval (actions x
2). If neither the baseline nor the sets are known, there is a difference in place of an uplift: the
reward minus that of reference_action, with difference_interval. Unless the sets are given,
identified and padding are lists of arrays of variables. Estimates are known if the features of the
variables that they count are linear combinations of features seen.)";

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

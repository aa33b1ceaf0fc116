#include "updraft/monitor.h"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <string>
#include <vector>

#include "arrays.h"
#include "seeded_policy.h"
#include "updraft/error.h"
#include "updraft/estimate_text.h"

namespace updraft::python {
namespace {

using Names = std::vector<std::string>;

/// A monitor with the policy that it watches, which it keeps alive.
struct WatchedPolicy {
  py::object owner;
  std::shared_ptr<Monitor> monitor;
  Names action_names;
  Names variable_names;

  const Policy& policy() const { return *owner.cast<SeededPolicy&>().policy; }
};

Names checked_names(const char* field, const std::optional<Names>& names, std::size_t count) {
  if (!names) return {};
  if (names->size() != count) {
    throw InvalidInput(field, fmt::format("{} names", names->size()),
                       fmt::format("must be one for each of {}", count));
  }
  return *names;
}

WatchedPolicy attach(const py::object& owner, const std::optional<Names>& action_names,
                     const std::optional<Names>& variable_names) {
  auto& self = owner.cast<SeededPolicy&>();
  if (self.policy->kind() != PolicyKind::kPlain) {
    throw InvalidInput("policy", self.policy->spec().name(), "must be a plain one to be monitored");
  }
  const Knowledge& knowledge = self.policy->knowledge();
  WatchedPolicy out = {owner, std::make_shared<Monitor>(*self.policy, knowledge),
                       checked_names("action_names", action_names, knowledge.actions()),
                       checked_names("variable_names", variable_names, knowledge.variables())};
  self.monitors.push_back(out.monitor);
  return out;
}

py::list warnings(const WatchedPolicy& self) {
  py::list out;
  for (const AssumptionWarning& warning :
       self.monitor->warnings(self.policy(), self.policy().explain(Detail::kCheap),
                              {.actions = self.action_names, .variables = self.variable_names})) {
    py::dict row;
    row["kind"] = kind_name(warning.kind);
    row["action"] = warning.action ? py::object(py::int_(*warning.action)) : py::none();
    row["message"] = warning.message;
    row["advice"] = warning.advice;
    out.append(row);
  }
  return out;
}

void write(const IntervalEstimate& estimate, double* value, double* limits) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  *value = estimate.value.value_or(kNone);
  limits[0] = estimate.interval ? estimate.interval->low : kNone;
  limits[1] = estimate.interval ? estimate.interval->high : kNone;
}

py::dict estimates(const WatchedPolicy& self) {
  const Explanation explanation = self.policy().explain(Detail::kCheap);
  const std::size_t actions = explanation.actions.size();
  py::array_t<double> values(static_cast<py::ssize_t>(actions));
  py::array_t<double> limits({actions, std::size_t{2}});
  for (ActionId a = 0; a < actions; ++a) {
    write(explanation.actions[a].estimate, values.mutable_data() + a,
          limits.mutable_data() + 2 * a);
  }
  py::dict out;
  out["estimate"] = values;
  out["interval"] = limits;
  out["decided"] = integers_of(self.monitor->chosen());
  out["quantity"] = name_of(explanation.quantity);
  out["quantity_text"] = quantity_text(explanation.quantity, self.policy().knowledge(),
                                       reference_text(explanation, self.action_names));
  out["interval_text"] = interval_text(explanation.interval_kind);
  if (explanation.quantity == Quantity::kDifference && explanation.reference_action) {
    out["reference_action"] = *explanation.reference_action;
  }
  return out;
}

py::dict history(const WatchedPolicy& self) {
  const std::vector<EstimateHistory::Point>& points = self.monitor->history().points();
  const std::size_t actions = self.monitor->actions();
  const auto length = static_cast<py::ssize_t>(points.size());
  py::array_t<std::int64_t> decided(length);
  py::array_t<std::int64_t> complete(length);
  py::array_t<std::int64_t> chosen({points.size(), actions});
  py::array_t<double> values({points.size(), actions});
  py::array_t<double> limits({points.size(), actions, std::size_t{2}});
  for (std::size_t p = 0; p < points.size(); ++p) {
    decided.mutable_data()[p] = static_cast<std::int64_t>(points[p].decided);
    complete.mutable_data()[p] = static_cast<std::int64_t>(points[p].complete);
    for (ActionId a = 0; a < actions; ++a) {
      const std::size_t cell = p * actions + a;
      chosen.mutable_data()[cell] = static_cast<std::int64_t>(points[p].chosen[a]);
      write(points[p].estimates[a], values.mutable_data() + cell, limits.mutable_data() + 2 * cell);
    }
  }
  py::dict out;
  out["decisions"] = decided;
  out["observations"] = complete;
  out["decided"] = chosen;
  out["estimate"] = values;
  out["interval"] = limits;
  return out;
}

constexpr const char* kClassDoc =
    R"(What is kept beside a policy for people to look at. Made by Policy.monitor().

It sees every later select(), decide() and update() of the policy, and it never changes a decision.
It is not saved or pickled with the policy, and it stops when nothing refers to it any more.)";

constexpr const char* kMonitorDoc =
    R"(Attaches a Monitor, which sees every later select(), decide() and update().

It keeps a number per action and variable, so update() takes longer, and it must get the payoffs of
single variables: a total raises ValueError. action_names and variable_names are used in warnings.)";

constexpr const char* kWarningsDoc =
    R"(What the payoffs contradict, as a list of dicts: kind, action, message and advice.

kind is 'outside_declared' (a variable outside an action's affected set moves with it),
'more_than_declared' (more variables are identified than max_affected), 'scale' (payoffs are much
larger or smaller than alpha, delta, sigma2 or the prior stand for), 'effect_changed' or
'baseline_changed' (found by a policy with forgetting=auto). action is None if it is about all of
them.)";

constexpr const char* kEstimatesDoc =
    R"(The estimate of each action now, as a dict.

estimate and interval (actions x 2) are of the quantity: 'uplift', 'difference' (to
reference_action) or 'reward'; NaN as long as there is nothing to go by. decided counts the
decisions for each action that the monitor has seen. quantity_text and interval_text say in words
what the numbers are.)";

constexpr const char* kHistoryDoc =
    R"(Estimates over time, as a dict of arrays with a row per point, at most 256 of them.

decisions and observations: how many the monitor had seen; decided, estimate (points x actions) and
interval (points x actions x 2) as in estimates(). With more than 1000 actions there are no points.)";

}  // namespace

void bind_monitor(py::module_& module, py::class_<SeededPolicy>& policy) {
  py::class_<WatchedPolicy>(module, "Monitor", kClassDoc)
      .def("warnings", &warnings, kWarningsDoc)
      .def("estimates", &estimates, kEstimatesDoc)
      .def("history", &history, kHistoryDoc)
      .def("__repr__", [](const WatchedPolicy& self) {
        return fmt::format("<updraft.Monitor of {}>", self.policy().spec().text());
      });
  policy.def("monitor", &attach, py::arg("action_names") = py::none(),
             py::arg("variable_names") = py::none(), kMonitorDoc);
}

}  // namespace updraft::python

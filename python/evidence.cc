#include "evidence.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "arrays.h"
#include "bindings.h"
#include "payoffs.h"
#include "seeded_policy.h"
#include "updraft/error.h"
#include "updraft/evidence_text.h"

namespace updraft::python {
namespace {

/// Evidence with the names of its reports.
struct NamedEvidence {
  Evidence evidence;
  std::vector<std::string> action_names;
};

std::unique_ptr<NamedEvidence> made(const SeededPolicy& policy, const py::dict& options,
                                    std::vector<std::string> action_names) {
  if (policy.policy->kind() != PolicyKind::kPlain) {
    throw InvalidInput("policy", policy.policy->spec().text(),
                       "must be a plain one, which takes one action per round");
  }
  return std::make_unique<NamedEvidence>(NamedEvidence{
      Evidence(policy.policy->knowledge(), evidence_options(options)), std::move(action_names)});
}

py::dict decided(NamedEvidence& self, SeededPolicy& policy) {
  self.evidence.set_idle(policy.roster.idle());
  const SharedDecision shared = self.evidence.decide(*policy.policy, policy.stream());
  policy.for_each_monitor([&](Monitor& monitor) {
    monitor.decided(shared.decision.action);
    monitor.look(*policy.policy);
  });
  py::dict out;
  out["number"] = shared.decision.number;
  out["action"] = shared.decision.action;
  out["probability"] = shared.decision.probability;
  out["candidate"] = shared.candidate;
  out["of"] = name_of(shared.whose);
  return out;
}

void observed(NamedEvidence& self, py::handle action, py::handle candidate, const std::string& of,
              py::handle payoffs) {
  const WholeRange range{0, self.evidence.actions() - 1};
  SharedDecision shared;
  shared.decision.action = static_cast<ActionId>(whole_number("action", action, range));
  const GivenPayoffs given(payoffs);
  if (candidate.is_none()) return self.evidence.observed(shared.decision.action, given.get());
  shared.candidate = static_cast<ActionId>(whole_number("candidate", candidate, range));
  for (const RoundOf whose : {RoundOf::kHoldout, RoundOf::kProbe}) {
    if (of == name_of(whose)) shared.whose = whose;
  }
  self.evidence.observed(shared, given.get());
}

std::string settled(const NamedEvidence& self, const SeededPolicy& policy) {
  const Explanation explanation = policy.policy->explain();
  return settled_json_text(self.evidence.settlement(&explanation), self.action_names);
}

std::string gain(const NamedEvidence& self, const SeededPolicy& policy) {
  const Explanation explanation = policy.policy->explain(Detail::kCheap);
  const std::optional<Gain> gain = self.evidence.gain(&explanation);
  if (!gain) return "null";
  const ActionId control = *self.evidence.options().shares.control;
  return gain_json_text(*gain, name_of_action(control, self.action_names));
}

std::string guardrails(const NamedEvidence& self) {
  return guardrails_json_text(self.evidence.alarms(), self.evidence.options(), self.action_names);
}

}  // namespace

EvidenceOptions evidence_options(const py::dict& given) {
  EvidenceOptions options;
  for (const auto& [key, value] : given) {
    const auto name = key.cast<std::string>();
    if (name == "error") {
      options.error = number(name, value);
    } else if (name == "control") {
      options.shares.control = static_cast<ActionId>(whole_number(name, value));
    } else if (name == "holdout") {
      options.shares.holdout = number(name, value);
    } else if (name == "probe") {
      options.shares.probe = number(name, value);
    } else {
      for (const py::handle entry : value.cast<py::list>()) {
        const auto about = py::reinterpret_borrow<py::dict>(entry);
        const auto guarded = about["name"].cast<std::string>();
        std::vector<VariableId> ids = whole_numbers(guarded, about["variables"]);
        std::sort(ids.begin(), ids.end());
        options.guardrails.push_back({.name = guarded,
                                      .variables = VariableSet::from_ids(ids),
                                      .tolerance = number(guarded, about["tolerance"]),
                                      .pause = about["pause"].cast<bool>()});
      }
    }
  }
  return options;
}

void bind_evidence(py::module_& module) {
  py::class_<NamedEvidence>(module, "Evidence")
      .def(py::init(&made), py::arg("policy"), py::arg("options"), py::arg("action_names"))
      .def("decide", &decided, py::arg("policy"))
      .def("observed", &observed, py::arg("action"), py::arg("candidate"), py::arg("of"),
           py::arg("payoffs"))
      .def("settled", &settled, py::arg("policy"))
      .def("gain", &gain, py::arg("policy"))
      .def("guardrails", &guardrails)
      .def_property_readonly("paused", [](const NamedEvidence& self) {
        const auto paused = self.evidence.steering().paused;
        return std::vector<ActionId>(paused.begin(), paused.end());
      });
}

}  // namespace updraft::python

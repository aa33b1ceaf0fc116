#include "updraft/registry.h"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "arrays.h"
#include "bindings.h"
#include "knowledge.h"
#include "updraft/error.h"
#include "updraft/theory.h"

namespace updraft::python {
namespace {

constexpr std::uint64_t kMostRounds = 1'000'000'000'000'000;  // exact as a double

py::dict parameter_dict(const ParameterInfo& parameter) {
  py::dict out;
  out["name"] = parameter.name;
  out["default"] = parameter.otherwise.text();
  out["rule"] = parameter_rule(parameter);
  out["help"] = parameter.help;
  return out;
}

py::list policy_list(std::span<const PolicyInfo> infos) {
  py::list out;
  for (const PolicyInfo& info : infos) {
    if (info.make == nullptr) continue;  // it can only be simulated
    py::list parameters;
    for (const ParameterInfo& parameter : info.parameters) {
      parameters.append(parameter_dict(parameter));
    }
    py::dict row;
    row["name"] = info.name;
    row["kind"] = kind_name(info.kind);
    row["aliases"] = info.aliases;
    row["summary"] = info.summary;
    row["index"] = info.index;
    row["reference"] = info.reference;
    row["status"] = status_name(info.status);
    row["needs"] = need_names(info.needs);
    row["parameters"] = parameters;
    out.append(row);
  }
  return out;
}

BoundInputs inputs_from(const Instance& instance, const py::dict& options) {
  const std::uint64_t rounds =
      whole_number("rounds", options["rounds"], {.least = 1, .most = kMostRounds});
  const double delta = number("delta", options["delta"]);
  check_probability("delta", delta);
  BoundInputs in = BoundInputs::of(instance, static_cast<double>(rounds), delta);
  if (!options["max_affected"].is_none()) {
    set_max_affected(in, "max_affected", options["max_affected"]);
  }
  const auto given = [&options](const char* name) { return !options[name].is_none(); };
  if (given("min_uplift")) in.set_min_uplift(number("min_uplift", options["min_uplift"]));
  if (given("effect_gap")) in.set_effect_gap(number("effect_gap", options["effect_gap"]));
  return in;
}

py::list bound_list(const Instance& instance, const py::dict& options) {
  const BoundInputs in = inputs_from(instance, options);
  py::list out;
  for (const BoundInfo& info : bounds()) {
    py::dict row;
    row["name"] = info.name;
    row["kind"] = info.upper ? "upper" : "lower";
    row["value"] = applies(info, in) ? info.evaluate(in) : std::numeric_limits<double>::quiet_NaN();
    row["formula"] = info.formula;
    row["reference"] = info.reference;
    if (info.upper) {
      const bool available = applies(info, in);
      const ExpectedBound expected = available ? expected_bound(info, in) : ExpectedBound();
      row["alpha"] = info.alpha(in);
      row["expected"] = available ? expected.value : std::numeric_limits<double>::quiet_NaN();
    }
    out.append(row);
  }
  return out;
}

TargetingBoundInputs targeting_inputs_from(const py::dict& options) {
  const auto whole = [&options](const char* name) {
    return whole_number(name, options[name], {.least = 1});
  };
  TargetingBoundInputs in;
  in.features = whole("features");
  in.individuals = whole("individuals");
  in.budget = whole("budget");
  in.treatments = whole("treatments");
  in.ridge = options["ridge"].is_none() ? static_cast<double>(in.budget)
                                        : number("ridge", options["ridge"]);
  in.norm_bound = number("norm_bound", options["norm_bound"]);
  in.rounds = static_cast<double>(
      whole_number("rounds", options["rounds"], {.least = 1, .most = kMostRounds}));
  in.delta = number("delta", options["delta"]);
  return in;
}

py::list targeting_bound_list(const py::dict& options) {
  const TargetingBoundInputs in = targeting_inputs_from(options);
  py::list out;
  for (const TargetingBoundInfo& info : targeting_bounds()) {
    py::dict row;
    row["name"] = info.name;
    row["kind"] = "upper";
    row["value"] = info.evaluate(in);
    row["formula"] = info.formula;
    row["reference"] = info.reference;
    out.append(row);
  }
  return out;
}

}  // namespace

void bind_registry(py::module_& module) {
  module.def(
      "policies", [](const std::string& kind) { return policy_list(policies(kind_from(kind))); },
      py::arg("kind"));
  module.def("checked_knowledge",
             [](const py::dict& known) { return knowledge_dict(knowledge_from(known)); });
  module.def("bounds", &bound_list, py::arg("instance"), py::arg("options"));
  module.def("targeting_bounds", &targeting_bound_list, py::arg("options"));
}

}  // namespace updraft::python

#include "updraft/registry.h"

#include <fmt/format.h>

#include "arrays.h"
#include "bindings.h"
#include "told.h"
#include "updraft/campaign_policy.h"
#include "updraft/context_policy.h"
#include "updraft/error.h"
#include "updraft/theory.h"

namespace updraft::python {
namespace {

py::str text(std::string_view value) { return {value.data(), value.size()}; }

template <typename Texts>
py::list texts(const Texts& values) {
  py::list out;
  for (const std::string_view value : values) out.append(text(value));
  return out;
}

py::dict parameter_dict(const ParameterInfo& parameter) {
  py::dict out;
  out["name"] = text(parameter.name);
  out["default"] = text(parameter.default_text);
  out["rule"] = parameter_rule(parameter);
  out["help"] = text(parameter.help);
  return out;
}

py::list policy_list(std::span<const PolicyInfo> infos) {
  py::list out;
  for (const PolicyInfo& info : infos) {
    py::list parameters;
    for (const ParameterInfo& parameter : info.parameters) {
      parameters.append(parameter_dict(parameter));
    }
    py::dict row;
    row["name"] = text(info.name);
    row["aliases"] = texts(info.aliases);
    row["summary"] = text(info.summary);
    row["index"] = text(info.index);
    row["reference"] = text(info.reference);
    row["status"] = text(status_name(info.status));
    row["needs"] = need_names(info.needs);
    row["parameters"] = parameters;
    out.append(row);
  }
  return out;
}

/// L must bound what every action affects, or the bounds would not hold.
std::size_t max_affected_from(py::handle object, const Instance& instance) {
  const std::uint64_t value =
      whole_number("max_affected", object, {.least = 1, .most = instance.variables()});
  if (value < instance.max_affected()) {
    throw InvalidInput("max_affected", std::to_string(value),
                       fmt::format("must be >= {}, the most that an action of {} affects",
                                   instance.max_affected(), instance.name()));
  }
  return value;
}

BoundInputs inputs_from(const Instance& instance, const py::dict& options) {
  constexpr std::uint64_t kMostRounds = 1'000'000'000'000'000;  // exact as a double
  const std::uint64_t rounds =
      whole_number("rounds", options["rounds"], {.least = 1, .most = kMostRounds});
  const double delta = number("delta", options["delta"]);
  check_probability("delta", delta);
  BoundInputs in = BoundInputs::of(instance, static_cast<double>(rounds), delta);
  if (!options["max_affected"].is_none()) {
    in.max_affected = max_affected_from(options["max_affected"], instance);
  }
  const auto replace = [&options](const char* name, double& value) {
    if (options[name].is_none()) return;
    value = number(name, options[name]);
    check_positive(name, value);
  };
  replace("min_uplift", in.min_uplift);
  replace("effect_gap", in.effect_gap);
  return in;
}

py::list bound_list(const Instance& instance, const py::dict& options) {
  const BoundInputs in = inputs_from(instance, options);
  py::list out;
  for (const BoundInfo& info : bounds()) {
    py::dict row;
    row["name"] = text(info.name);
    row["kind"] = info.upper ? "upper" : "lower";
    row["value"] = applies(info, in) ? info.evaluate(in) : std::numeric_limits<double>::quiet_NaN();
    row["formula"] = text(info.formula);
    row["reference"] = text(info.reference);
    out.append(row);
  }
  return out;
}

}  // namespace

void bind_registry(py::module_& module) {
  module.def("policies", [] { return policy_list(policies()); });
  module.def("campaign_policies", [] { return policy_list(campaign_policies()); });
  module.def("context_policies", [] { return policy_list(context_policies()); });
  module.def("checked_knowledge",
             [](const py::dict& told) { return knowledge_dict(knowledge_from(told)); });
  module.def("bounds", &bound_list, py::arg("instance"), py::arg("options"));
}

}  // namespace updraft::python

#include "updraft/instance.h"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>

#include "arrays.h"
#include "bindings.h"
#include "knowledge.h"
#include "payoffs.h"
#include "updraft/error.h"
#include "updraft/instance_environment.h"
#include "updraft/registry.h"

namespace updraft::python {
namespace {

// pybind11 has no holder of const objects; nothing that is bound changes an instance.
std::shared_ptr<Instance> held(std::shared_ptr<const Instance> instance) {
  return std::const_pointer_cast<Instance>(std::move(instance));
}

ActionId action_from(const Instance& instance, py::handle action) {
  const std::uint64_t id = whole_number("action", action);
  if (id >= instance.actions()) {
    throw InvalidInput("action", std::to_string(id),
                       fmt::format("must be below the number of actions, {}", instance.actions()));
  }
  return static_cast<ActionId>(id);
}

/// One payoff per variable, whatever the environment delivers.
py::array_t<double> draw(InstanceEnvironment& self, py::handle round, py::handle action) {
  const auto t = static_cast<std::uint32_t>(whole_number("round", round));
  const Payoffs payoffs =
      self.draw(t, action_from(self.instance(), action), Resolution::variables());
  return dense_array(payoffs, self.instance().variables());
}

py::array_t<double> uplifts_in(InstanceEnvironment& self, py::handle round) {
  return array_of(self.uplifts_in(static_cast<std::uint32_t>(whole_number("round", round))));
}

py::array_t<double> gaps_in(InstanceEnvironment& self, py::handle round) {
  return array_of(self.gaps_in(static_cast<std::uint32_t>(whole_number("round", round))));
}

/// As in the file.
py::object changes(const Instance& self) {
  if (!self.changes()) return py::list();
  return py::module_::import("json").attr("loads")(format_instance(self.definition()))["changes"];
}

py::tuple observe_baseline(const InstanceEnvironment& self, py::handle count) {
  const BaselineObservations table =
      self.observe_baseline(whole_number("count", count, {.least = 1}));
  return py::make_tuple(array_of(std::span<const double>(table.counts)),
                        array_of(std::span<const double>(table.means)));
}

InstanceEnvironment environment(const std::shared_ptr<Instance>& self, py::handle seed,
                                py::handle run) {
  constexpr WholeRange kSeeds = {0, std::numeric_limits<std::uint64_t>::max()};
  return {prepare_payoffs(self), whole_number("seed", seed, kSeeds),
          static_cast<std::uint32_t>(whole_number("run", run))};
}

std::string repr(const Instance& self) {
  return fmt::format("<updraft.Instance {}: {}, {}>", self.name(),
                     counted(self.actions(), "action"), counted(self.variables(), "variable"));
}

constexpr const char* kInstanceDoc =
    R"(An uplifting bandit: what is true, and what simulations are played against.

Made by updraft.instance(). Arrays are read-only views.)";

constexpr const char* kKnowledgeDoc =
    R"(All that can be known when `rounds` are to be played, as keywords of updraft.policy().)";

constexpr const char* kEnvironmentDoc =
    R"(One run of an instance: payoffs are a function of seed, run, round and action alone, the same
that updraft.simulate() draws.)";

using Numbers = std::span<const double> (Instance::*)() const;

void bind_truth(py::class_<Instance, std::shared_ptr<Instance>>& type) {
  const auto numbers = [&type](const char* name, Numbers get, const char* doc) {
    type.def_property_readonly(
        name,
        [get](const py::object& self) {
          return read_only((self.cast<const Instance&>().*get)(), self);
        },
        doc);
  };
  numbers("rewards", &Instance::rewards, "Expected reward per action.");
  numbers("uplifts", &Instance::uplifts, "Expected reward less that of doing nothing, per action.");
  numbers("gaps", &Instance::gaps, "Expected reward lost to the best action, per action.");
  type.def_property_readonly(
          "baseline",
          [](const py::object& self) {
            return read_only(self.cast<const Instance&>().baseline(), self);
          },
          "Mean payoff of every variable when nothing is done.")
      .def_property_readonly(
          "affected", [](const Instance& self) { return affected_list(*self.affected()); },
          "Per action, the variables it affects.")
      .def_property_readonly("best_action", &Instance::best_action)
      .def_property_readonly("max_affected", &Instance::max_affected,
                             "The most variables that an action affects.")
      .def_property_readonly(
          "min_uplift", &Instance::min_uplift,
          "The least individual uplift: the smallest distance of a mean that an\n"
          "action affects from the baseline. 0 if nothing is affected.")
      .def_property_readonly("effect_gap", &Instance::effect_gap,
                             "The smallest distance between the means of a variable under two\n"
                             "actions of which one affects it. 0 if two move a variable alike.")
      .def_property_readonly(
          "variance_proxy", &Instance::variance_proxy,
          "sigma^2, the sub-Gaussian scale of the payoffs: the largest variance\n"
          "proxy of a variable's noise. The theorems are for at most 1.")
      .def_property_readonly(
          "reward_variance_proxy", &Instance::reward_variance_proxy,
          "A variance proxy of the reward's noise. ucb's theorem is for at most\n"
          "the square of the number of variables.")
      .def(
          "means",
          [](const Instance& self, py::handle action) {
            const std::vector<double> means = self.means(action_from(self, action));
            return array_of(std::span<const double>(means));
          },
          py::arg("action"), "Mean payoff of every variable under an action.");
}

}  // namespace

void bind_instance(py::module_& module) {
  py::class_<InstanceEnvironment>(module, "Environment", kEnvironmentDoc)
      .def("draw", &draw, py::arg("round"), py::arg("action"),
           "The payoffs of taking `action` in `round`, one per variable.")
      .def("uplifts", &uplifts_in, py::arg("round"),
           "The uplift of every action over the baseline of this round.")
      .def("gaps", &gaps_in, py::arg("round"),
           "The distance of every action to the best one of this round.")
      .def("observe_baseline", &observe_baseline, py::arg("count") = kBaselineObservations,
           "`count` payoffs per variable without any action: their counts and means, as\n"
           "`observations=` of updraft.policy().");

  py::class_<Instance, std::shared_ptr<Instance>> type(module, "Instance", kInstanceDoc);
  type.def_property_readonly("name", [](const Instance& self) { return self.name(); })
      .def_property_readonly("summary",
                             [](const Instance& self) { return self.definition().summary; })
      .def_property_readonly("actions", &Instance::actions, "The number of actions.")
      .def_property_readonly("variables", &Instance::variables, "The number of variables.")
      .def_property_readonly("action_names",
                             [](const Instance& self) { return self.definition().action_names; })
      .def_property_readonly("changes", &changes,
                             "How means change with the rounds: a list of dictionaries, as in the\n"
                             "instance format. Everything else is without these changes.")
      .def(
          "knowledge",
          [](const Instance& self, py::handle rounds) {
            return knowledge_dict(self.knowledge(whole_number("rounds", rounds, {.least = 1})));
          },
          py::arg("rounds"), kKnowledgeDoc)
      .def("environment", &environment, py::arg("seed") = 1, py::arg("run") = 0,
           "One run, to draw payoffs from.")
      .def(
          "to_json", [](const Instance& self) { return format_instance(self.definition()); },
          "The instance in the format updraft-instance/1, as text.")
      .def(
          "__eq__",
          [](const Instance& self, py::handle other) {
            return py::isinstance<Instance>(other) &&
                   self.definition() == other.cast<const Instance&>().definition();
          },
          py::is_operator())
      .def("__repr__", &repr)
      .def(py::pickle([](const Instance& self) { return format_instance(self.definition()); },
                      [](const std::string& json) {
                        return std::make_shared<Instance>(parse_instance(json));
                      }));
  type.attr("__hash__") = py::none();
  bind_truth(type);

  module.def(
      "load_instance",
      [](const std::string& name_or_path) { return held(load_instance(name_or_path)); },
      py::arg("name_or_path"));
  module.def(
      "parse_instance",
      [](const std::string& json) { return std::make_shared<Instance>(parse_instance(json)); },
      py::arg("json"));
  module.def("instances", [] {
    py::dict out;
    for (const ShippedInstance& shipped : shipped_instances()) {
      out[py::str(std::string(shipped.name))] = std::string(shipped.summary);
    }
    return out;
  });
}

}  // namespace updraft::python

#include "updraft/policy.h"

#include <fmt/format.h>
#include <pybind11/stl/filesystem.h>

#include <filesystem>
#include <sstream>

#include "arrays.h"
#include "bindings.h"
#include "explanation.h"
#include "knowledge.h"
#include "payoffs.h"
#include "seeded_policy.h"
#include "updraft/error.h"
#include "updraft/registry.h"
#include "updraft/state.h"
#include "updraft/state_io.h"

namespace updraft::python {
namespace {

/// A policy with the source of its draws, which the library leaves to the caller.
SeededPolicy seeded(std::unique_ptr<Policy> policy, py::handle seed, py::handle run) {
  const bool targeting = policy->kind() == PolicyKind::kTargeting;
  const std::size_t actions = targeting ? 0 : policy->knowledge().actions();
  return {.policy = std::move(policy),
          .roster = ActionRoster(actions),
          .seed = whole_number("seed", seed, kAnyCount),
          .run = static_cast<std::uint32_t>(whole_number("run", run))};
}

/// The caller of policy() is warned.
void warn_of_theorem_alpha(const PolicySpec& spec, const Knowledge& knowledge) {
  const std::string warning = theorem_alpha_warning(spec, pick_policy(spec, knowledge));
  if (warning.empty()) return;
  if (PyErr_WarnEx(PyExc_UserWarning, warning.c_str(), 2) != 0) throw py::error_already_set();
}

SeededPolicy make(const std::string& text, const py::dict& known, py::handle seed, py::handle run) {
  const bool plain = !known.contains("features");
  const Knowledge knowledge = plain ? knowledge_from(known) : shape_from(known);
  const PolicySpec spec = PolicySpec::parse(text);
  SeededPolicy policy = seeded(make_policy(spec, knowledge), seed, run);
  warn_of_theorem_alpha(spec, knowledge);
  return policy;
}

/// Ids, increasing; at least one.
std::vector<ActionId> allowed_from(py::handle object, std::size_t actions) {
  if (actions == 0) {
    throw InvalidInput("allowed", "must be absent: targeting gives treatments, not actions");
  }
  const std::vector<ActionId> ids = action_set("allowed", object, actions).ids();
  if (ids.empty()) throw InvalidInput("allowed", "must have at least one action");
  if (ids.back() >= actions) {
    throw InvalidInput("allowed", std::to_string(ids.back()),
                       fmt::format("must be below the number of actions, {}", actions));
  }
  return ids;
}

/// A round with the arrays that it refers to.
class RoundArrays {
 public:
  RoundArrays(const SeededPolicy& self, py::handle features, py::handle baseline,
              py::handle affected, py::handle allowed) {
    const Policy& policy = *self.policy;
    if (!features.is_none()) {
      features_ = doubles("X", features, 2);
      round_.features = view(features_);
      round_.width = static_cast<std::size_t>(features_.shape(1));
    } else if (policy.kind() != PolicyKind::kPlain) {
      throw InvalidInput("X", fmt::format("must be given: {} decides by the features of its rows",
                                          policy.spec().name()));
    }
    if (!baseline.is_none()) {
      baseline_ = doubles("baseline", baseline, 1);
      round_.baseline = view(baseline_);
    }
    if (!affected.is_none()) {
      affected_ = sets_from(affected, round_.size());
      round_.affected = affected_;
    }
    if (!allowed.is_none()) allowed_ = allowed_from(allowed, self.roster.actions());
    allowed_ = self.roster.active_among(allowed_);
    round_.allowed = allowed_;
  }
  RoundArrays(const RoundArrays&) = delete;
  RoundArrays& operator=(const RoundArrays&) = delete;

  const Round& round() const { return round_; }

 private:
  Doubles features_;
  Doubles baseline_;
  std::vector<VariableSet> affected_;
  std::vector<ActionId> allowed_;
  Round round_;
};

/// Shows a decision of a plain policy to its monitors.
void show(SeededPolicy& self, ActionId action) {
  self.for_each_monitor([&](Monitor& monitor) {
    monitor.decided(action);
    monitor.look(*self.policy);
  });
}

void observe(SeededPolicy& self, ActionId action, const Payoffs& payoffs) {
  const bool total = payoffs.kind() == Payoffs::Kind::kTotal;
  self.for_each_monitor([&](Monitor&) {
    if (!total) return;
    throw InvalidInput("payoffs", payoffs.reward(),
                       "must be those of single variables: the policy has a monitor");
  });
  self.policy->observe(action, payoffs);
  self.for_each_monitor([&](Monitor& monitor) {
    monitor.observed(action, payoffs);
    monitor.look(*self.policy);
  });
}

Decision decide(SeededPolicy& self, py::handle features, py::handle baseline, py::handle affected,
                py::handle allowed) {
  const RoundArrays arrays(self, features, baseline, affected, allowed);
  Decision decision = self.policy->decide(arrays.round(), self.stream());
  show(self, decision.action);
  return decision;
}

py::object treatments(const Decision& decision) {
  if (decision.treatments.empty()) throw py::attribute_error("treatments: only targeting has any");
  return integers_of(std::span<const Treatment>(decision.treatments));
}

py::object action(const Decision& decision) {
  if (decision.treatments.empty()) return py::int_(decision.action);
  throw py::attribute_error("action: targeting has treatments");
}

py::object select(SeededPolicy& self, py::handle features, py::handle baseline, py::handle affected,
                  py::handle allowed) {
  const bool plain = self.policy->kind() == PolicyKind::kPlain && self.roster.all_active();
  if (plain && features.is_none() && baseline.is_none() && affected.is_none() &&
      allowed.is_none()) {
    const ActionId action = self.policy->select(self.stream());
    show(self, action);
    return py::int_(action);
  }
  const RoundArrays arrays(self, features, baseline, affected, allowed);
  const Decision decision = self.policy->select(arrays.round(), self.stream());
  show(self, decision.action);
  return decision.treatments.empty() ? action(decision) : treatments(decision);
}

// Several at once.

constexpr WholeRange kBatchSizes{1, 1'000'000};

std::vector<Decision> batch_of(SeededPolicy& self, const py::int_& count, py::handle allowed,
                               bool with_probabilities) {
  const std::size_t size = whole_number("count", count, kBatchSizes);
  if (self.policy->kind() != PolicyKind::kPlain) {
    throw InvalidInput("count", std::to_string(size),
                       fmt::format("cannot be used: {} decides by the features of a round",
                                   self.policy->spec().name()));
  }
  const RoundArrays arrays(self, py::none(), py::none(), py::none(), allowed);
  std::vector<Decision> batch =
      with_probabilities ? self.policy->decide_batch(size, arrays.round(), self.stream())
                         : self.policy->select_batch(size, arrays.round(), self.stream());
  for (const Decision& decision : batch) show(self, decision.action);
  return batch;
}

py::array_t<std::int64_t> select_batch(SeededPolicy& self, const py::int_& count,
                                       py::handle allowed) {
  std::vector<ActionId> actions;
  for (const Decision& decision : batch_of(self, count, allowed, false)) {
    actions.push_back(decision.action);
  }
  return integers_of(std::span<const ActionId>(actions));
}

py::list decide_batch(SeededPolicy& self, const py::int_& count, py::handle allowed) {
  py::list out;
  for (const Decision& decision : batch_of(self, count, allowed, true)) out.append(decision);
  return out;
}

void update_in_round(SeededPolicy& self, py::handle features, py::handle choice, py::handle payoffs,
                     py::handle affected) {
  const RoundArrays arrays(self, features, py::none(), affected, py::none());
  Decision decision;
  if (self.policy->kind() == PolicyKind::kTargeting) {
    decision.treatments = whole_numbers("treatments", choice);
  } else {
    decision.action = static_cast<ActionId>(whole_number("action", choice));
  }
  self.policy->learn(decision, arrays.round(), GivenPayoffs(payoffs).get());
}

void update(SeededPolicy& self, py::handle action_object, py::handle payoffs) {
  if (self.policy->kind() != PolicyKind::kPlain) {
    return update_in_round(self, py::none(), action_object, payoffs, py::none());
  }
  const auto action = static_cast<ActionId>(whole_number("action", action_object));
  observe(self, action, GivenPayoffs(payoffs).get());
}

py::dict explain(SeededPolicy& self, py::handle features, py::handle baseline, py::handle affected,
                 py::handle allowed) {
  const RoundArrays arrays(self, features, baseline, affected, allowed);
  py::dict out = explanation_dict(self.policy->explain(arrays.round()), self.policy->kind());
  if (self.policy->kind() == PolicyKind::kPlain) {
    const std::vector<double> probabilities =
        self.policy->probabilities(arrays.round(), self.stream());
    out["probability"] = array_of(std::span<const double>(probabilities));
  }
  return out;
}

/// A size that only some kinds of policies have.
py::object size(const SeededPolicy& self, const char* name) {
  const py::dict sizes = sizes_dict(self.policy->knowledge());
  if (sizes.contains(name)) return sizes[name];
  throw py::attribute_error(
      fmt::format("{}: a {} policy has none", name, kind_name(self.policy->kind())));
}

// Actions that are paused and retired.

template <ActionStatus status>
void set_status(SeededPolicy& self, py::handle action) {
  if (self.policy->kind() == PolicyKind::kTargeting) {
    throw InvalidInput("policy", self.policy->spec().text(), "has treatments, not actions");
  }
  self.roster.set(static_cast<ActionId>(whole_number("action", action)), status);
}

py::list action_status(const SeededPolicy& self) {
  size(self, "actions");
  py::list out;
  for (ActionId action = 0; action < self.roster.actions(); ++action) {
    out.append(py::str(std::string(name_of(self.roster.status(action)))));
  }
  return out;
}

py::array_t<std::int64_t> pulls(const SeededPolicy& self) {
  std::vector<std::uint64_t> counts(size(self, "actions").cast<std::size_t>());
  for (ActionId action = 0; action < counts.size(); ++action) {
    counts[action] = self.policy->pulls(action);
  }
  return integers_of(std::span<const std::uint64_t>(counts));
}

std::string repr(const Decision& decision) {
  const py::object choice = decision.treatments.empty() ? action(decision) : treatments(decision);
  return fmt::format("Decision(number={}, {}={}, probability={})", decision.number,
                     decision.treatments.empty() ? "action" : "treatments",
                     py::str(choice).cast<std::string>(), decision.probability);
}

std::string repr(const SeededPolicy& self) {
  std::string sizes;
  for (const auto& [key, value] : sizes_dict(self.policy->knowledge())) {
    std::string name = key.cast<std::string>();
    const auto count = value.cast<std::size_t>();
    if (name == "budget") {
      sizes += fmt::format("budget {}, ", count);
    } else {
      name.pop_back();  // the s of the plural
      sizes += counted(count, name) + ", ";
    }
  }
  return fmt::format("<updraft.Policy {}: {}rounds seen {}>", self.policy->spec().text(), sizes,
                     self.policy->observations());
}

constexpr const char* kPolicyDoc =
    R"(A learner: it decides in every round, and learns from the payoffs of what was done.

Made by updraft.policy(), updraft.targeting(), updraft.context() and updraft.load(). `kind` says
what a round is:

- plain: all rounds are alike, and one action is taken for all variables. `X`, `baseline` and
  `affected` are not given.
- targeting: every round has a pool, `X` (individuals x features), and each individual gets a
  treatment or none. `baseline`: the expected payoff of each if not treated.
- contextual: every round has variables with features, `X` (variables x features), and one action is
  taken for all of them. `baseline`: the expected payoff of each if nothing is done. `affected`: per
  action, the variables that it affects in this round, as ids or as a mask of bools.

A round of a plain or contextual policy may allow only some actions: `allowed`, as ids or as a mask
of bools. pause() takes an action out of all rounds until resume(), retire() for ever.

`baseline` and `affected` are for the policies that need them. Rounds may differ in size. Several
decisions may be outstanding, and payoffs may come late, out of order or never. The same calls give
the same state, bit for bit. Pickling and copying keep everything, the seed included.)";

constexpr const char* kSelectDoc =
    R"(The action to take next; of a targeting policy, the treatment of each individual, 0 for none.

Short for decide(), without the probability. Learns nothing. With `allowed`, the choice is among
these actions only; what is paused or retired is never taken.)";

constexpr const char* kSelectBatchDoc =
    R"(An array of `count` actions to take at once; their payoffs come after the last of them.

Plain policies only. Policies that draw make independent draws. The others count the actions that
are ahead in the batch, and so spread over those that may be the best.)";

constexpr const char* kDecideBatchDoc = R"(A list of the decisions of select(count).)";

constexpr const char* kPauseDoc =
    R"(Takes an action out of all rounds until it is resumed.

The policy still learns from its payoffs. Raises ValueError if the action is retired, or the last
one that is active. A pickle keeps what is paused and retired; save() does not.)";

constexpr const char* kDecideDoc =
    R"(The choice of select() as a Decision: number, action or treatments, probability, revision.

probability is the propensity: the probability of the choice in the distribution from which the
policy drew it, and 1 if the policy does not draw. Of a targeting policy, it is the probability of
all treatments together. Keep it with the payoffs, and the decision can be evaluated off-policy
later.)";

constexpr const char* kUpdateDoc =
    R"(Learns from the payoffs of a round in which an action was taken, or treatments were given.

Plain policies take update(action, payoffs); the others take the features of the round first:
update(X, treatments, payoffs), with 0 for no treatment, or update(X, action, payoffs, affected).
The choice need not be the policy's own.

`payoffs` is one number per variable or individual (an array of float64 in C order is read in place;
other arrays of numbers or bools and lists are converted), or a tuple (indices, values) of those
that did not pay 0, or the total as one number for the policies that look at nothing else. Raises
ValueError, and learns nothing, if something does not fit.)";

constexpr const char* kExplainDoc = R"(What the policy estimates, as a dict of arrays.

One number per action: pulls and index (what select() compares). If the policy knows them for some
action, with NaN for the others:

- reward;
- uplift over doing nothing, with standard_error and interval (actions x 2). If every action
  affects some variable and the baseline is not known, nothing tells what that variable pays
  without any of them, and there is no uplift;
- difference: how much more reward the action brings than reference_action, with difference_error
  and difference_interval (actions x 2). It is known even if the uplift is not;
- probability_best: that the action is the best one, by a posterior whose prior is learnt from the
  estimates. Over many different problems about as many such claims are right as they say; on one
  problem they can be too sure or too cautious;
- weights (actions x atoms), active.

A plain policy adds radius, and probability: that of the distribution from which the next decide()
draws its action. A contextual policy adds chosen and reason. identified and padding are lists of
arrays of variables. reference_action, shrinkage and degrees_of_freedom are numbers.

A targeting policy has one number per individual: treatment (the best one), index (what individuals
are compared by), chosen and reason; payoff with that treatment and payoff_interval, uplift of that
treatment over none and interval, with NaN if not known. Nobody has an uplift if the policy does not
estimate the baseline (c2_ucb).

With features, an estimate is known if the features are a linear combination of features seen with
the action or treatment and, for an uplift, also without.)";

void bind_decision(py::module_& module) {
  py::class_<Decision>(module, "Decision", "What Policy.decide() decided.")
      .def_readonly("number", &Decision::number, "The decisions made before.")
      .def_property_readonly("action", &action, "Not of targeting policies.")
      .def_property_readonly("treatments", &treatments,
                             "Of targeting policies: the treatment of each individual, 0 for none.")
      .def_readonly("probability", &Decision::probability,
                    "Of the choice, in the distribution from which it was drawn.")
      .def_readonly("revision", &Decision::revision, "Of the policy's algorithm.")
      .def("__repr__", [](const Decision& decision) { return repr(decision); });
}

void bind_calls(py::class_<SeededPolicy>& type) {
  const auto in_round = [&type](const char* name, auto function, const char* doc) {
    type.def(name, function, py::arg("X") = py::none(), py::arg("baseline") = py::none(),
             py::arg("affected") = py::none(), py::arg("allowed") = py::none(), doc);
  };
  const auto several = [&type](const char* name, auto function, const char* doc) {
    type.def(name, function, py::arg("count"), py::kw_only(), py::arg("allowed") = py::none(), doc);
  };
  several("select", &select_batch, kSelectBatchDoc);
  several("decide", &decide_batch, kDecideBatchDoc);
  in_round("select", &select, kSelectDoc);
  in_round("decide", &decide, kDecideDoc);
  in_round("explain", &explain, kExplainDoc);
  type.def("pause", &set_status<ActionStatus::kPaused>, py::arg("action"), kPauseDoc)
      .def("resume", &set_status<ActionStatus::kActive>, py::arg("action"),
           "Allows an action again that was paused.")
      .def("retire", &set_status<ActionStatus::kRetired>, py::arg("action"),
           "Takes an action out of all rounds, for ever.");
  type.def("update", &update, py::arg("action"), py::arg("payoffs"), kUpdateDoc)
      .def("update", &update_in_round, py::arg("X"), py::arg("action"), py::arg("payoffs"),
           py::arg("affected") = py::none())
      .def(
          "update",
          [](SeededPolicy& self, py::handle features, py::handle given, py::handle payoffs) {
            update_in_round(self, features, given, payoffs, py::none());
          },
          py::arg("X"), py::arg("treatments"), py::arg("payoffs"));
}

void bind_properties(py::class_<SeededPolicy>& type) {
  const auto property = [&type](const char* name, auto get, const char* doc) {
    type.def_property_readonly(
        name, [get](const SeededPolicy& self) { return get(*self.policy); }, doc);
  };
  property(
      "kind", [](const Policy& policy) { return kind_name(policy.kind()); },
      "\"plain\", \"targeting\" or \"contextual\".");
  property(
      "spec", [](const Policy& policy) { return policy.spec().text(); },
      "The policy and its parameters, as text.");
  property(
      "decisions", [](const Policy& policy) { return policy.decisions(); },
      "Calls of select() and decide() so far.");
  property(
      "observations", [](const Policy& policy) { return policy.observations(); },
      "Rounds seen: calls of update() so far.");
  property(
      "knowledge", [](const Policy& policy) { return knowledge_dict(policy.knowledge()); },
      "What the policy knows and uses, as keywords of the function that makes it.");
  const auto sized = [&type](const char* name, const char* doc) {
    type.def_property_readonly(
        name, [name](const SeededPolicy& self) { return size(self, name); }, doc);
  };
  sized("actions", "The number of actions. Not of targeting policies.");
  sized("variables", "The number of variables, of plain policies.");
  sized("features", "The number of features of a row. Not of plain policies.");
  sized("treatments", "The number of treatments, of targeting policies. None is not counted.");
  sized("budget", "How many individuals may be treated in a round, of targeting policies.");
  type.def_property_readonly(
      "action_status", &action_status,
      "Per action \"active\", \"paused\" or \"retired\". Not of targeting policies.");
  type.def_property_readonly("pulls", &pulls, "Per action, the rounds seen.")
      .def_readonly("seed", &SeededPolicy::seed, "Where the policy's own draws come from.")
      .def_readonly("run", &SeededPolicy::run, "Draws of different runs are independent.");
}

py::tuple pickled(const SeededPolicy& self) {
  std::ostringstream out;
  save_policy(*self.policy, out);
  StateWriter roster;
  self.roster.write(roster);
  return py::make_tuple(py::bytes(out.str()), self.seed, self.run, py::bytes(roster.bytes()));
}

SeededPolicy unpickled(const py::tuple& state) {
  std::istringstream in(state[0].cast<std::string>());
  SeededPolicy self = seeded(load_policy(in), state[1], state[2]);
  if (state.size() > 3) {  // of earlier versions there are three
    const auto roster = state[3].cast<std::string>();
    StateReader reader(roster);
    self.roster.read(reader);
    reader.finish();
  }
  return self;
}

}  // namespace

void bind_policy(py::module_& module) {
  bind_decision(module);
  py::class_<SeededPolicy> type(module, "Policy", kPolicyDoc);
  type.def(py::init(&make), py::arg("spec"), py::arg("known"), py::arg("seed") = 1,
           py::arg("run") = 0)
      .def("__repr__", [](const SeededPolicy& self) { return repr(self); })
      .def(py::pickle(&pickled, &unpickled));
  bind_calls(type);
  bind_properties(type);
  bind_monitor(module, type);
  module.def(
      "save",
      [](const SeededPolicy& self, const std::filesystem::path& path) {
        save_policy(*self.policy, path);
      },
      py::arg("policy"), py::arg("path"));
  module.def(
      "load",
      [](const std::filesystem::path& path, py::handle seed, py::handle run) {
        return seeded(load_policy(path), seed, run);
      },
      py::arg("path"), py::arg("seed"), py::arg("run"));
}

}  // namespace updraft::python

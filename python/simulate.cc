#include "updraft/simulate.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <optional>
#include <stop_token>

#include "arrays.h"
#include "bindings.h"
#include "knowledge.h"
#include "own.h"
#include "updraft/context_environment.h"
#include "updraft/error.h"
#include "updraft/registry.h"

namespace updraft::python {
namespace {

/// Lets Python take part in a simulation that runs without the interpreter's lock: its signal
/// handlers, so Ctrl-C, and whoever is shown the progress. What they raise stops the simulation.
class Supervisor {
 public:
  explicit Supervisor(py::object progress) : progress_(std::move(progress)) {}

  std::stop_token token() const { return stop_.get_token(); }

  /// Called from the thread that simulates, without the lock.
  void attend(double share) {
    const py::gil_scoped_acquire lock;
    if (raised_) return;
    try {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      if (!progress_.is_none()) progress_(share);
    } catch (py::error_already_set& error) {
      raised_.emplace(std::move(error));
      stop_.request_stop();
    }
  }

  /// Raises what was raised. With the lock.
  void rethrow() {
    if (raised_) throw std::move(*raised_);
  }

 private:
  py::object progress_;
  std::stop_source stop_;
  std::optional<py::error_already_set> raised_;
};

std::uint32_t count(const py::dict& options, const char* name, WholeRange range) {
  return static_cast<std::uint32_t>(whole_number(name, options[name], range));
}

SimulationOptions options_from(const py::dict& options) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  SimulationOptions out;
  out.rounds = count(options, "rounds", {1, kMost});
  out.runs = count(options, "runs", {1, 1'000'000});
  out.batch = count(options, "batch", {1, kMost});
  out.curve_points = count(options, "curve_points", {1, 100'000});
  out.threads = count(options, "threads", {0, 1024});
  out.seed = whole_number("seed", options["seed"], {0, std::numeric_limits<std::uint64_t>::max()});
  if (!options["tell"].is_none()) {
    out.may_know = needs_named("tell", options["tell"].cast<std::vector<std::string>>());
  }
  return out;
}

struct Policies {
  std::vector<PolicySpec> specs;
  std::vector<std::string> warnings;
};

/// With what auto picks in its place: specs, or makers of a user's own.
Policies policies_from(const py::list& given, const Knowledge& knowledge) {
  Policies policies;
  for (const py::handle policy : given) {
    if (!py::isinstance<py::str>(policy)) {
      policies.specs.push_back(own_policy(policy));
      continue;
    }
    const auto spec = PolicySpec::parse(policy.cast<std::string>());
    const Pick pick = pick_policy(spec, knowledge);
    std::string warning = theorem_alpha_warning(spec, pick);
    if (!warning.empty()) policies.warnings.push_back(std::move(warning));
    policies.specs.push_back(pick.spec);
  }
  return policies;
}

/// A row per policy, of what `fields` gives for each.
template <typename Fields>
py::array_t<double> table(const SimulationResult& result, Fields fields) {
  const std::size_t width = fields(result.policies.front()).size();
  py::array_t<double> out({result.policies.size(), width});
  double* to = out.mutable_data();
  for (const PolicyResult& policy : result.policies) {
    const std::vector<double> row = fields(policy);
    to = std::copy(row.begin(), row.end(), to);
  }
  return out;
}

py::array_t<double> finals(const SimulationResult& result, double Summary::*field) {
  return table(result,
               [field](const PolicyResult& policy) {
                 return std::vector<double>{policy.final_regret.*field};
               })
      .attr("ravel")();
}

py::array_t<double> curves(const SimulationResult& result, double Summary::*field) {
  return table(result, [field](const PolicyResult& policy) {
    std::vector<double> row;
    for (const Summary& point : policy.curve) row.push_back(point.*field);
    return row;
  });
}

py::dict result_dict(const SimulationResult& result) {
  py::list specs;
  for (const PolicyResult& policy : result.policies) specs.append(policy.spec);
  const std::vector<std::uint32_t>& rounds = result.policies.front().curve_rounds;
  py::dict out;
  out["policy"] = py::array(specs);
  out["mean"] = finals(result, &Summary::mean);
  out["sd"] = finals(result, &Summary::sd);
  out["stderr"] = finals(result, &Summary::stderr_);
  out["p95"] = finals(result, &Summary::p95);
  out["runs"] = table(result, [](const PolicyResult& policy) { return policy.final_regrets; });
  out["pulls"] = table(result, [](const PolicyResult& policy) { return policy.pulls; });
  out["curve_round"] = integers_of(std::span<const std::uint32_t>(rounds));
  out["curve_mean"] = curves(result, &Summary::mean);
  out["curve_sd"] = curves(result, &Summary::sd);
  out["curve_stderr"] = curves(result, &Summary::stderr_);
  out["curve_p95"] = curves(result, &Summary::p95);
  out["warnings"] = result.warnings;
  return out;
}

/// `world`: an instance, contexts, or rounds of a user's own.
template <typename World>
py::dict play_on(const World& world, const Policies& policies, SimulationOptions options,
                 const py::object& progress) {
  Supervisor supervisor(progress);
  options.stop = supervisor.token();
  options.progress = [&supervisor](double share) { supervisor.attend(share); };
  SimulationResult result;
  try {
    const py::gil_scoped_release unlocked;
    result = simulate(world, policies.specs, options);
  } catch (const Cancelled&) {
    supervisor.rethrow();
    throw;
  }
  supervisor.rethrow();  // raised when all was done
  result.warnings.insert(result.warnings.begin(), policies.warnings.begin(),
                         policies.warnings.end());
  return result_dict(result);
}

py::dict play(const std::shared_ptr<const Instance>& instance, const py::list& policies,
              const py::dict& given, const py::object& progress) {
  const SimulationOptions options = options_from(given);
  const Knowledge knowledge = instance->knowledge(options.rounds, options.may_know);
  return play_on(instance, policies_from(policies, knowledge), options, progress);
}

/// On what `contexts` names.
py::dict play_contexts(const std::string& contexts, const py::list& policies, const py::dict& given,
                       const py::object& progress) {
  const std::optional<LinearContexts> found = find_contexts(contexts);
  if (!found) throw InvalidInput("instance", contexts, "must be a contextual bandit");
  const SimulationOptions options = options_from(given);
  Policies named;
  for (const py::handle policy : policies) {
    if (!py::isinstance<py::str>(policy)) {
      throw InvalidInput("policies", "a contextual bandit takes specs only");
    }
    named.specs.push_back(PolicySpec::parse(policy.cast<std::string>()));
  }
  return play_on(*found, named, options, progress);
}

py::dict play_own(const py::object& world, const py::list& policies, const py::dict& given,
                  const py::object& progress) {
  const SimulationOptions options = options_from(given);
  const OwnRounds rounds =
      own_rounds(world, knowledge_from(world.attr("knowledge")(options.rounds)), options.seed);
  Knowledge knowledge = rounds.knowledge;
  if (options.may_know) knowledge = knowledge.only(*options.may_know | Need::kObservations);
  return play_on(rounds, policies_from(policies, knowledge), options, progress);
}

}  // namespace

void bind_simulate(py::module_& module) {
  const auto simulated_on = [&module](auto function) {
    module.def("simulate", function, py::arg("world"), py::arg("policies"), py::arg("options"),
               py::arg("progress"));
  };
  simulated_on(&play);
  simulated_on(&play_contexts);
  simulated_on(&play_own);
  module.def(
      "names_contexts", [](const std::string& text) { return find_contexts(text).has_value(); },
      py::arg("text"));
}

}  // namespace updraft::python

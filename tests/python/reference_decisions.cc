// Decisions of the plain references on random cases, for tests in other languages.
//
//   reference_decisions POLICY CASES ROUNDS
//
// Prints one case per line, as JSON: the spec, what the policy knows or is made for, and per round
// what the reference saw, what it chose and what it observed. `allowed` are the actions with an
// index as large up to rounding; `ties` says whether there may well be several.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "reference/contextual_reference.h"
#include "reference/random_case.h"
#include "reference/random_contexts.h"
#include "reference/random_targeting.h"
#include "reference/reference_policy.h"
#include "reference/targeting_reference.h"
#include "updraft/registry.h"

namespace updraft::testing {
namespace {

using Json = nlohmann::json;

constexpr double kTolerance = 1e-9;  // relative to what indices are made of

std::vector<VariableId> ids(const VariableSet& set) {
  std::vector<VariableId> out;
  set.for_each([&out](VariableId id) { out.push_back(id); });
  return out;
}

Json known(const Knowledge& knowledge) {
  Json out = {{"actions", knowledge.actions()}, {"variables", knowledge.variables()}};
  if (knowledge.baseline() != nullptr) out["baseline"] = *knowledge.baseline();
  if (knowledge.affected()) {
    for (ActionId a = 0; a < knowledge.actions(); ++a) {
      out["affected"].push_back(ids(knowledge.affected()->of(a)));
    }
  }
  if (knowledge.max_affected_per_action() != nullptr) {
    out["max_affected"] = *knowledge.max_affected_per_action();
  } else if (knowledge.max_affected()) {
    out["max_affected"] = *knowledge.max_affected();
  }
  if (knowledge.min_uplift()) out["min_uplift"] = *knowledge.min_uplift();
  if (knowledge.effect_gap()) out["effect_gap"] = *knowledge.effect_gap();
  if (knowledge.horizon()) out["horizon"] = *knowledge.horizon();
  if (const auto prior = knowledge.reward_prior()) {
    out["reward_prior"] = {prior->mean, prior->variance};
  }
  if (const BaselineObservations* table = knowledge.observations()) {
    out["observations"] = {table->counts, table->means};
  }
  if (knowledge.segments() != nullptr) {
    for (VariableId i = 0; i < knowledge.variables(); ++i) {
      out["segments"].push_back(knowledge.segments()->group_of(i));
    }
  }
  return out;
}

/// The choice of the reference, and all others with an index as large up to rounding.
std::vector<ActionId> allowed(const ReferencePolicy& reference, const Stream& stream) {
  const ActionId choice = reference.choose(stream);
  const std::vector<double> indices = reference.indices(stream);
  if (!std::isfinite(indices[choice])) return {choice};
  double magnitude = 0.0;
  for (ActionId a = 0; a < indices.size(); ++a) {
    magnitude = std::max(magnitude, reference.magnitude(a));
  }
  std::vector<ActionId> out;
  for (ActionId a = 0; a < indices.size(); ++a) {
    if (indices[a] >= indices[choice] - kTolerance * magnitude) out.push_back(a);
  }
  return out;
}

Json plain_case(const std::string& policy, std::uint32_t number, std::uint32_t rounds) {
  const RandomCase random = random_case(policy, number);
  const Stream stream(number, number, Purpose::kPolicy);
  const auto reference = make_reference(random.spec, random.knowledge);
  const bool ties = random.kind == RandomCase::Payoffs::kDeterministic ||
                    random.kind == RandomCase::Payoffs::kLattice;
  Json out = {{"spec", random.spec.text()},
              {"known", known(random.knowledge)},
              {"ties", ties},
              {"seed", number}};
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const std::vector<ActionId> as_good = allowed(*reference, stream);
    const ActionId action = reference->select(stream);
    const std::vector<double> payoffs = random.payoffs(round, action);
    reference->observe(action, payoffs);
    out["rounds"].push_back({{"action", action}, {"allowed", as_good}, {"payoffs", payoffs}});
  }
  return out;
}

Json targeting_case(const std::string& policy, std::uint32_t number, std::uint32_t rounds) {
  const RandomTargeting random = random_targeting(policy, "linear", number);
  const Stream stream(number, number, Purpose::kPolicy);
  TargetingReference reference(random.spec, random.shape);
  Json out = {{"spec", random.spec.text()},
              {"features", random.shape.features},
              {"treatments", random.shape.treatments},
              {"budget", random.shape.budget},
              {"ties", random.ties},
              {"seed", number}};
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const MadeRound pool = random.pool(round);
    Matrix indices;
    for (const auto& individual : reference.estimates(pool.view())) {
      indices.emplace_back();
      for (const TreatmentEstimate& estimate : individual) indices.back().push_back(estimate.index);
    }
    const std::vector<Treatment> treated = reference.choose(indices, stream);
    reference.offer();
    const std::vector<double> payoffs = random.payoffs(round, pool, treated);
    reference.observe(pool.view(), treated, payoffs);
    out["rounds"].push_back({{"features", pool.features},
                             {"baseline", pool.baseline},
                             {"treated", treated},
                             {"payoffs", payoffs}});
  }
  return out;
}

Json contextual_case(const std::string& policy, std::uint32_t number, std::uint32_t rounds) {
  const bool total = policy == "lin_ucb";  // takes neither sets nor L
  const bool sets = !total && number % 2 == 0;
  const RandomContexts random = random_contexts(policy, sets || total, number);
  ContextReference reference(random.spec, random.shape);
  Json out = {{"spec", random.spec.text()},
              {"features", random.shape.features},
              {"actions", random.shape.actions},
              {"ties", random.ties},
              {"sets", sets}};
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const MadeRound context = random.context(round);
    const ActionId action = reference.choose(reference.action_estimates(context.view()));
    reference.offer(action);
    const std::vector<double> payoffs = random.payoffs(round, context, action);
    reference.observe(context.view(), action, payoffs);
    Json row = {{"features", context.features},
                {"baseline", context.baseline},
                {"action", action},
                {"payoffs", payoffs},
                {"affected", Json::array()}};
    for (const VariableSet& set : context.affected) row["affected"].push_back(ids(set));
    out["rounds"].push_back(row);
  }
  return out;
}

Json one_case(const std::string& policy, std::uint32_t number, std::uint32_t rounds) {
  switch (policy_info(policy).kind) {
    case PolicyKind::kTargeting:
      return targeting_case(policy, number, rounds);
    case PolicyKind::kContextual:
      return contextual_case(policy, number, rounds);
    default:
      return plain_case(policy, number, rounds);
  }
}

}  // namespace
}  // namespace updraft::testing

int main(int argc, char** argv) {
  try {
    if (argc != 4) throw std::invalid_argument("usage: reference_decisions POLICY CASES ROUNDS");
    const auto cases = static_cast<std::uint32_t>(std::stoul(argv[2]));
    const auto rounds = static_cast<std::uint32_t>(std::stoul(argv[3]));
    for (std::uint32_t number = 0; number < cases; ++number) {
      fmt::print("{}\n", updraft::testing::one_case(argv[1], number, rounds).dump());
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "reference_decisions: {}\n", error.what());
    return 2;
  }
}

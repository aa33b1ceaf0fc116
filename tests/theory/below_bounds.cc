#include "theory/below_bounds.h"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "updraft/registry.h"
#include "updraft/simulate.h"
#include "updraft/theory.h"

namespace updraft::testing {
namespace {

constexpr double kDelta = 0.05;

/// The policy that a bound is about, with the alpha that the bound is for.
PolicySpec spec_of(const BoundInfo& bound, const BoundInputs& in) {
  const auto policy = PolicySpec::parse(bound.name == "comb_ucb" ? "up_ucb" : bound.name);
  return alpha_scale(bound, in) > 1.0 ? policy.with("alpha", bound.alpha(in))
                                      : policy.with("delta", kDelta);
}

/// The same, told the L(a) of the inputs.
PolicySpec told_spec_of(const BoundInfo& bound, const BoundInputs& in) {
  const std::string spec = spec_of(bound, in).text();
  return PolicySpec::parse(fmt::format("{}, max_affected=[{}])", spec.substr(0, spec.size() - 1),
                                       fmt::join(in.max_affected, ", ")));
}

std::size_t expect_below(const std::shared_ptr<const Instance>& instance, const BoundInputs& in,
                         const std::vector<BoundInfo>& played,
                         const std::vector<PolicySpec>& specs) {
  const SimulationResult result = simulate(
      instance, specs, {.rounds = static_cast<std::uint32_t>(in.rounds), .runs = 20, .seed = 1});
  EXPECT_TRUE(result.warnings.empty());
  for (std::size_t p = 0; p < played.size(); ++p) {
    const std::vector<double>& regrets = result.policies[p].final_regrets;
    EXPECT_LE(*std::max_element(regrets.begin(), regrets.end()),
              played[p].evaluate(in) * (1.0 + 1e-12))  // some bounds are reached
        << result.policies[p].spec;
  }
  return played.size();
}

}  // namespace

std::size_t expect_below_bounds(const std::shared_ptr<const Instance>& instance,
                                std::uint32_t rounds) {
  const BoundInputs in = BoundInputs::of(*instance, rounds, kDelta);
  std::vector<BoundInfo> played;
  std::vector<PolicySpec> specs;
  for (const BoundInfo& bound : bounds()) {
    if (!bound.upper || !applies(bound, in)) continue;
    played.push_back(bound);
    specs.push_back(spec_of(bound, in));
  }
  return expect_below(instance, in, played, specs);
}

std::size_t expect_below_bounds(const std::shared_ptr<const Instance>& instance,
                                std::uint32_t rounds,
                                const std::vector<std::size_t>& max_affected) {
  BoundInputs in = BoundInputs::of(*instance, rounds, kDelta);
  in.set_max_affected(max_affected);
  std::vector<BoundInfo> played;
  std::vector<PolicySpec> specs;
  for (const BoundInfo& bound : bounds()) {
    const bool told = bound.upper && bound.name != "comb_ucb" &&
                      policy_info(bound.name).needs.contains(Need::kMaxAffected);
    if (!told || !applies(bound, in)) continue;
    played.push_back(bound);
    specs.push_back(told_spec_of(bound, in));
  }
  return expect_below(instance, in, played, specs);
}

std::shared_ptr<const Instance> one_dropped_at_once() {
  const auto moved = [](VariableId begin, VariableId end, double mean) {
    const std::array range = {VariableRange{begin, end}};
    return std::vector<Effect>{{VariableSet::from_ranges(range), {mean}}};
  };
  InstanceDefinition definition;
  definition.name = "one-dropped-at-once";
  definition.action_names = {"b", "a", "c"};
  definition.variables = {{10, 0.0}};
  definition.effects = {moved(8, 9, 1.0), moved(9, 10, 2.0), moved(0, 8, -20.0)};
  definition.noise = GaussianNoise{};
  return std::make_shared<const Instance>(definition);
}

}  // namespace updraft::testing

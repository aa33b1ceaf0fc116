// Whether probability_best is what it says: of the claims that an action is the best with a
// probability between 0.6 and 0.8, the share that is right. A posterior can be calibrated over
// instances that are drawn, not on one instance, whose best action never changes; so two families
// of instances are drawn, and the named ones shown for comparison.
//
//   calibration [RUNS [INSTANCE ...]]

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "updraft/environment.h"
#include "updraft/registry.h"

namespace updraft {
namespace {

constexpr std::size_t kBins = 5;
constexpr std::array<std::uint32_t, 2> kRoundsPerAction = {5, 20};

using MakeInstance = std::function<std::shared_ptr<const Instance>(std::uint32_t run)>;

VariableSet range_of(VariableId begin, VariableId end) {
  const std::array range = {VariableRange{begin, end}};
  return VariableSet::from_ranges(range);
}

/// 12 clusters of 500 customers with rates of 0.5 to 1.5 %; each of 8 actions multiplies the rate
/// of one of them by 0.5 to 3, uniform on the logarithm.
std::shared_ptr<const Instance> rare_clusters(std::uint32_t run) {
  const Stream stream(1, run, Purpose::kInstance);
  InstanceDefinition definition;
  definition.name = "rare clusters, drawn";
  for (std::uint32_t c = 0; c < 12; ++c) {
    definition.variables.push_back({500, 0.005 + 0.01 * stream.uniform(0, c)});
  }
  for (std::uint32_t a = 0; a < 8; ++a) {
    const double rate = definition.variables[a].baseline;
    const double factor = 0.5 * std::pow(6.0, stream.uniform(1, a));
    definition.action_names.push_back(fmt::format("action-{}", a));
    definition.effects.push_back({{range_of(500 * a, 500 * (a + 1)), {factor * rate}}});
  }
  definition.noise = BernoulliNoise{};
  return std::make_shared<const Instance>(definition);
}

/// 60 variables with normal noise of variance 1 and correlation 0.6; each of 6 actions moves 10 of
/// them, of which it shares 2 with the next, by one normal number of standard deviation 0.1.
std::shared_ptr<const Instance> correlated(std::uint32_t run) {
  const Stream stream(2, run, Purpose::kInstance);
  InstanceDefinition definition;
  definition.name = "correlated normal noise, drawn";
  definition.variables.push_back({60, 0.0});
  for (std::uint32_t a = 0; a < 6; ++a) {
    definition.action_names.push_back(fmt::format("action-{}", a));
    definition.effects.push_back({{range_of(8 * a, 8 * a + 10), {0.1 * stream.normal(0, a)}}});
  }
  GaussianNoise noise;
  noise.covariance = GaussianNoise::Covariance::kFactor;
  noise.factor = 0.6;
  definition.noise = noise;
  return std::make_shared<const Instance>(definition);
}

/// Claims that an action is the best, by the probability claimed.
struct Claims {
  std::array<std::uint32_t, kBins> made{};
  std::array<std::uint32_t, kBins> right{};
};

Claims claims(const MakeInstance& make, const std::string& spec, bool rotation,
              std::uint32_t rounds_per_action, std::uint32_t runs) {
  Claims result;
  for (std::uint32_t run = 0; run < runs; ++run) {
    const auto instance = make(run);
    const auto actions = static_cast<std::uint32_t>(instance->actions());
    const std::uint32_t rounds = rounds_per_action * actions;
    const auto policy = make_policy(spec, instance->knowledge(rounds));
    Environment environment(prepare_payoffs(instance), 1, run);
    const Stream stream(1, run, Purpose::kPolicy);
    for (std::uint32_t round = 0; round < rounds; ++round) {
      const ActionId action = rotation ? round % actions : policy->select(stream);
      policy->observe(action, environment.draw(round, action, policy->resolution()));
    }
    const Explanation explanation = policy->explain();
    for (ActionId a = 0; a < actions; ++a) {
      const double claimed = *explanation.actions[a].probability_best;
      const auto bin = static_cast<std::size_t>(claimed * kBins);
      ++result.made[std::min(bin, kBins - 1)];
      if (a == instance->best_action()) ++result.right[std::min(bin, kBins - 1)];
    }
  }
  return result;
}

void print(const MakeInstance& make, std::uint32_t runs) {
  fmt::print("{}, {} runs: share of claims that are right (of how many), by probability claimed\n",
             make(0)->name(), runs);
  fmt::print("{:<9} {:>9} {:>6}", "policy", "design", "rounds");
  for (std::size_t bin = 0; bin < kBins; ++bin) {
    fmt::print(" {:>15}", fmt::format("{:.1f} to {:.1f}", 0.2 * static_cast<double>(bin),
                                      0.2 * static_cast<double>(bin + 1)));
  }
  fmt::print("\n");
  for (const char* spec : {"up_ts_bl", "up_ts"}) {
    for (const bool rotation : {true, false}) {
      for (const std::uint32_t rounds : kRoundsPerAction) {
        const Claims made = claims(make, spec, rotation, rounds, runs);
        fmt::print("{:<9} {:>9} {:>6}", spec, rotation ? "rotation" : "adaptive", rounds);
        for (std::size_t bin = 0; bin < kBins; ++bin) {
          const double share = made.made[bin] == 0 ? 0.0 : 1.0 * made.right[bin] / made.made[bin];
          fmt::print(" {:>15}", fmt::format("{:.3f} ({})", share, made.made[bin]));
        }
        fmt::print("\n");
      }
    }
  }
}

}  // namespace
}  // namespace updraft

int main(int count, char** arguments) {
  const int runs = count > 1 ? std::atoi(arguments[1]) : 1000;
  if (runs < 1) {
    fmt::print(stderr, "calibration: RUNS = {}: must be at least 1\n", arguments[1]);
    return 2;
  }
  try {
    if (count < 3) {
      updraft::print(updraft::rare_clusters, static_cast<std::uint32_t>(runs));
      updraft::print(updraft::correlated, static_cast<std::uint32_t>(runs));
    }
    for (int i = 2; i < count; ++i) {
      const auto instance = updraft::load_instance(arguments[i]);
      updraft::print([&](std::uint32_t) { return instance; }, static_cast<std::uint32_t>(runs));
    }
  } catch (const std::exception& refused) {
    fmt::print(stderr, "calibration: {}\n", refused.what());
    return 2;
  }
}

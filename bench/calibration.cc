// Whether probability_best is what it says: of the claims that an action is the best with a
// probability between 0.6 and 0.8, the share that is right. A posterior can be calibrated over
// instances that are drawn, not on one instance, whose best action never changes; so two families
// of instances are drawn, and the named ones shown for comparison. Of the second family it also
// shows where a claim for the best action that is too small comes from.
//
//   calibration [RUNS [INSTANCE ...]]     INSTANCE may be `drawn`: the families alone

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "updraft/instance_environment.h"
#include "updraft/registry.h"

namespace updraft {
namespace {

constexpr std::size_t kBins = 5;
constexpr std::array<const char*, 2> kSpecs = {"up_ts_bl", "up_ts"};
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
/// them, of which it shares 2 with the next, by one normal number of standard deviation `effect`.
std::shared_ptr<const Instance> correlated(std::uint32_t run, double effect = 0.1) {
  const Stream stream(2, run, Purpose::kInstance);
  InstanceDefinition definition;
  definition.name = "correlated normal noise, drawn";
  definition.variables.push_back({60, 0.0});
  for (std::uint32_t a = 0; a < 6; ++a) {
    definition.action_names.push_back(fmt::format("action-{}", a));
    definition.effects.push_back({{range_of(8 * a, 8 * a + 10), {effect * stream.normal(0, a)}}});
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

  void add(const Claims& others) {
    for (std::size_t bin = 0; bin < kBins; ++bin) {
      made[bin] += others.made[bin];
      right[bin] += others.right[bin];
    }
  }
};

Claims claims(const MakeInstance& make, const std::string& spec, bool rotation,
              std::uint32_t rounds_per_action, std::uint32_t runs) {
  Claims result;
  for (std::uint32_t run = 0; run < runs; ++run) {
    const auto instance = make(run);
    const auto actions = static_cast<std::uint32_t>(instance->actions());
    const std::uint32_t rounds = rounds_per_action * actions;
    const auto policy = make_policy(spec, instance->knowledge(rounds));
    InstanceEnvironment environment(prepare_payoffs(instance), 1, run);
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

void print_heading() {
  fmt::print("{:<9} {:>9} {:>6}", "policy", "design", "rounds");
  for (std::size_t bin = 0; bin < kBins; ++bin) {
    fmt::print(" {:>15}", fmt::format("{:.1f} to {:.1f}", 0.2 * static_cast<double>(bin),
                                      0.2 * static_cast<double>(bin + 1)));
  }
  fmt::print("\n");
}

void print_row(const std::string& spec, const std::string& design, const std::string& rounds,
               const Claims& claims) {
  fmt::print("{:<9} {:>9} {:>6}", spec, design, rounds);
  for (std::size_t bin = 0; bin < kBins; ++bin) {
    const double share = claims.made[bin] == 0 ? 0.0 : 1.0 * claims.right[bin] / claims.made[bin];
    fmt::print(" {:>15}", fmt::format("{:.3f} ({})", share, claims.made[bin]));
  }
  fmt::print("\n");
}

/// The claims of each policy, of all designs together.
using ClaimsOfSpecs = std::array<Claims, kSpecs.size()>;

ClaimsOfSpecs print(const MakeInstance& make, std::uint32_t runs) {
  fmt::print("{}, {} runs: share of claims that are right (of how many), by probability claimed\n",
             make(0)->name(), runs);
  print_heading();
  ClaimsOfSpecs all;
  for (std::size_t s = 0; s < kSpecs.size(); ++s) {
    for (const bool rotation : {true, false}) {
      for (const std::uint32_t rounds : kRoundsPerAction) {
        const Claims made = claims(make, kSpecs[s], rotation, rounds, runs);
        print_row(kSpecs[s], rotation ? "rotation" : "adaptive", std::to_string(rounds), made);
        all[s].add(made);
      }
    }
  }
  return all;
}

/// Both families, all rows.
void print_drawn(std::uint32_t runs) {
  ClaimsOfSpecs all = print(rare_clusters, runs);
  const ClaimsOfSpecs normal = print([](std::uint32_t run) { return correlated(run); }, runs);
  fmt::print("both families together: share of claims that are right (of how many)\n");
  print_heading();
  for (std::size_t s = 0; s < kSpecs.size(); ++s) {
    all[s].add(normal[s]);
    print_row(kSpecs[s], "all", "all", all[s]);
  }
}

/// What claims are made of, over the runs of the second family in rotation.
struct Estimates {
  std::vector<double> truth, estimate, claimed_variance, claim;  ///< per run and action
  double held = 0.0;  ///< share of the 95 % intervals that hold the truth
};

/// f of docs/policies/up_ts.md, for the 12 atoms of the second family.
double inflation(const Explanation& explanation) {
  const auto dof = static_cast<double>(*explanation.degrees_of_freedom);
  const double atoms = (1.0 - *explanation.shrinkage) * 12.0;
  return std::max(1.0, dof / std::max(dof - atoms - 1.0, dof / 4.0));
}

Estimates estimates(double effect, std::uint32_t rounds_per_action, std::uint32_t runs) {
  Estimates seen;
  for (std::uint32_t run = 0; run < runs; ++run) {
    const auto instance = correlated(run, effect);
    const auto actions = static_cast<std::uint32_t>(instance->actions());
    const std::uint32_t rounds = rounds_per_action * actions;
    const auto policy = make_policy("up_ts_bl", instance->knowledge(rounds));
    InstanceEnvironment environment(prepare_payoffs(instance), 1, run);
    for (std::uint32_t round = 0; round < rounds; ++round) {
      const ActionId action = round % actions;
      policy->observe(action, environment.draw(round, action, policy->resolution()));
    }
    const Explanation explanation = policy->explain();
    for (ActionId a = 0; a < actions; ++a) {
      const ActionExplanation& about = explanation.actions[a];
      seen.truth.push_back(instance->uplifts()[a]);
      seen.estimate.push_back(*about.uplift);
      seen.claimed_variance.push_back(inflation(explanation) * *about.standard_error *
                                      *about.standard_error);
      seen.claim.push_back(*about.probability_best);
      seen.held +=
          about.interval->low <= seen.truth.back() && seen.truth.back() <= about.interval->high;
    }
  }
  seen.held /= static_cast<double>(seen.truth.size());
  return seen;
}

/// The claims under a normal prior with mean 0 and variance `prior`, if `share` of the claimed
/// variances is the true one.
std::vector<double> claims_by(double prior, double share, const Estimates& seen,
                              std::size_t actions) {
  constexpr std::uint32_t kDraws = 4096;
  std::vector<double> claims(seen.estimate.size(), 0.0);
  for (std::size_t first = 0; first < claims.size(); first += actions) {
    const Stream stream(3, static_cast<std::uint32_t>(first), Purpose::kPolicy);
    for (std::uint32_t draw = 0; draw < kDraws; ++draw) {
      std::size_t best = first;
      double most = -HUGE_VAL;
      for (std::size_t i = first; i < first + actions; ++i) {
        const double variance = share * seen.claimed_variance[i];
        const double kept = prior / (prior + variance);
        const double value =
            kept * seen.estimate[i] +
            std::sqrt(kept * variance) * stream.normal(draw, static_cast<std::uint32_t>(i - first));
        if (value > most) {
          most = value;
          best = i;
        }
      }
      claims[best] += 1.0 / kDraws;
    }
  }
  return claims;
}

/// Claims p(a) that are right have, for the action that is the best, the mean of the sum of p(a)^2.
/// By how much it is more, with its standard error: > 0 if claims are too cautious.
std::string caution(const Estimates& seen, const std::vector<double>& claims, std::size_t actions) {
  const auto runs = static_cast<double>(claims.size() / actions);
  double sum = 0.0;
  double squares = 0.0;
  for (std::size_t first = 0; first < claims.size(); first += actions) {
    const auto begin = seen.truth.begin() + static_cast<std::ptrdiff_t>(first);
    const auto best = std::max_element(begin, begin + static_cast<std::ptrdiff_t>(actions));
    double more = claims[static_cast<std::size_t>(best - seen.truth.begin())];
    for (std::size_t i = first; i < first + actions; ++i) more -= claims[i] * claims[i];
    sum += more;
    squares += more * more;
  }
  const double mean = sum / runs;
  return fmt::format("{:.4f} ± {:.4f}", mean, std::sqrt((squares / runs - mean * mean) / runs));
}

void print_causes(double effect, std::uint32_t rounds, std::uint32_t runs) {
  constexpr std::size_t kActions = 6;
  const double prior = 100.0 * effect * effect;  // of the sum over 10 variables
  const Estimates seen = estimates(effect, rounds, runs);
  double error = 0.0;
  double claimed = 0.0;
  for (std::size_t i = 0; i < seen.truth.size(); ++i) {
    error += (seen.estimate[i] - seen.truth[i]) * (seen.estimate[i] - seen.truth[i]);
    claimed += seen.claimed_variance[i];
  }
  const auto count = static_cast<double>(seen.truth.size());
  const auto by_prior = [&](double share) {
    return caution(seen, claims_by(prior, share, seen, kActions), kActions);
  };
  fmt::print("{:>6} {:>8.2f} {:>13.3f} {:>8.3f} {:>7.1f} % {:>17} {:>17} {:>21}\n", rounds,
             10.0 * effect, error / count, claimed / count, 100.0 * seen.held,
             caution(seen, seen.claim, kActions), by_prior(1.0), by_prior(error / claimed));
}

void print_causes(std::uint32_t runs) {
  fmt::print(
      "up_ts_bl, rotation, correlated normal noise, drawn, {} runs: by how much the claim "
      "for the best action is too small\n"
      "{:>6} {:>8} {:>13} {:>8} {:>9} {:>17} {:>17} {:>21}\n",
      runs, "rounds", "uplifts", "squared error", "claimed", "held", "caution", "by the true prior",
      "and by the true error");
  for (const std::uint32_t rounds : kRoundsPerAction) print_causes(0.1, rounds, runs);
  for (const double effect : {0.01, 0.03, 0.06, 0.12}) print_causes(effect, 60, runs);
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
      updraft::print_drawn(static_cast<std::uint32_t>(runs));
      updraft::print_causes(static_cast<std::uint32_t>(runs));
    }
    for (int i = 2; i < count; ++i) {
      if (std::string_view(arguments[i]) == "drawn") {
        updraft::print_drawn(static_cast<std::uint32_t>(runs));
        continue;
      }
      const auto instance = updraft::load_instance(arguments[i]);
      updraft::print([&](std::uint32_t) { return instance; }, static_cast<std::uint32_t>(runs));
      fmt::print("one instance: its best action never changes, so no posterior promises this\n");
    }
  } catch (const std::exception& refused) {
    fmt::print(stderr, "calibration: {}\n", refused.what());
    return 2;
  }
}

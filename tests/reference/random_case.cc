#include "reference/random_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "support/draws.h"
#include "support/knowledge.h"
#include "updraft/error.h"
#include "updraft/partition.h"
#include "updraft/variable_set.h"

namespace updraft::testing {

namespace {

constexpr std::uint64_t kSeed = 20221128;

using Membership = std::vector<std::vector<bool>>;  // [action][variable]

Membership random_affected(std::size_t actions, std::size_t variables, Draws& draws) {
  Membership affected(actions, std::vector<bool>(variables, false));
  const double density = draws.chance(0.5) ? draws.uniform(0.05, 0.3) : draws.uniform(0.3, 0.9);
  for (std::size_t a = 0; a < actions; ++a) {
    const double kind = draws.uniform(0.0, 1.0);
    const std::size_t begin = draws.integer(0, variables - 1);
    const std::size_t end = draws.integer(begin + 1, variables);
    for (std::size_t i = 0; i < variables; ++i) {
      if (kind < 0.1) continue;  // affects nothing
      if (kind < 0.2) {
        affected[a][i] = true;
      } else if (kind < 0.3 && a > 0) {
        affected[a][i] = affected[a - 1][i];
      } else if (kind < 0.5) {
        affected[a][i] = begin <= i && i < end;
      } else {
        affected[a][i] = draws.chance(density);
      }
    }
  }
  if (draws.chance(0.3)) {  // variables that every action affects
    for (std::size_t i = 0; i < variables; ++i) {
      if (!draws.chance(0.3)) continue;
      for (std::size_t a = 0; a < actions; ++a) affected[a][i] = true;
    }
  }
  return affected;
}

std::vector<VariableSet> as_sets(const Membership& affected) {
  std::vector<VariableSet> sets;
  for (const std::vector<bool>& of_action : affected) {
    std::vector<VariableId> ids;
    for (VariableId i = 0; i < of_action.size(); ++i) {
      if (of_action[i]) ids.push_back(i);
    }
    sets.push_back(VariableSet::from_ids(ids));
  }
  return sets;
}

struct Truth {
  RandomCase::Payoffs kind = RandomCase::Payoffs::kGaussian;
  Membership affected;
  std::vector<double> baseline;
  std::vector<std::vector<double>> means;
  double min_uplift = 0.0;
};

Truth random_truth(std::size_t actions, std::size_t variables, Draws& draws) {
  Truth truth;
  const double kind = draws.uniform(0.0, 1.0);
  truth.kind = kind < 0.55   ? RandomCase::Payoffs::kGaussian
               : kind < 0.85 ? RandomCase::Payoffs::kBernoulli
               : kind < 0.9  ? RandomCase::Payoffs::kDeterministic
                             : RandomCase::Payoffs::kLattice;
  const bool bernoulli = truth.kind == RandomCase::Payoffs::kBernoulli;
  const bool lattice = truth.kind == RandomCase::Payoffs::kLattice;
  truth.affected = random_affected(actions, variables, draws);
  const bool some_never_pay = draws.chance(0.2);
  for (std::size_t i = 0; i < variables; ++i) {
    truth.baseline.push_back(bernoulli ? draws.uniform(0.05, 0.6)
                             : lattice ? draws.stepped(-1.0, 0.25, 9)
                                       : draws.uniform(-1.0, 1.0));
    if (some_never_pay && draws.chance(0.5)) truth.baseline[i] = 0.0;
  }
  const bool no_effects = draws.chance(0.1);
  const bool copies = draws.chance(0.15);
  const double least = bernoulli ? draws.uniform(0.05, 0.3)
                       : lattice ? std::exp2(draws.stepped(-1.0, 1.0, 3))
                                 : draws.log_uniform(0.2, 3.0);
  truth.means.assign(actions, truth.baseline);
  for (std::size_t a = 0; a < actions; ++a) {
    for (std::size_t i = 0; i < variables; ++i) {
      const double size = least * (lattice ? draws.stepped(0.5, 0.5, 4) : draws.uniform(1.0, 2.0));
      const double effect = draws.chance(0.6) ? size : -size;
      if (truth.affected[a][i] && !no_effects) truth.means[a][i] += effect;
      if (bernoulli) truth.means[a][i] = std::clamp(truth.means[a][i], 0.0, 1.0);
    }
    if (copies && a > 0 && truth.affected[a] == truth.affected[a - 1]) {
      truth.means[a] = truth.means[a - 1];
    }
  }
  truth.min_uplift = least;
  return truth;
}

Knowledge random_knowledge(const Truth& truth, Draws& draws) {
  const std::size_t variables = truth.baseline.size();
  Knowledge knowledge(truth.means.size(), variables);
  knowledge.set_baseline(truth.baseline);
  const std::vector<VariableSet> sets = as_sets(truth.affected);
  std::size_t largest = 1;
  for (const VariableSet& set : sets) largest = std::max(largest, set.size());
  knowledge.set_affected(sets);
  const double which = draws.uniform(0.0, 1.0);
  knowledge.set_max_affected(which < 0.5   ? largest
                             : which < 0.7 ? variables
                                           : draws.integer(1, variables));
  const double factors[] = {1.0, 1.0, 0.5, 2.0};
  const double delta = truth.min_uplift * factors[draws.integer(0, 3)];
  knowledge.set_min_uplift(delta);
  knowledge.set_effect_gap(1.25 * delta);  // another number: taking one for the other shows
  knowledge.set_horizon(300);
  knowledge.set_reward_prior({draws.uniform(-2.0, 2.0), draws.log_uniform(0.1, 10.0)});
  BaselineObservations observations;
  for (const double mean : truth.baseline) {
    observations.counts.push_back(static_cast<double>(draws.integer(1, 1000)));
    observations.means.push_back(mean + draws.uniform(-0.1, 0.1));
  }
  knowledge.set_observations(observations);
  return knowledge;
}

bool learns_sparse_effects(std::string_view policy) {
  return policy == "up_ts_sparse" || policy == "up_ts_sparse_bl";
}

bool uses_max_affected(std::string_view policy) {
  return policy == "up_ucb_l" || policy == "up_ucb_l_bl" || policy == "up_ucb_l_ilift_bl" ||
         policy == "up_ucb_pad_bl";
}

/// One bound per action, 0 at times, not all 0.
std::vector<std::size_t> random_bounds(std::size_t actions, std::size_t variables, Draws& draws) {
  std::vector<std::size_t> bounds;
  for (std::size_t a = 0; a < actions; ++a) bounds.push_back(draws.integer(0, variables));
  bounds[draws.integer(0, actions - 1)] = draws.integer(1, variables);
  return bounds;
}

std::string random_spec(std::string_view policy, const Truth& truth, Draws& draws) {
  const std::size_t variables = truth.baseline.size();
  const bool lattice = truth.kind == RandomCase::Payoffs::kLattice;
  std::string parameters;
  const auto add = [&](std::string_view name, const std::string& value) {
    parameters += (parameters.empty() ? "" : ", ") + std::string(name) + "=" + value;
  };
  const bool through_delta = draws.chance(0.2) && !lattice;
  const double alpha =
      lattice ? std::exp2(draws.stepped(-5.0, 2.0, 4)) : draws.log_uniform(1e-4, 10.0);
  const double delta = draws.uniform(0.01, 0.5);
  const bool own_horizon = draws.chance(0.5);
  const bool own_parameters = draws.chance(0.4);
  if (policy_info(policy).traits.learns_noise) {
    if (draws.chance(0.6)) {
      add("refit", draws.chance(0.4) ? "0" : number_text(draws.log_uniform(0.005, 1.0)));
    }
    if (draws.chance(0.4)) add("covariance", draws.chance(0.5) ? "diagonal" : "learned");
    if (policy == "up_ucb_cv" && draws.chance(0.5)) add("radius", "whole");
  } else if (learns_sparse_effects(policy)) {
    if (draws.chance(0.5)) add("units", draws.chance(0.2) ? "1" : "5");
  } else if (policy == "ts") {
    const bool told = draws.chance(0.5);
    if (told) add("sigma2", number_text(alpha));
    if (told && own_parameters) {
      add("prior_mean", number_text(draws.uniform(-2.0, 2.0)));
      add("prior_variance", number_text(draws.log_uniform(0.1, 10.0)));
    }
  } else if (through_delta) {
    add("delta", number_text(delta));
    if (own_horizon) add("horizon", "1000");
  } else {
    add("alpha", number_text(alpha));
  }
  if (uses_max_affected(policy) && own_parameters) {
    if (draws.chance(0.4)) {
      std::vector<std::string> bounds;
      for (const std::size_t bound : random_bounds(truth.means.size(), variables, draws)) {
        bounds.push_back(std::to_string(bound));
      }
      add("max_affected", fmt::format("[{}]", fmt::join(bounds, ", ")));
    } else {
      add("max_affected", number_text(static_cast<double>(draws.integer(1, variables))));
    }
  }
  const bool uses_delta =
      policy.find("ilift") != std::string_view::npos || policy == "up_ucb_explore_bl";
  if (uses_delta && own_parameters) {
    const std::string distance =
        number_text(lattice ? std::exp2(draws.stepped(-1.0, 1.0, 3)) : draws.log_uniform(0.1, 3.0));
    add(policy == "up_ucb_ilift" ? "effect_gap" : "min_uplift", distance);
  }
  if (policy == "up_ucb" && draws.chance(0.7)) {
    add("baseline_bound", draws.chance(0.7) ? "lcb" : "ucb");
  }
  if (policy == "up_ucb_ilift" && draws.chance(0.4)) add("baseline_estimate", "aggregated");
  return std::string(policy) + "(" + parameters + ")";
}

/// Up to six segments, numbered in order of their first variables.
Partition random_segments(std::size_t variables, Draws& draws) {
  const std::size_t most = draws.integer(1, 6);
  const bool runs = draws.chance(0.5);
  std::vector<std::size_t> labels;
  for (std::size_t i = 0; i < variables; ++i) {
    labels.push_back(runs ? i * most / variables : draws.integer(0, most - 1));
  }
  std::vector<std::size_t> seen;
  std::vector<GroupId> groups;
  for (const std::size_t label : labels) {
    const auto place = std::find(seen.begin(), seen.end(), label);
    groups.push_back(static_cast<GroupId>(place - seen.begin()));
    if (place == seen.end()) seen.push_back(label);
  }
  return Partition::of_groups(groups);
}

/// For half of the cases, noise that depends on the action, or counts other than 0 and 1.
void vary_noise(RandomCase& random, Draws& draws) {
  if (draws.chance(0.5)) return;
  for (double& factor : random.spread) factor = draws.chance(0.5) ? draws.uniform(1.0, 4.0) : 1.0;
  if (random.kind != RandomCase::Payoffs::kBernoulli) return;
  const double units[] = {1.0, 0.125, 3.0, 12.0};
  random.trials = draws.integer(1, 5);
  random.unit = units[draws.integer(0, 3)];
  std::vector<double> baseline = *random.knowledge.baseline();
  for (double& mean : baseline) mean *= random.unit * static_cast<double>(random.trials);
  random.knowledge.set_baseline(baseline);
}

}  // namespace

std::vector<double> RandomCase::payoffs(std::uint32_t round, std::uint32_t action) const {
  std::vector<double> values = means[action];
  const std::uint64_t variables = values.size();
  for (std::uint64_t i = 0; i < variables; ++i) {
    if (kind == Payoffs::kBernoulli) {
      double successes = 0.0;
      for (std::uint64_t trial = 0; trial < trials; ++trial) {
        const std::uint64_t place = trial * (variables + 2) + i;  // the delay is at variables + 1
        if (stream.uniform(round + 1, place) < values[i]) successes += 1.0;
      }
      values[i] = unit * successes;
    } else if (kind == Payoffs::kGaussian) {
      values[i] += noise * spread[action] * stream.normal(round + 1, i) +
                   common_noise * stream.normal(round + 1, variables);
    }
  }
  return values;
}

std::uint32_t RandomCase::delay(std::uint32_t round, std::uint32_t longest) const {
  const double u = stream.uniform(round + 1, knowledge.variables() + 1);
  return static_cast<std::uint32_t>(u * (longest + 1));
}

RandomCase random_case(std::string_view policy, std::uint32_t number) {
  const Stream stream(kSeed, number, Purpose::kTest);
  Draws draws(stream);
  const std::size_t actions = draws.integer(2, 8);
  const std::size_t variables = draws.chance(0.3) ? draws.integer(1, 4) : draws.integer(5, 40);
  const Truth truth = random_truth(actions, variables, draws);
  const double noise = draws.chance(0.5) ? 1.0 : draws.uniform(0.05, 0.5);
  const double common_noise = draws.chance(0.5) ? draws.uniform(0.1, 1.0) : 0.0;
  Knowledge knowledge = random_knowledge(truth, draws);
  const PolicySpec spec = PolicySpec::parse(random_spec(policy, truth, draws));
  if (uses_max_affected(policy) && draws.chance(0.4)) {
    knowledge.set_max_affected(random_bounds(actions, variables, draws));
  }
  RandomCase result{.knowledge = knowledge,
                    .spec = spec,
                    .kind = truth.kind,
                    .means = truth.means,
                    .noise = noise,
                    .common_noise = common_noise,
                    .spread = std::vector<double>(actions, 1.0),
                    .stream = stream};
  const bool sparse = learns_sparse_effects(policy);
  if (policy_info(policy).traits.learns_noise || sparse) vary_noise(result, draws);
  if (sparse && draws.chance(0.4)) {
    result.knowledge.set_segments(random_segments(variables, draws));
  }
  return result;
}

}  // namespace updraft::testing

#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "support/rounds.h"
#include "updraft/stream.h"

namespace updraft::testing {

// Small examples for policies that are given rounds, one for each of their kinds: 3 features, no
// row longer than 1.

/// 2 treatments, 4 of 15 individuals may be treated.
inline constexpr TargetingShape kExampleShape{.features = 3, .treatments = 2, .budget = 4};
inline constexpr std::size_t kExamplePool = 15;

/// 3 actions on 10 variables.
inline constexpr ContextualShape kExampleContextualShape{.features = 3, .actions = 3};
inline constexpr std::size_t kExampleVariables = 10;

/// Policies may draw from it.
inline const Stream kExampleStream(13, 0, Purpose::kPolicy);

/// `size` rows of features, no baseline, nothing affected.
inline MadeRound example_rows(std::uint64_t seed, std::uint32_t round, std::size_t size) {
  MadeRound made;
  made.width = 3;
  made.features.resize(size * made.width);
  Stream(seed, 0, Purpose::kTest).uniforms(round, 0, made.features);
  for (double& x : made.features) x = 1.1 * x - 0.55;  // sqrt(3) 0.55 < 1
  return made;
}

inline MadeRound example_pool(std::uint32_t round, std::size_t size = kExamplePool) {
  MadeRound pool = example_rows(11, round, size);
  pool.baseline.resize(size);
  Stream(11, 0, Purpose::kTest).uniforms(round, 1000, pool.baseline);
  return pool;
}

inline MadeRound example_context(std::uint32_t round, std::size_t size = kExampleVariables) {
  MadeRound context = example_rows(21, round, size);
  for (std::size_t i = 0; i < size; ++i) context.baseline.push_back(0.8 * context.features[3 * i]);
  for (std::size_t a = 0; a < kExampleContextualShape.actions; ++a) {
    std::vector<VariableId> ids;  // action 0: round, round + 3, ...; 1: one later; 2: two later
    for (VariableId i = 0; i < size; ++i) {
      if ((i + a + round) % 3 == 0) ids.push_back(i);
    }
    context.affected.push_back(VariableSet::from_ids(ids));
  }
  return context;
}

/// 0 or 1, which any model takes.
inline std::vector<double> example_payoffs(std::uint32_t round, const MadeRound& pool,
                                           std::span<const Treatment> treated) {
  const Stream stream(12, 0, Purpose::kTest);
  std::vector<double> payoffs;
  for (std::size_t i = 0; i < treated.size(); ++i) {
    const double rate = 0.4 + 0.3 * pool.features[i * pool.width] +
                        0.4 * static_cast<double>(treated[i]) * pool.features[i * pool.width + 1];
    payoffs.push_back(stream.uniform(round, i) < rate ? 1.0 : 0.0);
  }
  return payoffs;
}

inline std::vector<double> example_payoffs(std::uint32_t round, const MadeRound& context,
                                           ActionId action) {
  const Stream stream(22, 0, Purpose::kTest);
  std::vector<double> payoffs = context.baseline;
  for (std::size_t i = 0; i < payoffs.size(); ++i) {
    if (context.affected[action].contains(static_cast<VariableId>(i))) {
      payoffs[i] += (static_cast<double>(action) - 0.7) * context.features[3 * i + 1];
    }
    payoffs[i] += 0.2 * stream.normal(round, i);
  }
  return payoffs;
}

/// The example of a policy's kind: its rounds, and what they pay.
inline MadeRound example_round(PolicyKind kind, std::uint32_t round) {
  return kind == PolicyKind::kTargeting ? example_pool(round) : example_context(round);
}

inline std::vector<double> example_payoffs(PolicyKind kind, std::uint32_t round,
                                           const MadeRound& made, const Decision& decision) {
  return kind == PolicyKind::kTargeting ? example_payoffs(round, made, decision.treatments)
                                        : example_payoffs(round, made, decision.action);
}

/// A policy for the example of its kind.
inline std::unique_ptr<Policy> make_for_example(const std::string& spec) {
  return policy_info(PolicySpec::parse(spec).name()).kind == PolicyKind::kTargeting
             ? make_targeting(spec, kExampleShape)
             : make_contextual(spec, kExampleContextualShape);
}

/// Rounds first..last - 1 of the example, each with its feedback; returns the decisions.
inline std::vector<Decision> play_example(Policy& policy, std::uint32_t first, std::uint32_t last) {
  std::vector<Decision> decisions;
  for (std::uint32_t round = first; round < last; ++round) {
    const MadeRound made = example_round(policy.kind(), round);
    decisions.push_back(policy.decide(made.view(), kExampleStream));
    const auto payoffs = example_payoffs(policy.kind(), round, made, decisions.back());
    policy.learn(decisions.back(), made.view(), Payoffs::dense(payoffs));
  }
  return decisions;
}

inline void append(std::vector<double>& all, const std::optional<double>& number) {
  all.push_back(number.value_or(-1e9));
}

inline void append(std::vector<double>& all, const std::optional<Interval>& interval) {
  append(all, interval ? std::optional(interval->low) : std::nullopt);
  append(all, interval ? std::optional(interval->high) : std::nullopt);
}

/// All that is shown of individuals, and of actions with feedback, to be compared bit for bit.
inline std::vector<double> shown_numbers(const Explanation& shown) {
  std::vector<double> all;
  for (const IndividualExplanation& about : shown.individuals) {
    all.insert(all.end(), {static_cast<double>(about.treatment), about.index, about.greedy_index});
    append(all, about.payoff);
    append(all, about.payoff_interval);
    append(all, about.uplift);
    append(all, about.interval);
  }
  for (const ActionExplanation& about : shown.actions) {
    if (about.pulls == 0) continue;
    const RewardDifference difference = about.difference.value_or(RewardDifference());
    all.insert(all.end(), {static_cast<double>(about.pulls), about.index, difference.estimate,
                           difference.interval.low, difference.interval.high});
    append(all, about.reward);
    append(all, about.uplift);
    append(all, about.interval);
    if (!about.identified) continue;
    for (const VariableSet& set : {*about.identified, *about.padding}) {
      for (const VariableId id : set.ids()) all.push_back(id);
      all.push_back(-1.0);
    }
  }
  return all;
}

inline void expect_finite(const Explanation& shown) {
  for (const double number : shown_numbers(shown)) EXPECT_TRUE(std::isfinite(number));
}

/// Whether a policy has a model of the payoffs, with the parameters that go with it.
inline bool has_models(const PolicyInfo& info) {
  return info.make != nullptr && info.has_parameter("model");
}

/// A spec with which a policy can start; `more` are parameters of those that have models.
inline std::string usable_targeting_spec(const PolicyInfo& info, const std::string& more = "") {
  std::string text;
  if (info.has_parameter("beta")) text = "beta=0.5";
  if (info.has_parameter("eps")) text = "eps=0.3";
  if (has_models(info) && !more.empty()) text += (text.empty() ? "" : ", ") + more;
  return std::string(info.name) + "(" + text + ")";
}

/// Every targeting policy, and with every kind of model if it has models.
inline std::vector<std::string> usable_targeting_specs() {
  std::vector<std::string> specs;
  for (const PolicyInfo& info : policies(PolicyKind::kTargeting)) {
    if (info.make == nullptr) continue;
    specs.push_back(usable_targeting_spec(info));
    if (!has_models(info)) continue;
    specs.push_back(usable_targeting_spec(info, "model=logistic"));
    specs.push_back(usable_targeting_spec(info, "model=logistic, fit=online"));
  }
  return specs;
}

/// Every contextual policy: with the sets and with L, with a constant beta and with the schedule,
/// as far as it has the parameters.
inline std::vector<std::string> usable_context_specs() {
  std::vector<std::string> specs;
  for (const PolicyInfo& info : policies(PolicyKind::kContextual)) {
    const std::string name(info.name);
    const bool widths = info.has_parameter("beta");
    specs.push_back(name + (widths ? "(beta=0.5)" : "()"));
    if (widths) specs.push_back(name + "(delta=0.1)");
    if (!info.has_parameter("max_affected")) continue;
    specs.push_back(name + (widths ? "(beta=0.5, max_affected=2)" : "(max_affected=2)"));
    if (widths) specs.push_back(name + "(delta=0.1, lambda=2, max_affected=4)");
  }
  return specs;
}

/// All of both kinds.
inline std::vector<std::string> usable_specs_with_rounds() {
  std::vector<std::string> specs = usable_targeting_specs();
  for (const std::string& spec : usable_context_specs()) specs.push_back(spec);
  return specs;
}

/// The name of a test of one of these specs: letters, digits and underscores.
inline std::string test_name(const std::string& spec) {
  std::string name;
  for (const char c : spec) {
    if (std::isalnum(static_cast<unsigned char>(c))) {
      name += c;
    } else if (!name.empty() && name.back() != '_') {
      name += '_';
    }
  }
  if (name.ends_with('_')) name.pop_back();
  return name;
}

}  // namespace updraft::testing

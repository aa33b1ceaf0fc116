#pragma once

#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "reference/random_targeting.h"
#include "support/rounds.h"

namespace updraft::testing {

/// A small case of targeting: 3 features, no row longer than 1, 2 treatments, 4 of 15 may be
/// treated.
inline constexpr TargetingShape kExampleShape{.features = 3, .treatments = 2, .budget = 4};
inline constexpr std::size_t kExamplePool = 15;

inline MadePool example_pool(std::uint32_t round, std::size_t size = kExamplePool) {
  const Stream stream(11, 0, Purpose::kTest);
  MadePool pool;
  pool.width = kExampleShape.features;
  pool.features.resize(size * pool.width);
  pool.baseline.resize(size);
  stream.uniforms(round, 0, pool.features);
  for (double& x : pool.features) x = 1.1 * x - 0.55;  // sqrt(3) 0.55 < 1
  stream.uniforms(round, 1000, pool.baseline);
  return pool;
}

/// 0 or 1, which any model takes.
inline std::vector<double> example_payoffs(std::uint32_t round, const MadePool& pool,
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

/// Every policy, and with every kind of model if it has models.
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

/// Rounds first..last - 1 of the example, each with its feedback; returns the decisions.
inline std::vector<std::vector<Treatment>> play_example(Policy& policy, std::uint32_t first,
                                                        std::uint32_t last) {
  const Stream stream(13, 0, Purpose::kPolicy);
  std::vector<std::vector<Treatment>> decisions;
  for (std::uint32_t round = first; round < last; ++round) {
    const MadePool pool = example_pool(round);
    decisions.push_back(select_treatments(policy, pool.view(), stream));
    teach(policy, pool.view(), decisions.back(), example_payoffs(round, pool, decisions.back()));
  }
  return decisions;
}

}  // namespace updraft::testing

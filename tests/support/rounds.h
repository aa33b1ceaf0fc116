#pragma once

#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "updraft/policy.h"
#include "updraft/registry.h"
#include "updraft/state.h"

namespace updraft::testing {

/// What is known of a round. Targeting: rows are individuals; contextual: rows are variables.
struct MadeRound {
  std::size_t width = 0;
  std::vector<double> features;
  std::vector<double> baseline;
  std::vector<VariableSet> affected;  ///< contextual: by action

  std::vector<double> row(std::size_t i) const {
    const auto x = view().row(i);
    return {x.begin(), x.end()};
  }
  void add_row(std::span<const double> x) { features.insert(features.end(), x.begin(), x.end()); }

  Round view() const {
    return {.features = features, .width = width, .baseline = baseline, .affected = affected};
  }
};

// Short forms of what tests do with policies that are given rounds. A spec is a text or a
// PolicySpec.

inline std::vector<Treatment> select_treatments(Policy& policy, const Round& pool,
                                                const Stream& stream) {
  return policy.decide(pool, stream).treatments;
}

inline ActionId select_action(Policy& policy, const Round& context, const Stream& stream) {
  return policy.decide(context, stream).action;
}

inline Decision treating(std::span<const Treatment> treatments) {
  return {.treatments = {treatments.begin(), treatments.end()}};
}

inline void teach(Policy& policy, const Round& pool, std::span<const Treatment> treatments,
                  std::span<const double> payoffs) {
  policy.learn(treating(treatments), pool, Payoffs::dense(payoffs));
}

inline void teach(Policy& policy, const Round& context, ActionId action,
                  std::span<const double> payoffs) {
  policy.learn({.action = action}, context, Payoffs::dense(payoffs));
}

inline std::vector<IndividualExplanation> individuals(const Policy& policy, const Round& pool) {
  return policy.explain(pool).individuals;
}

template <typename Spec>
std::unique_ptr<Policy> make_targeting(const Spec& spec, const TargetingShape& shape) {
  return make_policy(spec, Knowledge(shape));
}

template <typename Spec>
std::unique_ptr<Policy> make_contextual(const Spec& spec, const ContextualShape& shape) {
  return make_policy(spec, Knowledge(shape));
}

inline std::string saved(const Policy& policy) {
  std::ostringstream out;
  save_policy(policy, out);
  return out.str();
}

inline std::unique_ptr<Policy> restored(const std::string& bytes) {
  std::istringstream in(bytes);
  return load_policy(in);
}

}  // namespace updraft::testing

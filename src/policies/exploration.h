#pragma once

#include <cstdint>

#include "updraft/knowledge.h"
#include "updraft/policy_spec.h"

namespace updraft {

/// The union bounds of the theorems: delta' = delta / (this number), alpha = log(1 / delta').
enum class ErrorSplit {
  kRewards,            ///< 2 K T: one sum per action and round [hsieh22, Prop. 1]
  kAffectedVariables,  ///< 4 K L T: affected variables and their baselines [hsieh22, Thm 1]
  kAllVariables,       ///< 2 K m T: every variable of every action [hsieh22, Thm 2-4]
  /// 4 K m T: the same, and for every action and variable a baseline that continues what the action
  /// saw [hsieh22, Thm 4 with Remark 2]
  kAllVariablesAndBaselines,
};

/// The parameter `alpha` of `spec`, or the one that its `delta` and the horizon of `knowledge`
/// give. Throws InvalidInput unless exactly one of alpha and delta is given.
double exploration_alpha(const PolicySpec& spec, const Knowledge& knowledge, ErrorSplit split);

/// ceil(factor / distance^2 * alpha): pulls after which means that far apart are told apart.
std::uint64_t identification_pulls(double factor, double distance, double alpha);

}  // namespace updraft

#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "updraft/ids.h"

namespace updraft {

/// An assumption that was declared, and that the payoffs speak against.
struct AssumptionWarning {
  enum class Kind {
    kOutsideDeclared,   ///< a variable outside an action's declared set moves with it
    kMoreThanDeclared,  ///< more variables are identified than max_affected
    kScale,             ///< payoffs are much larger or smaller than the policy takes them for
    kEffectChanged,     ///< what an action does is not what it was
    kBaselineChanged,   ///< what an action moves pays otherwise whatever is done
  };

  Kind kind = Kind::kScale;
  std::optional<ActionId> action;
  std::string message;  ///< what was seen
  std::string advice;   ///< what to do about it
};

/// "outside_declared", "more_than_declared", "scale", "effect_changed", "baseline_changed".
std::string_view kind_name(AssumptionWarning::Kind kind);

/// What warnings call things. Without names actions and variables are numbers.
struct WarningWords {
  std::span<const std::string> actions = {};
  std::span<const std::string> variables = {};
  std::string_view learner = "policy";  ///< what the advice is to make anew
};

}  // namespace updraft

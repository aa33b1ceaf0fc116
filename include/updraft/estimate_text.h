#pragma once

#include <span>
#include <string>
#include <string_view>

#include "updraft/explanation.h"
#include "updraft/knowledge.h"

namespace updraft {

/// "uplift", "difference" or "reward".
std::string_view name_of(Quantity quantity);

/// What the estimates of a policy with this knowledge are of, and for differences why they are no
/// uplifts. `reference` names the action that differences are to.
std::string quantity_text(Quantity quantity, const Knowledge& knowledge,
                          std::string_view reference);

/// The action that differences are to, in words that hold at all times: its name, "action 0", or
/// what makes an action the reference if that moves.
std::string reference_text(const Explanation& explanation,
                           std::span<const std::string> action_names);

/// What the intervals of estimates are.
std::string_view interval_text(IntervalKind kind);

}  // namespace updraft

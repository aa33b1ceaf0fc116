#pragma once

#include <memory>

#include "updraft/context_policy.h"

namespace updraft {

// Defined beside its algorithm. The specs have passed the registry's checks.

/// lin_up_ucb, lin_up_ucb_bl, lin_ucb.
std::unique_ptr<ContextPolicy> make_lin_up_ucb(const PolicySpec& spec, const ContextShape& shape);

}  // namespace updraft

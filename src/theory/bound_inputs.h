#pragma once

#include "updraft/theory.h"

namespace updraft {

/// Throws InvalidInput unless rounds are finite and at least 1.
void check_rounds(double rounds);

/// Whether `value` is above the Delta `own` of an instance by more than rounding.
bool above_delta(double value, double own);

/// Throws InvalidInput for what no bound can do with (theory.h); Deltas and divergences are checked
/// by the bounds that need them.
void check(const BoundInputs& in);

}  // namespace updraft

#pragma once

#include <cstdint>

#include "updraft/stream.h"

namespace updraft {

/// A chi-squared variable with `degrees` >= 1 degrees of freedom, made of the draws of `stream` at
/// `round` from index `first`, an even number, on: four for each trial, and hardly ever more than
/// two trials. By rejection from the cube of a normal. [marsaglia00]
///
/// Made of IEEE basic arithmetic and square roots but for one comparison with logarithms, which
/// decides in one of fifty draws at most: machines whose logarithms differ in the last bit give the
/// same draws, except with a probability of less than 1e-15.
double chi_squared(const Stream& stream, std::uint32_t round, std::uint64_t first,
                   std::uint64_t degrees);

}  // namespace updraft

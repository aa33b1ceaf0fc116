#pragma once

#include <span>

namespace updraft {

/// The quantile function of the standard normal: the x with P(Z <= x) = p, for p in (0, 1).
/// Algorithm AS 241, PPND16. [wichura88] Relative error below 1e-15, tails included.
///
/// Made of IEEE additions, multiplications, divisions and square roots alone: with contraction
/// off, every machine and every C library gives the same bits. Odd around p = 1/2, exactly where
/// 1 - p is exact.
/// Outside (0, 1): -infinity at 0, infinity at 1, NaN elsewhere and for NaN.
/// Deviation: its own logarithm, in place of the C library's.
double normal_quantile(double p);

/// values[j] = normal_quantile(values[j]), bit for bit, for values in [2^-1022, 1 - 2^-53].
/// Cost: about half of single calls; the loops are free of branches so that compilers can
/// vectorise them. No allocation.
void normal_quantiles(std::span<double> values);

}  // namespace updraft

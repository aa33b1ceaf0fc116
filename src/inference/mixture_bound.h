#pragma once

#include <cstdint>

namespace updraft {

/// Bounds that hold at all times at once, by the method of mixtures. For a mean of n independent
/// payoffs with variance v, the mixture of likelihood ratios over shifts N(0, v / settle)
///   sqrt(settle / (n + settle)) exp(n^2 (mean - mu)^2 / (2 v (n + settle)))
/// is a martingale under mu, so it reaches 1 / error with probability at most `error`, however long
/// one looks. [robbins70; howard21] The product of the mixtures of several actions is a martingale
/// too, whatever the policy takes next: a round multiplies the factor of its own action alone.
/// [kaufmann21]
///
/// `settle` is a number of rounds: the bound is tightest at about ten times as many.

/// What a mean of `rounds` payoffs with this variance adds to the squared width of a bound:
/// variance (rounds + settle) / rounds^2.
double mixture_variance(double variance, double rounds, double settle);

/// What it adds to the logarithm that the bound needs: log(1 + rounds / settle) / 2.
double mixture_log(double rounds, double settle);

/// The number of roots of the squared width that a difference may reach with this logarithm,
/// log(1 / error) included: sqrt(degrees (exp(2 log / degrees) - 1)), which is sqrt(2 log) for a
/// known variance. With a variance that is estimated from so many degrees of freedom, this is where
/// the likelihood ratio of Student's law has that logarithm [lai76]: an approximation.
double mixture_quantile(double log, double degrees);

}  // namespace updraft

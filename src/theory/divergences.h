#pragma once

#include <vector>

#include "updraft/instance.h"

namespace updraft {

/// Per action a, the least Kullback-Leibler divergence of its law from one of the same kind under
/// which it is as good as the best action: the same noise, other means on V(a) only. Infinite if
/// there is none, and for the best action 0. [hsieh22, Lemma 4: the quantity in the denominator]
///   Normal noise with covariance S, V = V(a), C all other variables: gap^2 / (2 v),
///     v = 1' (S_VV - S_VC S_CC^+ S_CV) 1, the variance of the sum over V given the rest.
///   0/1 payoffs: the least sum of kl(p_i, q_i) over V with the sum of q_i - p_i equal to the gap.
///     In the minimum (q - p) / (q (1 - q)) is the same number for all i, which is found by
///     bisection.
/// Cost: O(n) for n = sum of |V(a)|, times about 100 for 0/1 payoffs; O(K m^3) for a matrix.
std::vector<double> least_divergences(const Instance& instance);

}  // namespace updraft

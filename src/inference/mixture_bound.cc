#include "inference/mixture_bound.h"

#include <cmath>

namespace updraft {

double mixture_variance(double variance, double rounds, double settle) {
  return variance * (rounds + settle) / (rounds * rounds);
}

double mixture_log(double rounds, double settle) { return 0.5 * std::log1p(rounds / settle); }

double mixture_quantile(double log, double degrees) {
  return std::sqrt(degrees * std::expm1(2.0 * log / degrees));
}

}  // namespace updraft

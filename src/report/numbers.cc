#include "report/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace updraft {
namespace {

/// Decimals that leave `digits` significant digits, at least 0 and at most 12.
int decimals_for(double value, int digits) {
  const double size = std::abs(value);
  if (!(size > 0.0) || !std::isfinite(size)) return 0;
  return std::clamp(digits - 1 - static_cast<int>(std::floor(std::log10(size))), 0, 12);
}

}  // namespace

std::string rounded(double value) {
  return grouped(value, std::abs(value) >= 100.0 ? 0 : decimals_for(value, 3));
}

std::string with_error(double value, double error) {
  int decimals = error > 0.0 ? decimals_for(error, 2) : decimals_for(value, 3);
  if (std::abs(value) >= 1000.0) decimals = 0;
  return fmt::format("{} ± {}", grouped(value, decimals), grouped(error, decimals));
}

std::string with_error(const Summary& summary) { return with_error(summary.mean, summary.stderr_); }

std::string percent(double share) {
  return fmt::format("{} %", grouped(100.0 * share, 100.0 * share < 10.0 ? 1 : 0));
}

}  // namespace updraft

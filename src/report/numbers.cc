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

std::string grouped(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (!std::isfinite(value)) return text;
  if (text.find_first_not_of("-0.") == std::string::npos && text[0] == '-') text.erase(0, 1);
  const std::size_t first = text[0] == '-' ? 1 : 0;
  const std::size_t point = std::min(text.find('.'), text.size());
  for (std::size_t place = point; place > first + 3;) text.insert(place -= 3, 1, ',');
  return text;
}

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

#include "core/grouped.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace updraft {

std::string grouped(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (!std::isfinite(value)) return text;
  if (text.find_first_not_of("-0.") == std::string::npos && text[0] == '-') text.erase(0, 1);
  const std::size_t first = text[0] == '-' ? 1 : 0;
  const std::size_t point = std::min(text.find('.'), text.size());
  for (std::size_t place = point; place > first + 3;) text.insert(place -= 3, 1, ',');
  return text;
}

}  // namespace updraft

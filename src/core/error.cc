#include "updraft/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace updraft {
namespace {

std::string message(std::string_view field, std::string_view value, std::string_view rule) {
  return value.empty() ? fmt::format("{}: {}", field, rule)
                       : fmt::format("{} = {}: {}", field, value, rule);
}

/// Levenshtein distance.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row[b.size()];
}

/// Names come from outside: a message shows at most this many bytes of one.
constexpr std::size_t kMostShown = 100;

/// The beginning of a long name, cut between two characters of UTF-8.
std::string_view beginning(std::string_view name) {
  std::size_t end = std::min(name.size(), kMostShown);
  const auto continues = [&](std::size_t at) { return (name[at] & 0xC0) == 0x80; };
  while (end > 0 && end < name.size() && continues(end)) --end;
  return name.substr(0, end);
}

std::string shown(std::string_view name) {
  if (name.size() <= kMostShown) return std::string(name);
  return fmt::format("{}... ({} characters)", beginning(name), name.size());
}

/// The first of the valid names with the least distance.
std::string_view nearest(std::string_view name, const std::vector<std::string>& valid) {
  std::string_view best;
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (const std::string& candidate : valid) {
    const std::size_t distance = edit_distance(beginning(name), candidate);
    if (distance < least) {
      best = candidate;
      least = distance;
    }
  }
  return best;
}

}  // namespace

InvalidInput::InvalidInput(std::string_view field, std::string_view rule)
    : InvalidInput(field, std::string_view{}, rule) {}

InvalidInput::InvalidInput(std::string_view field, std::string_view value, std::string_view rule)
    : std::invalid_argument(message(field, value, rule)),
      field_(field),
      value_(value),
      rule_(rule) {}

InvalidInput::InvalidInput(std::string_view field, double value, std::string_view rule)
    : InvalidInput(field, number_text(value), rule) {}

std::string number_text(double value) {
  if (std::isnan(value)) return "nan";
  if (value == std::floor(value) && std::abs(value) < 1e15) {
    return fmt::format("{:.0f}", value == 0.0 ? 0.0 : value);
  }
  return fmt::format("{}", value);
}

InvalidInput unknown_name(std::string_view field, std::string_view name,
                          const std::vector<std::string>& valid) {
  std::string rule = "unknown";
  if (!valid.empty()) {
    rule = fmt::format("unknown; did you mean {}? Valid: {}", nearest(name, valid),
                       fmt::join(valid, ", "));
  }
  return InvalidInput(field, name.empty() ? "\"\"" : shown(name), rule);
}

void check_finite(std::string_view field, double value) {
  if (!std::isfinite(value)) throw InvalidInput(field, value, "must be finite");
}

void check_positive(std::string_view field, double value) {
  if (!(value > 0.0) || !std::isfinite(value)) throw InvalidInput(field, value, "must be > 0");
}

void check_probability(std::string_view field, double value) {
  if (!(value > 0.0 && value < 1.0)) throw InvalidInput(field, value, "must be in (0, 1)");
}

}  // namespace updraft

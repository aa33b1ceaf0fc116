#include "options.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>

#include "updraft/error.h"

namespace updraft::cli {
namespace {

/// `text` as a number, with nothing before or after it.
template <typename Number>
std::optional<Number> parse_all(const std::string& text) {
  Number value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t") - first + 1));
}

}  // namespace

std::uint64_t parse_count(std::string_view option, const std::string& text, CountRange range) {
  const auto value = parse_all<std::uint64_t>(text);
  if (!value || *value < range.least || *value > range.most) {
    throw InvalidInput(
        option, text, fmt::format("must be a whole number from {} to {}", range.least, range.most));
  }
  return *value;
}

bool is_list(std::string_view text) { return text.starts_with('[') && text.ends_with(']'); }

std::vector<std::uint64_t> parse_counts(std::string_view option, const std::string& text,
                                        CountRange range) {
  std::string_view rest = std::string_view(text).substr(1, text.size() - 2);
  std::vector<std::uint64_t> counts;
  for (bool more = true; more;) {
    const std::size_t comma = rest.find(',');
    counts.push_back(parse_count(fmt::format("{}[{}]", option, counts.size()),
                                 trimmed(rest.substr(0, comma)), range));
    more = comma != std::string_view::npos;
    if (more) rest = rest.substr(comma + 1);
  }
  return counts;
}

double parse_positive(std::string_view option, const std::string& text) {
  const auto value = parse_all<double>(text);
  if (!value || !(*value > 0.0) || !std::isfinite(*value)) {
    throw InvalidInput(option, text, "must be a number > 0");
  }
  return *value;
}

double parse_not_negative(std::string_view option, const std::string& text) {
  const auto value = parse_all<double>(text);
  if (!value || !(*value >= 0.0) || !std::isfinite(*value)) {
    throw InvalidInput(option, text, "must be a number >= 0");
  }
  return *value;
}

double parse_probability(std::string_view option, const std::string& text) {
  const auto value = parse_all<double>(text);
  if (!value || !(*value > 0.0 && *value < 1.0)) {
    throw InvalidInput(option, text, "must be a number in (0, 1)");
  }
  return *value;
}

double parse_share(std::string_view option, const std::string& text) {
  const auto value = parse_all<double>(text);
  if (!value || !(*value >= 0.0 && *value <= 1.0)) {
    throw InvalidInput(option, text, "must be a number in [0, 1]");
  }
  return *value;
}

std::uint32_t default_rounds(std::string_view instance) {
  if (instance == "gaussian" || instance == "gaussian-weak") return 20000;
  if (instance == "criteo") return 5000;
  return 1000;
}

}  // namespace updraft::cli

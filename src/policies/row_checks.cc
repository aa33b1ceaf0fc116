#include "policies/row_checks.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "core/dense.h"
#include "updraft/error.h"

namespace updraft {
namespace {

constexpr double kLargest = 1e100;

}  // namespace

void check_at_least_one(std::string_view field, std::size_t value) {
  if (value < 1) throw InvalidInput(field, "0", "must be at least 1");
}

void check_numbers(std::string_view field, std::span<const double> values) {
  if (all_within(values, kLargest)) return;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::abs(values[i]) <= kLargest) continue;
    throw InvalidInput(fmt::format("{}[{}]", field, i), values[i],
                       "must be finite and at most 1e100 in size");
  }
}

void check_count(const RowWords& words, std::string_view field, std::size_t count,
                 std::size_t rows) {
  if (count == rows) return;
  throw InvalidInput(fmt::format("length of {}", field), std::to_string(count),
                     fmt::format("must be the number of {}s, {}", words.row, rows));
}

void check_rows(const RowWords& words, const GivenRows& given) {
  const std::string features = fmt::format("{}: features", words.owner);
  if (given.width != given.expected_width) {
    throw InvalidInput(features, std::to_string(given.width),
                       fmt::format("must be as the policy was made for, {}", given.expected_width));
  }
  if (given.features.empty()) {
    throw InvalidInput(words.owner, fmt::format("0 {}s", words.row), "must have at least 1");
  }
  if (given.features.size() % given.width != 0) {
    throw InvalidInput(fmt::format("length of {}", features), std::to_string(given.features.size()),
                       fmt::format("must be a multiple of the features of one, {}", given.width));
  }
  check_numbers(features, given.features);
  if (given.baseline.empty()) return;
  const std::string baseline = fmt::format("{}: baseline", words.owner);
  check_count(words, baseline, given.baseline.size(), given.features.size() / given.width);
  check_numbers(baseline, given.baseline);
}

double row_length(std::span<const double> row) {
  double square = 0.0;
  for (const double x : row) square += x * x;
  return std::sqrt(square);
}

void check_row_lengths(const RowWords& words, const GivenRows& given, std::string_view advice) {
  for (std::size_t i = 0; i < given.features.size() / given.width; ++i) {
    const double length = row_length(given.features.subspan(i * given.width, given.width));
    if (length <= 1.0 + 1e-9) continue;
    throw InvalidInput(
        fmt::format("{}: length of the features of {} {}", words.owner, words.row, i), length,
        fmt::format("must be at most 1 for the theorem's beta; {}", advice));
  }
}

}  // namespace updraft

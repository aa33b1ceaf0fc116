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

void check_rows(const RowWords& words, const Round& given, std::size_t width) {
  const std::string features = fmt::format("{}: features", words.owner);
  if (given.width != width) {
    throw InvalidInput(features, std::to_string(given.width),
                       fmt::format("must be as the policy was made for, {}", width));
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
  check_count(words, baseline, given.baseline.size(), given.size());
  check_numbers(baseline, given.baseline);
}

void check_no_treatments(const Decision& decision) {
  if (decision.treatments.empty()) return;
  throw InvalidInput("treatments", fmt::format("{} individuals", decision.treatments.size()),
                     "must be absent: only targeting policies treat individuals");
}

double row_length(std::span<const double> row) {
  double square = 0.0;
  for (const double x : row) square += x * x;
  return std::sqrt(square);
}

void check_row_lengths(const RowWords& words, const Round& round, std::string_view advice) {
  for (std::size_t i = 0; i < round.size(); ++i) {
    const double length = row_length(round.row(i));
    if (length <= 1.0 + 1e-9) continue;
    throw InvalidInput(
        fmt::format("{}: length of the features of {} {}", words.owner, words.row, i), length,
        fmt::format("must be at most 1 for the theorem's beta; {}", advice));
  }
}

std::span<const double> row_payoffs(const RowWords& words, const Payoffs& payoffs, std::size_t rows,
                                    std::vector<double>& buffer) {
  if (payoffs.kind() == Payoffs::Kind::kDense) {
    check_count(words, "payoffs", payoffs.values().size(), rows);
    check_numbers("payoffs", payoffs.values());
    return payoffs.values();
  }
  if (payoffs.kind() != Payoffs::Kind::kSparse) {
    throw InvalidInput("payoffs", "sums", fmt::format("must be one per {}", words.row));
  }
  const auto ids = payoffs.ids();
  check_count(words, "payoffs", payoffs.values().size(), ids.size());
  buffer.assign(rows, 0.0);
  std::vector<bool> seen(rows, false);
  for (std::size_t j = 0; j < ids.size(); ++j) {
    if (ids[j] >= rows || seen[ids[j]]) {
      throw InvalidInput(
          fmt::format("payoffs: {}", words.row), std::to_string(ids[j]),
          fmt::format("must be below the number of {}s, {}, and occur once", words.row, rows));
    }
    seen[ids[j]] = true;
    buffer[ids[j]] = payoffs.values()[j];
  }
  check_numbers("payoffs", buffer);
  return buffer;
}

}  // namespace updraft

#include "data/row_sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "updraft/error.h"

namespace updraft {
namespace {

/// The stream's rounds for the two choices.
constexpr std::uint32_t kZeros = 0;
constexpr std::uint32_t kRows = 1;

constexpr std::uint32_t kSampleRun = 1;  // of the streams of purpose kInstance

std::uint64_t zeros_for(double rate, std::uint64_t rows, std::uint64_t zeros) {
  if (rate == 0.0) return zeros;
  if (!(rate > 0.0 && rate < 1.0)) throw InvalidInput("outcome_rate", rate, "must be in (0, 1)");
  const auto others = static_cast<double>(rows - zeros);
  const double wanted = std::round(others * (1.0 - rate) / rate);
  if (!(wanted <= static_cast<double>(zeros))) {
    throw InvalidInput(
        "outcome_rate", rate,
        fmt::format("must be at least {:.4g}, the share of outcomes other than 0 in the data",
                    others / static_cast<double>(rows)));
  }
  return static_cast<std::uint64_t>(wanted);
}

}  // namespace

RowSample::RowSample(const CustomerTableOptions& options, std::uint64_t rows, std::uint64_t zeros)
    : stream_(options.seed, kSampleRun, Purpose::kInstance),
      zeros_wanted_(zeros_for(options.outcome_rate, rows, zeros)),
      zeros_left_(zeros) {
  left_ = rows - zeros + zeros_wanted_;
  wanted_ = options.rows == 0 ? left_ : std::min<std::uint64_t>(options.rows, left_);
  size_ = wanted_;
  if (size_ == 0) {
    throw InvalidInput("outcome_rate", options.outcome_rate,
                       "leaves no rows, because all outcomes are 0");
  }
}

bool RowSample::keeps(std::uint64_t row, bool zero) {
  const auto chosen = [&](std::uint32_t choice, std::uint64_t& wanted, std::uint64_t& left) {
    const bool taken =
        wanted == left || (wanted > 0 && stream_.uniform(choice, row) * static_cast<double>(left) <
                                             static_cast<double>(wanted));
    if (left > 0) --left;
    if (taken && wanted > 0) --wanted;
    return taken;
  };
  if (zero && !chosen(kZeros, zeros_wanted_, zeros_left_)) return false;
  return chosen(kRows, wanted_, left_);
}

}  // namespace updraft

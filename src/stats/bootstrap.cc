#include "updraft/bootstrap.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "updraft/error.h"

namespace updraft {
namespace {

constexpr std::size_t kBlock = 1024;  ///< draws made at a time; even, as Stream::words needs

/// floor(word * size / 2^64): uniform on 0..size-1 but for size / 2^64.
std::uint32_t below(std::uint64_t word, std::uint32_t size) {
  const std::uint64_t low = (word & 0xffffffffU) * size;
  return static_cast<std::uint32_t>(((word >> 32) * size + (low >> 32)) >> 32);
}

/// Draws members.size() of the members; draw j is made of the stream's index first + j.
void resample_members(const Stream& stream, std::uint32_t round, std::uint64_t first,
                      std::span<const std::uint32_t> members, std::span<std::uint32_t> weights) {
  std::array<std::uint64_t, kBlock> words;
  const auto size = static_cast<std::uint32_t>(members.size());
  for (std::size_t done = 0; done < members.size(); done += kBlock) {
    const std::size_t draws = std::min(kBlock, members.size() - done);
    stream.words(round, first + done, std::span(words).first(Stream::whole_pairs(draws)));
    for (std::size_t j = 0; j < draws; ++j) ++weights[members[below(words[j], size)]];
  }
}

/// The quantile p of `values`, which are put into another order.
double quantile(std::span<double> values, double p) {
  const double at = p * static_cast<double>(values.size() - 1);
  const auto below_at = static_cast<std::size_t>(at);
  const auto nth = values.begin() + static_cast<std::ptrdiff_t>(below_at);
  std::nth_element(values.begin(), nth, values.end());
  if (below_at + 1 == values.size()) return *nth;
  const double next = *std::min_element(nth + 1, values.end());
  return std::lerp(*nth, next, at - static_cast<double>(below_at));
}

}  // namespace

StratifiedBootstrap::StratifiedBootstrap(std::span<const std::uint8_t> stratum) {
  if (stratum.size() > std::numeric_limits<std::uint32_t>::max()) {
    throw InvalidInput("stratum", fmt::format("{} rows", stratum.size()),
                       "must be fewer than 2^32");
  }
  for (std::size_t i = 0; i < stratum.size(); ++i) {
    if (stratum[i] > 1) {
      throw InvalidInput(fmt::format("stratum[{}]", i), stratum[i], "must be 0 or 1");
    }
  }
  members_.resize(stratum.size());
  const auto ones = static_cast<std::size_t>(std::count(stratum.begin(), stratum.end(), 1));
  first_of_one_ = stratum.size() - ones;
  std::array<std::size_t, 2> next = {0, first_of_one_};
  for (std::size_t i = 0; i < stratum.size(); ++i) {
    members_[next[stratum[i]]++] = static_cast<std::uint32_t>(i);
  }
}

void StratifiedBootstrap::weights(const Stream& stream, std::uint32_t resample,
                                  std::span<std::uint32_t> weights) const {
  if (weights.size() != size()) {
    throw InvalidInput("weights", fmt::format("{} entries", weights.size()),
                       fmt::format("must be {}, one for each row", size()));
  }
  std::fill(weights.begin(), weights.end(), 0U);
  const std::span members(members_);
  resample_members(stream, resample, 0, members.first(first_of_one_), weights);
  resample_members(stream, resample, Stream::whole_pairs(first_of_one_),
                   members.subspan(first_of_one_), weights);
}

Interval percentile_interval(std::span<const double> values, double level) {
  check_probability("level", level);
  if (values.empty()) throw InvalidInput("values", "must not be empty");
  for (const double value : values) check_finite("values", value);
  std::vector<double> sorted(values.begin(), values.end());
  Interval interval;
  interval.low = quantile(sorted, 0.5 * (1.0 - level));
  interval.high = quantile(sorted, 0.5 * (1.0 + level));
  return interval;
}

}  // namespace updraft

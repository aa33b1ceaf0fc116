#include "service/packed_decimals.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "updraft/error.h"

namespace updraft {
namespace {

constexpr std::size_t kFewest = 64;
constexpr std::uint64_t kMostBits = 32;
constexpr std::uint64_t kMostPower = 6;
constexpr double kPowers[kMostPower + 1] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};
constexpr double kLargestWhole = 1125899906842624.0;  // 2^50

/// Of numbers below 2^51: what the last bit of the sum cannot hold is rounded off. Without a call
/// of the library, which took most of the time.
double nearest_whole(double value) {
  constexpr double kShift = 6755399441055744.0;  // 1.5 * 2^52
  return (value + kShift) - kShift;
}

/// The whole number that gives `value` when it is divided by the power; nothing if none does.
std::optional<double> whole_of(double value, std::uint64_t power) {
  const double scaled = value * kPowers[power];
  const double whole = nearest_whole(scaled);
  // By its bits: -0 does not become 0.
  if (!(std::abs(scaled) <= kLargestWhole) ||
      std::bit_cast<std::uint64_t>(whole / kPowers[power]) != std::bit_cast<std::uint64_t>(value)) {
    return std::nullopt;
  }
  return whole;
}

std::uint64_t words_for(std::uint64_t count, std::uint64_t bits) {
  return (count * bits + 63) / 64;
}

}  // namespace

std::optional<PackedDecimals> packed_decimals(std::span<const double> values) {
  if (values.size() < kFewest) return std::nullopt;
  PackedDecimals packed;
  packed.count = values.size();
  double least = 0.0;
  double largest = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    // What fewer decimals give, more give too: the quotient is the same number.
    while (!whole_of(values[i], packed.power)) {
      if (packed.power == kMostPower) return std::nullopt;
      ++packed.power;
    }
    least = std::min(least, values[i]);
    largest = std::max(largest, values[i]);
  }
  const auto low = whole_of(least, packed.power);
  const auto high = whole_of(largest, packed.power);
  if (!low || !high || *high - *low >= std::ldexp(1.0, kMostBits)) return std::nullopt;
  packed.least = static_cast<std::int64_t>(*low);
  packed.bits =
      static_cast<std::uint64_t>(std::bit_width(static_cast<std::uint64_t>(*high - *low)));
  packed.words.reserve(words_for(packed.count, packed.bits));
  std::uint64_t word = 0;
  std::uint64_t filled = 0;
  for (const double value : values) {
    const auto whole = static_cast<std::int64_t>(nearest_whole(value * kPowers[packed.power]));
    const auto field = static_cast<std::uint64_t>(whole - packed.least);
    word |= field << filled;
    filled += packed.bits;
    if (filled < 64) continue;
    packed.words.push_back(word);
    filled -= 64;
    word = filled == 0 ? 0 : field >> (packed.bits - filled);
  }
  if (filled > 0) packed.words.push_back(word);
  return packed;
}

void write_packed(const PackedDecimals& packed, StateWriter& writer) {
  writer.u64(packed.count);
  writer.u64(packed.power);
  writer.u64(packed.bits);
  writer.u64(static_cast<std::uint64_t>(packed.least));
  writer.u64s(packed.words);
}

std::vector<double> read_packed(StateReader& reader) {
  const std::uint64_t count = reader.u64();
  const std::uint64_t power = reader.u64_at_most(kMostPower, "event: power of packed numbers");
  const std::uint64_t bits = reader.u64_at_most(kMostBits, "event: bits of packed numbers");
  const auto least = static_cast<std::int64_t>(reader.u64());
  constexpr auto kMostLeast = static_cast<std::int64_t>(kLargestWhole);
  if (least < -kMostLeast || least > kMostLeast) {
    throw InvalidInput("event: least of packed numbers", std::to_string(least),
                       "is no whole number that is packed");
  }
  const std::vector<std::uint64_t> words = reader.u64s();
  constexpr std::uint64_t kMostCount = std::uint64_t{1} << 25;
  if (count > kMostCount || words.size() != words_for(count, bits)) {
    throw InvalidInput("event: packed numbers", std::to_string(count),
                       "must be as many as their words hold");
  }
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  std::vector<double> values(count);
  std::uint64_t at = 0;
  for (double& value : values) {
    const std::uint64_t word = at / 64;
    const std::uint64_t shift = at % 64;
    std::uint64_t field = bits == 0 ? 0 : words[word] >> shift;
    if (shift + bits > 64) field |= words[word + 1] << (64 - shift);
    value = static_cast<double>(least + static_cast<std::int64_t>(field & mask)) / kPowers[power];
    at += bits;
  }
  return values;
}

}  // namespace updraft

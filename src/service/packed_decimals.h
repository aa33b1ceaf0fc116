#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "updraft/state_io.h"

namespace updraft {

/// Numbers with few decimals, as whole numbers of few bits: number i is
/// (least + field i of `words`) / 10^power, and exactly the double that it was. Payoffs of 0 or 1
/// take a bit each, amounts of money below ten in hundredths take ten.
struct PackedDecimals {
  std::uint64_t count = 0;
  std::uint64_t power = 0;
  std::uint64_t bits = 0;  ///< of a field
  std::int64_t least = 0;
  std::vector<std::uint64_t> words;  ///< the fields, from the lowest bit on
};

/// Nothing if they have more decimals than six or would not become smaller by half, and if they are
/// so few that it is not worth it.
std::optional<PackedDecimals> packed_decimals(std::span<const double> values);

void write_packed(const PackedDecimals& packed, StateWriter& writer);
/// The numbers. Throws InvalidInput.
std::vector<double> read_packed(StateReader& reader);

}  // namespace updraft

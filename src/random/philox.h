#pragma once

#include <cstddef>
#include <cstdint>

#include "updraft/stream.h"

namespace updraft {

/// Where draws stand: blocks of Philox4x32-10 [salmon11], two draws each.
struct PhiloxBlocks {
  std::uint64_t seed = 0;
  std::uint32_t run = 0;
  Purpose purpose = Purpose::kTest;
  std::uint32_t round = 0;
  std::uint32_t first = 0;  ///< block
  std::size_t count = 0;
};

/// The 2 count draws of one round as 64 random bits, or as uniforms on (0, 1):
/// ((word >> 12) + 1/2) * 2^-52, exactly.
void philox_words(const PhiloxBlocks& blocks, std::uint64_t* out);
void philox_uniforms(const PhiloxBlocks& blocks, double* out);

/// The uniforms of `rounds` rounds from blocks.round on, a multiple of 8, one column of `rounds`
/// numbers for each draw.
void philox_uniform_columns(const PhiloxBlocks& blocks, std::size_t rounds, double* out);

}  // namespace updraft

#include "updraft/stream.h"

#include <Random123/philox.h>

#include <bit>
#include <cassert>
#include <cstddef>

#include "random/box_muller.h"
#include "random/philox.h"

namespace updraft {
namespace {

/// The 52 high bits of a word, and half a unit more: ((word >> 12) + 1/2) * 2^-52, exactly.
inline double to_uniform(std::uint64_t word) {
  constexpr std::uint64_t kOne = 0x3ff0000000000000ULL;  // bits of 1.0
  return std::bit_cast<double>((word >> 12) | kOne) - (1.0 - 0x1p-53);
}

inline std::uint64_t join(std::uint32_t low, std::uint32_t high) {
  return static_cast<std::uint64_t>(high) << 32 | low;
}

/// The blocks of one (seed, run, purpose, round).
class Blocks {
 public:
  struct Words {
    std::uint64_t even;
    std::uint64_t odd;
  };

  Blocks(std::uint64_t seed, std::uint32_t run, Purpose purpose, std::uint32_t round)
      : key_{{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}},
        round_(round),
        run_(run),
        purpose_(static_cast<std::uint32_t>(purpose)) {}

  /// The draws at indices 2 * block and 2 * block + 1.
  [[gnu::always_inline]] Words operator()(std::uint64_t block) const {
    const philox4x32_ctr_t counter = {{static_cast<std::uint32_t>(block), round_, run_, purpose_}};
    const philox4x32_ctr_t word = philox4x32_R(10, counter, key_);
    return {join(word.v[0], word.v[1]), join(word.v[2], word.v[3])};
  }

 private:
  philox4x32_key_t key_;
  std::uint32_t round_;
  std::uint32_t run_;
  std::uint32_t purpose_;
};

[[gnu::always_inline]] inline std::uint64_t word_at(const Blocks& blocks, std::uint64_t index) {
  const Blocks::Words words = blocks(index / 2);
  return index % 2 == 0 ? words.even : words.odd;
}

}  // namespace

PhiloxBlocks Stream::blocks(std::uint32_t round, std::uint64_t first, std::size_t count) const {
  return {.seed = seed_,
          .run = run_,
          .purpose = purpose_,
          .round = round,
          .first = static_cast<std::uint32_t>(first / 2),
          .count = count};
}

std::uint64_t Stream::bits(std::uint32_t round, std::uint64_t index) const {
  return word_at(Blocks(seed_, run_, purpose_, round), index);
}

double Stream::uniform(std::uint32_t round, std::uint64_t index) const {
  return to_uniform(word_at(Blocks(seed_, run_, purpose_, round), index));
}

double Stream::normal(std::uint32_t round, std::uint64_t index) const {
  const Blocks::Words words = Blocks(seed_, run_, purpose_, round)(index / 2);
  const NormalPair pair = normal_pair(to_uniform(words.even), to_uniform(words.odd));
  return index % 2 == 0 ? pair.first : pair.second;
}

template <typename Single, typename Pairs>
void Stream::in_pairs(std::uint32_t round, std::uint64_t first, std::span<double> out,
                      Single single, Pairs pairs) const {
  if (out.empty()) return;
  if (first % 2 == 1) {
    out[0] = (this->*single)(round, first);
    out = out.subspan(1);
    ++first;
  }
  const std::size_t whole = out.size() - out.size() % 2;
  philox_uniforms(blocks(round, first, whole / 2), out.data());
  pairs(out.first(whole));
  if (whole < out.size()) out[whole] = (this->*single)(round, first + whole);
}

void Stream::uniforms(std::uint32_t round, std::uint64_t first, std::span<double> out) const {
  in_pairs(round, first, out, &Stream::uniform, [](std::span<double>) {});
}

void Stream::normals(std::uint32_t round, std::uint64_t first, std::span<double> out) const {
  in_pairs(round, first, out, &Stream::normal,
           [](std::span<double> pairs) { normal_pairs(pairs); });
}

void Stream::uniform_columns(std::uint32_t round, std::size_t rounds, std::size_t width,
                             std::span<double> out) const {
  assert(out.size() == rounds * whole_pairs(width));
  if (rounds == 1) {
    uniforms(round, 0, out);
  } else {
    philox_uniform_columns(blocks(round, 0, whole_pairs(width) / 2), rounds, out.data());
  }
}

void Stream::normal_columns(std::uint32_t round, std::size_t rounds, std::size_t width,
                            std::span<double> out) const {
  if (rounds == 1) {
    normals(round, 0, out);
    return;
  }
  uniform_columns(round, rounds, width, out);
  for (std::size_t j = 0; j < width; j += 2) {
    normal_pairs(out.subspan(j * rounds, rounds), out.subspan((j + 1) * rounds, rounds));
  }
}

void Stream::words(std::uint32_t round, std::uint64_t first, std::span<std::uint64_t> out) const {
  assert(first % 2 == 0 && out.size() % 2 == 0);
  philox_words(blocks(round, first, out.size() / 2), out.data());
}

}  // namespace updraft

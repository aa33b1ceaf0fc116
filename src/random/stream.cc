#include "updraft/stream.h"

#include <Random123/philox.h>

#include <algorithm>
#include <bit>
#include <cstddef>

#include "random/normal_quantile.h"

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

std::uint64_t Stream::bits(std::uint32_t round, std::uint64_t index) const {
  return word_at(Blocks(seed_, run_, purpose_, round), index);
}

double Stream::uniform(std::uint32_t round, std::uint64_t index) const {
  return to_uniform(word_at(Blocks(seed_, run_, purpose_, round), index));
}

double Stream::normal(std::uint32_t round, std::uint64_t index) const {
  return normal_quantile(uniform(round, index));
}

void Stream::uniforms(std::uint32_t round, std::uint64_t first, std::span<double> out) const {
  const Blocks blocks(seed_, run_, purpose_, round);
  std::size_t done = 0;
  if (first % 2 == 1 && !out.empty()) out[done++] = to_uniform(blocks(first / 2).odd);
  const std::uint64_t first_block = (first + done) / 2;
  const std::size_t pairs = (out.size() - done) / 2;
  double* pair = out.data() + done;
  for (std::size_t i = 0; i < pairs; ++i) {
    const Blocks::Words words = blocks(first_block + i);
    pair[2 * i] = to_uniform(words.even);
    pair[2 * i + 1] = to_uniform(words.odd);
  }
  done += 2 * pairs;
  if (done < out.size()) out[done] = to_uniform(blocks(first_block + pairs).even);
}

void Stream::normals(std::uint32_t round, std::uint64_t first, std::span<double> out) const {
  uniforms(round, first, out);
  normal_quantiles(out);
}

}  // namespace updraft

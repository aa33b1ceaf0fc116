#include "random/philox.h"

#include <algorithm>
#include <cassert>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "random/philox.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace updraft::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Wide = hn::ScalableTag<std::uint64_t>;
using Words = hn::Vec<Wide>;

/// Products of the low halves of the lanes, 64 bits each.
HWY_INLINE Words multiply_low(Words a, Words b) {
#if HWY_TARGET == HWY_SCALAR
  const auto low = [](Words x) {
    return std::uint64_t{static_cast<std::uint32_t>(hn::GetLane(x))};
  };
  return hn::Set(Wide(), low(a) * low(b));
#else
  const hn::Repartition<std::uint32_t, Wide> narrow;
  return hn::MulEven(hn::BitCast(narrow, a), hn::BitCast(narrow, b));
#endif
}

/// Vectors of blocks worked on side by side: the steps of one wait for one another.
constexpr std::size_t kAbreast = 4;

/// One block per lane. Each of the four 32-bit words stands in the low half of a 64-bit lane; what
/// is in the high half is never read.
struct Blocks {
  Words word0, word1, word2, word3;

  HWY_INLINE Words even() const { return join(word0, word1); }
  HWY_INLINE Words odd() const { return join(word2, word3); }

 private:
  static HWY_INLINE Words join(Words low, Words high) {
    const Words mask = hn::Set(Wide(), 0xFFFFFFFFU);
    return hn::Or(hn::ShiftLeft<32>(high), hn::And(low, mask));
  }
};

HWY_INLINE void philox(std::uint64_t seed, Blocks (&blocks)[kAbreast]) {
  const Wide wide;
  const Words multiplier0 = hn::Set(wide, 0xD2511F53U);
  const Words multiplier1 = hn::Set(wide, 0xCD9E8D57U);
  auto key0 = static_cast<std::uint32_t>(seed);
  auto key1 = static_cast<std::uint32_t>(seed >> 32);
  for (int i = 0; i < 10; ++i) {
    const Words keys0 = hn::Set(wide, key0);
    const Words keys1 = hn::Set(wide, key1);
    for (Blocks& b : blocks) {
      const Words product0 = multiply_low(b.word0, multiplier0);
      const Words product1 = multiply_low(b.word2, multiplier1);
      b.word0 = hn::Xor(hn::Xor(hn::ShiftRight<32>(product1), b.word1), keys0);
      b.word1 = product1;
      b.word2 = hn::Xor(hn::Xor(hn::ShiftRight<32>(product0), b.word3), keys1);
      b.word3 = product0;
    }
    key0 += 0x9E3779B9U;
    key1 += 0xBB67AE85U;
  }
}

/// Words as they are.
struct AsWords {
  using Out = std::uint64_t;
  HWY_INLINE Words operator()(Words words) const { return words; }
};

struct AsUniforms {
  using Out = double;
  HWY_INLINE hn::Vec<hn::ScalableTag<double>> operator()(Words words) const {
    const hn::ScalableTag<double> doubles;
    const Words one = hn::Set(Wide(), 0x3ff0000000000000ULL);  // bits of 1.0
    return hn::Sub(hn::BitCast(doubles, hn::Or(hn::ShiftRight<12>(words), one)),
                   hn::Set(doubles, 1.0 - 0x1p-53));
  }
};

HWY_INLINE Words lane_numbers(std::uint64_t first) { return hn::Iota(Wide(), first); }

template <typename Convert>
HWY_INLINE void fill(const PhiloxBlocks& from, typename Convert::Out* HWY_RESTRICT out) {
  const Wide wide;
  const hn::ScalableTag<typename Convert::Out> to;
  const std::size_t lanes = hn::Lanes(wide);
  const Convert convert;
  for (std::size_t done = 0; done < from.count; done += kAbreast * lanes) {
    Blocks blocks[kAbreast];
    std::uint64_t next = from.first + done;
    for (Blocks& b : blocks) {
      b = {lane_numbers(next), hn::Set(wide, from.round), hn::Set(wide, from.run),
           hn::Set(wide, static_cast<std::uint64_t>(from.purpose))};
      next += lanes;
    }
    philox(from.seed, blocks);
    HWY_ALIGN typename Convert::Out rest[2 * kAbreast * hn::MaxLanes(wide)];
    const std::size_t left = from.count - done;
    const bool whole = left >= kAbreast * lanes;
    typename Convert::Out* at = whole ? out + 2 * done : rest;
    for (const Blocks& b : blocks) {
      hn::StoreInterleaved2(convert(b.even()), convert(b.odd()), to, at);
      at += 2 * lanes;
    }
    if (!whole) std::copy(rest, rest + 2 * left, out + 2 * done);
  }
}

void words(const PhiloxBlocks& from, std::uint64_t* out) { fill<AsWords>(from, out); }
void uniforms(const PhiloxBlocks& from, double* out) { fill<AsUniforms>(from, out); }

void uniform_columns(const PhiloxBlocks& from, std::size_t rounds, double* HWY_RESTRICT out) {
  const Wide wide;
  const hn::ScalableTag<double> doubles;
  const std::size_t lanes = hn::Lanes(wide);
  const AsUniforms convert;
  for (std::size_t block = 0; block < from.count; ++block, out += 2 * rounds) {
    for (std::size_t round = 0; round < rounds; round += kAbreast * lanes) {
      Blocks blocks[kAbreast];
      std::uint64_t next = from.round + round;
      for (Blocks& b : blocks) {
        b = {hn::Set(wide, from.first + block), lane_numbers(next), hn::Set(wide, from.run),
             hn::Set(wide, static_cast<std::uint64_t>(from.purpose))};
        next += lanes;
      }
      philox(from.seed, blocks);
      double* at = out + round;
      for (std::size_t j = 0; j < kAbreast && round + j * lanes < rounds; ++j, at += lanes) {
        hn::StoreU(convert(blocks[j].even()), doubles, at);
        hn::StoreU(convert(blocks[j].odd()), doubles, at + rounds);
      }
    }
  }
}

}  // namespace updraft::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace updraft {

HWY_EXPORT(words);
HWY_EXPORT(uniforms);
HWY_EXPORT(uniform_columns);

void philox_words(const PhiloxBlocks& blocks, std::uint64_t* out) {
  HWY_DYNAMIC_DISPATCH(words)(blocks, out);
}

void philox_uniforms(const PhiloxBlocks& blocks, double* out) {
  HWY_DYNAMIC_DISPATCH(uniforms)(blocks, out);
}

void philox_uniform_columns(const PhiloxBlocks& blocks, std::size_t rounds, double* out) {
  assert(rounds % 8 == 0);
  HWY_DYNAMIC_DISPATCH(uniform_columns)(blocks, rounds, out);
}

}  // namespace updraft
#endif

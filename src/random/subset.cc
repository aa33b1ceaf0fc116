#include "random/subset.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <string>

#include "updraft/error.h"

namespace updraft {
namespace {

constexpr std::size_t kMaxSize = std::size_t{1} << 32;

/// Members 0..size-1 drawn independently and uniformly, from 32 bits or more each, in batches.
class MemberDraws {
 public:
  static constexpr std::size_t kBatch = 256;

  MemberDraws(const Stream& stream, const SubsetDraw& draw)
      : stream_(stream),
        draw_(draw),
        skewed_(static_cast<std::uint32_t>((std::uint64_t{1} << 32) % draw.size)) {}

  /// At most `wanted` members, possibly none, and no more draws than these need.
  ///
  /// Lemire's bounded draw: the high half of bits * size, left out where the low half falls among
  /// the 2^32 % size values that would favour some members.
  std::span<const std::uint32_t> next(std::size_t wanted) {
    if (position_ == filled_) refill(wanted);
    const std::size_t count = std::min(wanted, filled_ - position_);
    const std::uint32_t* halves = halves_.data() + position_;
    const auto size = static_cast<std::uint32_t>(draw_.size);  // 2^32 gives 0, and skewed_ 0
    position_ += count;
    if (draw_.size == kMaxSize) return {halves, count};
    std::uint32_t skewed = 0;  // how many are left out; nearly always none
    for (std::size_t j = 0; j < count; ++j) {
      const std::uint64_t product = std::uint64_t{halves[j]} * size;
      members_[j] = static_cast<std::uint32_t>(product >> 32);
      skewed += static_cast<std::uint32_t>(product) < skewed_ ? 1 : 0;
    }
    if (skewed == 0) return {members_.data(), count};
    std::size_t kept = 0;
    for (std::size_t j = 0; j < count; ++j) {
      members_[kept] = members_[j];
      kept += halves[j] * size >= skewed_ ? 1 : 0;
    }
    return {members_.data(), kept};
  }

  /// Indices used: no more than needed for what was wanted, rounded up to a block.
  std::uint64_t used() const { return end_; }

 private:
  void refill(std::size_t wanted) {
    std::array<std::uint64_t, kBatch / 2> words;
    const std::size_t blocks = std::min(kBatch / 4, (wanted + 3) / 4);
    stream_.words(draw_.round, draw_.first_index + end_, std::span(words).first(2 * blocks));
    for (std::size_t j = 0; j < 2 * blocks; ++j) {
      halves_[2 * j] = static_cast<std::uint32_t>(words[j]);
      halves_[2 * j + 1] = static_cast<std::uint32_t>(words[j] >> 32);
    }
    filled_ = 4 * blocks;
    position_ = 0;
    end_ += 2 * blocks;
  }

  const Stream& stream_;
  const SubsetDraw& draw_;
  const std::uint32_t skewed_;
  std::array<std::uint32_t, kBatch> halves_;  // of the words before first_index + end_
  std::array<std::uint32_t, kBatch> members_;
  std::size_t filled_ = 0;
  std::size_t position_ = 0;
  std::uint64_t end_ = 0;
};

void check(const SubsetDraw& draw, std::size_t bits) {
  if (draw.first_index % 2 != 0) {
    throw InvalidInput("first_index", std::to_string(draw.first_index), "must be even");
  }
  if (draw.size > kMaxSize) {
    throw InvalidInput("size", std::to_string(draw.size), "must be at most 2^32");
  }
  if (draw.chosen > draw.size) {
    throw InvalidInput("chosen", std::to_string(draw.chosen),
                       "must be at most size = " + std::to_string(draw.size));
  }
  if (draw.first_bit > bits || draw.size > bits - draw.first_bit) {
    throw InvalidInput("bitmap", std::to_string(bits), "must have first_bit + size bits");
  }
}

/// Calls visit(word, mask) for each word with some of the bits begin..end-1, which mask marks.
template <typename Visit>
void for_each_word(std::size_t begin, std::size_t end, Visit visit) {
  while (begin < end) {
    const std::size_t shift = begin % 64;
    const std::size_t count = std::min<std::size_t>(64 - shift, end - begin);
    visit(begin / 64, (~std::uint64_t{0} >> (64 - count)) << shift);
    begin += count;
  }
}

[[maybe_unused]] bool is_clear(std::span<const std::uint64_t> bitmap, std::size_t begin,
                               std::size_t end) {
  std::uint64_t any = 0;
  for_each_word(begin, end,
                [&](std::size_t word, std::uint64_t mask) { any |= bitmap[word] & mask; });
  return any == 0;
}

}  // namespace

std::uint64_t mark_subset(const Stream& stream, const SubsetDraw& draw,
                          std::span<std::uint64_t> bitmap) {
  check(draw, 64 * bitmap.size());
  const std::size_t end_bit = draw.first_bit + draw.size;
  assert(is_clear(bitmap, draw.first_bit, end_bit));
  const bool by_omission = draw.chosen > draw.size / 2;
  if (by_omission) {
    for_each_word(draw.first_bit, end_bit,
                  [&](std::size_t word, std::uint64_t mask) { bitmap[word] |= mask; });
  }
  std::size_t wanted = by_omission ? draw.size - draw.chosen : draw.chosen;
  if (wanted == 0) return 0;

  MemberDraws members(stream, draw);
  const std::uint64_t untouched = by_omission ? 1 : 0;
  std::uint64_t* const words = bitmap.data();
  while (wanted > 0) {
    std::uint64_t marked = 0;
    for (const std::uint32_t member : members.next(wanted)) {
      const std::size_t bit = draw.first_bit + member;
      std::uint64_t& word = words[bit / 64];
      const std::uint64_t fresh = (word >> (bit % 64) & 1) ^ untouched ^ 1;
      word ^= fresh << (bit % 64);
      marked += fresh;
    }
    wanted -= marked;
  }
  return members.used();
}

}  // namespace updraft

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "updraft/stream.h"

namespace updraft {

/// `width` normals for each decision: those of round `decision` of the stream, drawn for a block
/// of decisions at once. Decisions from 2^32 on take further indices of the rounds.
class DecisionNormals {
 public:
  explicit DecisionNormals(std::size_t width) : width_(width) {}

  /// The normals of a decision, kBlock apart.
  const double* of(const Stream& stream, std::uint64_t decision) {
    if (decision - first_ >= kBlock || columns_.empty() || !(stream == stream_)) {
      stream_ = stream;
      first_ = decision - decision % kBlock;
      refill();
    }
    return columns_.data() + (decision - first_);
  }

  static constexpr std::size_t kBlock = 64;

 private:
  void refill() {
    columns_.resize(kBlock * Stream::whole_pairs(width_));
    const auto round = static_cast<std::uint32_t>(first_);
    if (first_ >> 32 == 0) {
      stream_.normal_columns(round, kBlock, width_, columns_);
      return;
    }
    for (std::uint32_t d = 0; d < kBlock; ++d) {
      for (std::size_t j = 0; j < width_; ++j) {
        columns_[j * kBlock + d] = stream_.normal(round + d, (first_ >> 32) * width_ + j);
      }
    }
  }

  std::size_t width_;
  Stream stream_{0, 0, Purpose::kPolicy};
  std::uint64_t first_ = 0;
  std::vector<double> columns_;  // per normal a column of decisions
};

}  // namespace updraft

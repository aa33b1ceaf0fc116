#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace updraft::testing {

/// An array that starts at any place, between numbers that must not be read as its own.
template <typename T>
struct Misaligned {
  std::vector<T> all;
  std::size_t start = 0;

  template <typename Draw>
  Misaligned(std::size_t count, std::size_t first, T around, Draw draw)
      : all(first + count + 3, around), start(first) {
    for (std::size_t i = 0; i < count; ++i) all[first + i] = draw(i);
  }
  std::size_t size() const { return all.size() - start - 3; }
  std::span<T> span() { return std::span(all).subspan(start, size()); }
  std::span<const T> span() const { return std::span(all).subspan(start, size()); }
};

}  // namespace updraft::testing

// Included by files with vector kernels, once per kind of vector.
#if defined(UPDRAFT_APPEND_WHERE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef UPDRAFT_APPEND_WHERE_INL_H
#undef UPDRAFT_APPEND_WHERE_INL_H
#else
#define UPDRAFT_APPEND_WHERE_INL_H
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace updraft::HWY_NAMESPACE {

/// Writes the lanes that the mask marks to `to`, one after the other, and returns their number. May
/// write up to a vector beyond them.
/// Only AVX-512 has an instruction for it; what Highway 1.0 does without is slower than a loop.
template <class D, class V, class M>
HWY_INLINE std::size_t append_where(D d, V values, M mask, hwy::HWY_NAMESPACE::TFromD<D>* to) {
  namespace hn = hwy::HWY_NAMESPACE;
#if HWY_TARGET <= HWY_AVX3
  return hn::CompressStore(values, mask, d, to);
#else
  std::uint8_t bytes[8] = {};
  hn::StoreMaskBits(d, mask, bytes);
  std::uint64_t bits;
  std::memcpy(&bits, bytes, sizeof(bits));
  HWY_ALIGN hn::TFromD<D> lanes[hn::MaxLanes(D())];
  hn::Store(values, d, lanes);
  std::size_t count = 0;
  for (std::size_t lane = 0; lane < hn::Lanes(d); ++lane, bits >>= 1) {
    to[count] = lanes[lane];
    count += bits & 1;
  }
  return count;
#endif
}

}  // namespace updraft::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif

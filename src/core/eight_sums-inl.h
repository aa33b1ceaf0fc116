// Included by files with vector kernels, once per kind of vector.
#if defined(UPDRAFT_EIGHT_SUMS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef UPDRAFT_EIGHT_SUMS_INL_H
#undef UPDRAFT_EIGHT_SUMS_INL_H
#else
#define UPDRAFT_EIGHT_SUMS_INL_H
#endif

#include <hwy/highway.h>

#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace updraft::HWY_NAMESPACE {

// Sums of doubles are eight sums of every eighth number, whatever the vectors, so that all
// machines round alike.
constexpr std::size_t kSums = 8;
using Doubles = hwy::HWY_NAMESPACE::CappedTag<double, kSums>;
using Vector = hwy::HWY_NAMESPACE::Vec<Doubles>;
constexpr std::size_t kLanes = hwy::HWY_NAMESPACE::MaxLanes(Doubles());
constexpr std::size_t kVectors = kSums / kLanes;

struct Sums {
  Vector parts[kVectors];

  HWY_INLINE Sums() {
    for (Vector& part : parts) part = hwy::HWY_NAMESPACE::Zero(Doubles());
  }

  /// The eight sums, one by one.
  HWY_INLINE void store(double* eight) const {
    for (std::size_t j = 0; j < kVectors; ++j) {
      hwy::HWY_NAMESPACE::StoreU(parts[j], Doubles(), eight + j * kLanes);
    }
  }
  HWY_INLINE double total() const {
    double eight[kSums];
    store(eight);
    return added(eight);
  }
  static HWY_INLINE double added(const double* s) {
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
  }
};

}  // namespace updraft::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif

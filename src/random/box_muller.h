#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace updraft {

/// Two independent standard normals from two independent uniforms u, v in (0, 1): [box58]
///   sqrt(-2 log u) cos(2 pi v)  and  sqrt(-2 log u) sin(2 pi v)
/// Relative error of radius and, of the larger of the two, of the angle's functions below 1e-15.
///
/// Made of IEEE additions, multiplications, divisions and square roots alone: with contraction
/// off, every machine and every C library gives the same bits.
struct NormalPair {
  double first = 0.0;
  double second = 0.0;
};
NormalPair normal_pair(double u, double v);

/// Replaces pairs of uniforms by pairs of normals, bit for bit those of normal_pair; values.size()
/// must be even. The vector twin. No allocation.
void normal_pairs(std::span<double> values);

/// The same for uniforms u[j], v[j] that become the two normals of a pair.
void normal_pairs(std::span<double> u, std::span<double> v);

/// The numbers both are made of.
namespace box_muller {

// -log(x) for x in (0, 1): x = 2^e * m with m in [sqrt(1/2), sqrt(2)),
//   log(m) = 2 atanh(s) = 2 (s + s^3/3 + s^5/5 + ...),  s = (m - 1) / (m + 1),  |s| < 0.1716.
// Terms up to s^19 leave less than 1e-17.
inline constexpr std::uint64_t kRootHalf = 0x3fe6a09e667f3bcdULL;  // bits of sqrt(1/2)
inline constexpr std::uint64_t kOne = 0x3ff0000000000000ULL;
inline constexpr std::uint64_t kMantissa = 0x000fffffffffffffULL;
inline constexpr std::uint64_t kTwo52 = 0x4330000000000000ULL;  // bits of 2^52, to convert
inline constexpr double kLog2High = 0x1.62e42feep-1;            // 33 bits: exact times an exponent
inline constexpr double kLog2Low = 0x1.a39ef35793c76p-33;
inline constexpr double kAtanh[9] = {1.0 / 19.0, 1.0 / 17.0, 1.0 / 15.0, 1.0 / 13.0, 1.0 / 11.0,
                                     1.0 / 9.0,  1.0 / 7.0,  1.0 / 5.0,  1.0 / 3.0};

// 2 pi v = pi/2 k + 2 pi r with k = round(4 v) and |r| <= 1/8, exactly; sin and cos of 2 pi r by
// their series, up to the power 15 and 16: what is left out is below 1e-16.
inline constexpr double kRound = 0x1.8p52;  // added and subtracted: rounds to an integer
inline constexpr double kTwoPi = 6.283185307179586476925;
inline constexpr double kSin[7] = {
    -1.0 / 1307674368000.0, 1.0 / 6227020800.0, -1.0 / 39916800.0, 1.0 / 362880.0,
    -1.0 / 5040.0,          1.0 / 120.0,        -1.0 / 6.0};
inline constexpr double kCos[8] = {
    1.0 / 20922789888000.0, -1.0 / 87178291200.0, 1.0 / 479001600.0, -1.0 / 3628800.0,
    1.0 / 40320.0,          -1.0 / 720.0,         1.0 / 24.0,        -1.0 / 2.0};

}  // namespace box_muller
}  // namespace updraft

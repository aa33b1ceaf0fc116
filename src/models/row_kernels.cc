#include "models/row_kernels.h"

#include <algorithm>
#include <cassert>
#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "models/row_kernels.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "core/eight_sums-inl.h"

HWY_BEFORE_NAMESPACE();
namespace updraft::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// 1/12!, ..., 1/1!: exp(r) = 1 + r (1 + r/2 + ...) for |r| <= log(2) / 2 leaves less than 1e-16.
constexpr double kExp[] = {1.0 / 6227020800.0,
                           1.0 / 479001600.0,
                           1.0 / 39916800.0,
                           1.0 / 3628800.0,
                           1.0 / 362880.0,
                           1.0 / 40320.0,
                           1.0 / 5040.0,
                           1.0 / 720.0,
                           1.0 / 120.0,
                           1.0 / 24.0,
                           1.0 / 6.0,
                           1.0 / 2.0,
                           1.0};
constexpr double kLog2High = 0x1.62e42feep-1;  // 33 bits: exact times an exponent
constexpr double kLog2Low = 0x1.a39ef35793c76p-33;
constexpr double kInverseLog2 = 1.442695040888963407;
constexpr double kRound = 0x1.8p52;       // added and subtracted: rounds to an integer
constexpr double kMostNegative = -708.0;  // exp is then still a normal number

/// exp(x) for x <= 0.
HWY_INLINE Vector exp_of_negative(Vector x) {
  const Doubles doubles;
  const hn::RebindToSigned<Doubles> integers;
  x = hn::Max(x, hn::Set(doubles, kMostNegative));
  const Vector shifted =
      hn::Add(hn::Mul(x, hn::Set(doubles, kInverseLog2)), hn::Set(doubles, kRound));
  const Vector k = hn::Sub(shifted, hn::Set(doubles, kRound));
  const Vector r = hn::Sub(hn::Sub(x, hn::Mul(k, hn::Set(doubles, kLog2High))),
                           hn::Mul(k, hn::Set(doubles, kLog2Low)));
  Vector sum = hn::Set(doubles, kExp[0]);
  for (std::size_t i = 1; i < sizeof(kExp) / sizeof(kExp[0]); ++i) {
    sum = hn::Add(hn::Mul(sum, r), hn::Set(doubles, kExp[i]));
  }
  const Vector mantissa = hn::Add(hn::Mul(sum, r), hn::Set(doubles, 1.0));
  // The low bits of `shifted` are k in two's complement; as an exponent they scale by 2^k.
  const auto exponent = hn::ShiftLeft<52>(hn::BitCast(integers, shifted));
  return hn::BitCast(doubles, hn::Add(hn::BitCast(integers, mantissa), exponent));
}

HWY_INLINE Vector sigmoid_of(Vector x) {
  const Doubles doubles;
  const Vector one = hn::Set(doubles, 1.0);
  const Vector e = exp_of_negative(hn::Neg(hn::Abs(x)));
  const Vector numerator = hn::IfThenElse(hn::Lt(x, hn::Zero(doubles)), e, one);
  return hn::Div(numerator, hn::Add(one, e));
}

void sigmoid_all(double* values, std::size_t count) {
  const Doubles doubles;
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    hn::StoreU(sigmoid_of(hn::LoadU(doubles, values + i)), doubles, values + i);
  }
  if (i == count) return;
  double rest[kSums] = {};
  std::copy(values + i, values + count, rest);
  hn::StoreU(sigmoid_of(hn::LoadU(doubles, rest)), doubles, rest);
  std::copy(rest, rest + (count - i), values + i);
}

/// What the rows at `place` paid more than expected, by their scores.
HWY_INLINE Vector residual_of(Vector score, const double* counts, const double* payoffs,
                              std::size_t place) {
  const Doubles doubles;
  return hn::Sub(hn::LoadU(doubles, payoffs + place),
                 hn::Mul(hn::LoadU(doubles, counts + place), sigmoid_of(score)));
}

/// gradient must be zeros, eight for each feature; the eight sums are left in it. Four blocks go
/// together, so that their long chains of operations overlap; their sums are added one by one.
void gradient_blocks(const double* blocks, std::size_t count, const double* counts,
                     const double* payoffs, const double* theta, std::size_t features,
                     double* gradient) {
  const Doubles doubles;
  const std::size_t size = features * kSums;  // of a block
  std::size_t b = 0;
  for (; b + 4 <= count; b += 4) {
    for (std::size_t part = 0; part < kSums; part += kLanes) {
      const double* block = blocks + b * size + part;
      Vector s0 = hn::Zero(doubles);
      Vector s1 = s0;
      Vector s2 = s0;
      Vector s3 = s0;
      for (std::size_t f = 0; f < size; f += kSums) {
        const Vector t = hn::Set(doubles, theta[f / kSums]);
        s0 = hn::Add(s0, hn::Mul(t, hn::LoadU(doubles, block + f)));
        s1 = hn::Add(s1, hn::Mul(t, hn::LoadU(doubles, block + size + f)));
        s2 = hn::Add(s2, hn::Mul(t, hn::LoadU(doubles, block + 2 * size + f)));
        s3 = hn::Add(s3, hn::Mul(t, hn::LoadU(doubles, block + 3 * size + f)));
      }
      const std::size_t place = b * kSums + part;
      s0 = residual_of(s0, counts, payoffs, place);
      s1 = residual_of(s1, counts, payoffs, place + kSums);
      s2 = residual_of(s2, counts, payoffs, place + 2 * kSums);
      s3 = residual_of(s3, counts, payoffs, place + 3 * kSums);
      for (std::size_t f = 0; f < size; f += kSums) {
        double* sums = gradient + f + part;
        Vector sum = hn::LoadU(doubles, sums);
        sum = hn::Add(sum, hn::Mul(s0, hn::LoadU(doubles, block + f)));
        sum = hn::Add(sum, hn::Mul(s1, hn::LoadU(doubles, block + size + f)));
        sum = hn::Add(sum, hn::Mul(s2, hn::LoadU(doubles, block + 2 * size + f)));
        sum = hn::Add(sum, hn::Mul(s3, hn::LoadU(doubles, block + 3 * size + f)));
        hn::StoreU(sum, doubles, sums);
      }
    }
  }
  for (; b < count; ++b) {
    for (std::size_t part = 0; part < kSums; part += kLanes) {
      const double* block = blocks + b * size + part;
      Vector score = hn::Zero(doubles);
      for (std::size_t f = 0; f < size; f += kSums) {
        score = hn::Add(score,
                        hn::Mul(hn::Set(doubles, theta[f / kSums]), hn::LoadU(doubles, block + f)));
      }
      const Vector residual = residual_of(score, counts, payoffs, b * kSums + part);
      for (std::size_t f = 0; f < size; f += kSums) {
        double* sums = gradient + f + part;
        hn::StoreU(
            hn::Add(hn::LoadU(doubles, sums), hn::Mul(residual, hn::LoadU(doubles, block + f))),
            doubles, sums);
      }
    }
  }
}

/// Means and widths of the rows of one block.
void block_means_and_widths(const double* block, std::size_t features, const double* theta,
                            const double* root, double* means, double* widths) {
  const Doubles doubles;
  for (std::size_t part = 0; part < kSums; part += kLanes) {
    Vector mean = hn::Zero(doubles);
    Vector square = hn::Zero(doubles);
    const double* entry = root;
    for (std::size_t i = 0; i < features; ++i) {
      mean = hn::Add(
          mean, hn::Mul(hn::Set(doubles, theta[i]), hn::LoadU(doubles, block + i * kSums + part)));
      Vector product = hn::Zero(doubles);
      for (std::size_t j = 0; j <= i; ++j) {
        product = hn::Add(product, hn::Mul(hn::Set(doubles, *entry++),
                                           hn::LoadU(doubles, block + j * kSums + part)));
      }
      square = hn::Add(square, hn::Mul(product, product));
    }
    hn::StoreU(mean, doubles, means + part);
    hn::StoreU(hn::Sqrt(square), doubles, widths + part);
  }
}

}  // namespace updraft::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace updraft {

HWY_EXPORT(sigmoid_all);
HWY_EXPORT(gradient_blocks);
HWY_EXPORT(block_means_and_widths);

namespace {

/// One block of rows that lie one after the other, filled up with zeros.
void transpose(std::span<const double> rows, std::size_t features, double* block) {
  constexpr std::size_t kRows = RowBlocks::kRows;
  const std::size_t count = std::min(kRows, rows.size() / features);
  for (std::size_t f = 0; f < features; ++f) {
    for (std::size_t r = 0; r < count; ++r) block[f * kRows + r] = rows[r * features + f];
    for (std::size_t r = count; r < kRows; ++r) block[f * kRows + r] = 0.0;
  }
}

}  // namespace

void RowBlocks::add(std::span<const double> row) {
  assert(row.size() == features_);
  const std::size_t lane = rows_ % kRows;
  if (lane == 0) values_.resize(values_.size() + kRows * features_, 0.0);
  double* block = values_.data() + (rows_ / kRows) * kRows * features_;
  for (std::size_t f = 0; f < features_; ++f) block[f * kRows + lane] = row[f];
  ++rows_;
}

void RowBlocks::copy_row(std::size_t row, std::span<double> out) const {
  for (std::size_t f = 0; f < features_; ++f) out[f] = value(row, f);
}

void logistic_gradient(const RowBlocks& rows, std::span<const double> counts,
                       std::span<const double> payoffs, std::span<const double> theta,
                       std::span<double> gradient) {
  constexpr std::size_t kRows = RowBlocks::kRows;
  assert(counts.size() >= rows.blocks() * kRows);
  assert(payoffs.size() >= rows.blocks() * kRows);
  std::vector<double> sums(kRows * rows.features(), 0.0);
  HWY_DYNAMIC_DISPATCH(gradient_blocks)
  (rows.data(), rows.blocks(), counts.data(), payoffs.data(), theta.data(), rows.features(),
   sums.data());
  for (std::size_t f = 0; f < rows.features(); ++f) {
    const double* s = sums.data() + f * kRows;
    gradient[f] = ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
  }
}

void sigmoids(std::span<double> values) {
  HWY_DYNAMIC_DISPATCH(sigmoid_all)(values.data(), values.size());
}

void means_and_widths(std::span<const double> rows, std::span<const double> theta,
                      std::span<const double> root, std::span<double> means,
                      std::span<double> widths) {
  constexpr std::size_t kRows = RowBlocks::kRows;
  const std::size_t features = theta.size();
  std::vector<double> block(kRows * features);
  double mean[kRows];
  double width[kRows];
  for (std::size_t first = 0; first < means.size(); first += kRows) {
    const std::size_t count = std::min(kRows, means.size() - first);
    transpose(rows.subspan(first * features, count * features), features, block.data());
    HWY_DYNAMIC_DISPATCH(block_means_and_widths)
    (block.data(), features, theta.data(), root.data(), mean, width);
    std::copy(mean, mean + count, means.begin() + static_cast<std::ptrdiff_t>(first));
    std::copy(width, width + count, widths.begin() + static_cast<std::ptrdiff_t>(first));
  }
}

}  // namespace updraft
#endif

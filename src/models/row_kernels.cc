#include "models/row_kernels.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <memory>

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

/// One block of kSums rows that lie one after the other.
HWY_INLINE void transpose_block(const double* rows, std::size_t features, double* block) {
  std::size_t f = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::CappedTag<double, 2> pairs;
  for (; f + 2 <= features; f += 2) {
    for (std::size_t r = 0; r < kSums; r += 2) {
      const auto one = hn::LoadU(pairs, rows + r * features + f);
      const auto next = hn::LoadU(pairs, rows + (r + 1) * features + f);
      hn::StoreU(hn::InterleaveLower(pairs, one, next), pairs, block + f * kSums + r);
      hn::StoreU(hn::InterleaveUpper(pairs, one, next), pairs, block + (f + 1) * kSums + r);
    }
  }
#endif
  for (; f < features; ++f) {
    for (std::size_t r = 0; r < kSums; ++r) block[f * kSums + r] = rows[r * features + f];
  }
}

/// Blocks that go through a product together: enough vectors to keep the machine busy.
constexpr std::size_t kTogether = 4 / kVectors > 0 ? 4 / kVectors : 1;

/// Means and widths of the rows of kBlocks blocks.
template <std::size_t kBlocks>
HWY_INLINE void some_means_and_widths(const double* blocks, std::size_t features,
                                      const double* theta, const double* root, double* means,
                                      double* widths) {
  constexpr std::size_t kParts = kBlocks * kVectors;
  const Doubles doubles;
  const auto load = [&](std::size_t part, std::size_t feature) HWY_ATTR {
    const double* block = blocks + part / kVectors * features * kSums;
    return hn::LoadU(doubles, block + feature * kSums + part % kVectors * kLanes);
  };
  Vector mean[kParts];
  Vector square[kParts];
  for (std::size_t p = 0; p < kParts; ++p) mean[p] = square[p] = hn::Zero(doubles);
  const auto add_mean = [&](std::size_t i) HWY_ATTR {
    const Vector weight = hn::Set(doubles, theta[i]);
    for (std::size_t p = 0; p < kParts; ++p) {
      mean[p] = hn::Add(mean[p], hn::Mul(weight, load(p, i)));
    }
  };
  const auto add_product = [&](Vector* product, double entry, std::size_t j) HWY_ATTR {
    const Vector factor = hn::Set(doubles, entry);
    for (std::size_t p = 0; p < kParts; ++p) {
      product[p] = hn::Add(product[p], hn::Mul(factor, load(p, j)));
    }
  };
  const auto add_square = [&](const Vector* product) HWY_ATTR {
    for (std::size_t p = 0; p < kParts; ++p) {
      square[p] = hn::Add(square[p], hn::Mul(product[p], product[p]));
    }
  };
  // Two rows of the root at a time: i, which has i + 1 numbers, and the next, which has one more.
  std::size_t i = 0;
  for (; i + 2 <= features; i += 2) {
    Vector product[kParts];
    Vector next[kParts];
    for (std::size_t p = 0; p < kParts; ++p) product[p] = next[p] = hn::Zero(doubles);
    for (std::size_t j = 0; j <= i; ++j) {
      add_product(product, root[j], j);
      add_product(next, root[i + 1 + j], j);
    }
    add_product(next, root[2 * i + 2], i + 1);
    root += 2 * i + 3;
    add_square(product);
    add_square(next);
    add_mean(i);
    add_mean(i + 1);
  }
  if (i < features) {
    Vector product[kParts];
    for (std::size_t p = 0; p < kParts; ++p) product[p] = hn::Zero(doubles);
    for (std::size_t j = 0; j <= i; ++j) add_product(product, root[j], j);
    add_square(product);
    add_mean(i);
  }
  for (std::size_t p = 0; p < kParts; ++p) {
    hn::StoreU(mean[p], doubles, means + p * kLanes);
    hn::StoreU(hn::Sqrt(square[p]), doubles, widths + p * kLanes);
  }
}

/// Means and widths of count rows, a multiple of kSums. `blocks` has room for kTogether blocks.
void row_means_and_widths(const double* rows, std::size_t count, std::size_t features,
                          const double* theta, const double* root, double* blocks, double* means,
                          double* widths) {
  const auto transpose_some = [&](std::size_t first, std::size_t some) HWY_ATTR {
    for (std::size_t b = 0; b < some; ++b) {
      transpose_block(rows + (first + b * kSums) * features, features,
                      blocks + b * features * kSums);
    }
  };
  std::size_t first = 0;
  for (; first + kTogether * kSums <= count; first += kTogether * kSums) {
    transpose_some(first, kTogether);
    some_means_and_widths<kTogether>(blocks, features, theta, root, means + first, widths + first);
  }
  for (; first < count; first += kSums) {
    transpose_some(first, 1);
    some_means_and_widths<1>(blocks, features, theta, root, means + first, widths + first);
  }
}

/// Adds x[i] x[j] to eight sums of row i, for all rows x of `width` numbers, in their order.
template <std::size_t kColumns>
HWY_INLINE void add_products(const double* rows, std::size_t count, std::size_t width,
                             std::size_t i, std::size_t j, double* sums) {
  const Doubles doubles;
  Vector sum[kColumns][kVectors];
  for (std::size_t c = 0; c < kColumns; ++c) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      sum[c][v] = hn::LoadU(doubles, sums + (i + c) * width + j + v * kLanes);
    }
  }
  for (std::size_t r = 0; r < count; ++r) {
    const double* row = rows + r * width;
    Vector x[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) x[v] = hn::LoadU(doubles, row + j + v * kLanes);
    for (std::size_t c = 0; c < kColumns; ++c) {
      const Vector factor = hn::Set(doubles, row[i + c]);
      for (std::size_t v = 0; v < kVectors; ++v) {
        sum[c][v] = hn::Add(sum[c][v], hn::Mul(factor, x[v]));
      }
    }
  }
  for (std::size_t c = 0; c < kColumns; ++c) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      hn::StoreU(sum[c][v], doubles, sums + (i + c) * width + j + v * kLanes);
    }
  }
}

void add_outer_product_rows(const double* rows, std::size_t count, std::size_t width,
                            std::size_t size, double* sums) {
  constexpr std::size_t kColumns = 4;
  for (std::size_t i = 0; i < size; i += kColumns) {
    for (std::size_t j = i / kSums * kSums; j < width; j += kSums) {
      add_products<kColumns>(rows, count, width, i, j, sums);
    }
  }
}

/// Column j of L from column j of the matrix: less L(j, k) column k for k < j, then divided by the
/// root of what is then its first number. False where that is not above 0.
HWY_INLINE bool factorise_column(double* columns, std::size_t width, std::size_t j) {
  const Doubles doubles;
  double* column = columns + j * width;
  const auto part_below = [&](std::size_t at) HWY_ATTR {
    Vector part = hn::LoadU(doubles, column + at);
    for (std::size_t k = 0; k < j; ++k) {
      const Vector factor = hn::Set(doubles, columns[k * width + j]);
      part = hn::Sub(part, hn::Mul(factor, hn::LoadU(doubles, columns + k * width + at)));
    }
    return part;
  };
  const std::size_t first = j / kSums * kSums;
  for (std::size_t at = first; at < width; at += kLanes) {
    hn::StoreU(part_below(at), doubles, column + at);
  }
  if (!(column[j] > 0.0)) return false;
  const Vector scale = hn::Set(doubles, 1.0 / std::sqrt(column[j]));
  for (std::size_t at = first; at < width; at += kLanes) {
    hn::StoreU(hn::Mul(scale, hn::LoadU(doubles, column + at)), doubles, column + at);
  }
  return true;
}

/// Row i of L^-1: (e_i - sum over k < i of L(i, k) row k) / L(i, i).
HWY_INLINE void invert_row(const double* columns, std::size_t width, std::size_t i, double* rows) {
  const Doubles doubles;
  double* row = rows + i * width;
  std::fill(row, row + width, 0.0);
  row[i] = 1.0;
  const Vector scale = hn::Set(doubles, 1.0 / columns[i * width + i]);
  for (std::size_t at = 0; at <= i; at += kLanes) {
    Vector part = hn::LoadU(doubles, row + at);
    for (std::size_t k = at; k < i; ++k) {  // rows before have zeros here
      const Vector factor = hn::Set(doubles, columns[k * width + i]);
      part = hn::Sub(part, hn::Mul(factor, hn::LoadU(doubles, rows + k * width + at)));
    }
    hn::StoreU(hn::Mul(scale, part), doubles, row + at);
  }
}

bool factorise_and_invert(double* columns, std::size_t width, std::size_t size, double* rows) {
  for (std::size_t j = 0; j < size; ++j) {
    if (!factorise_column(columns, width, j)) return false;
  }
  for (std::size_t i = 0; i < size; ++i) invert_row(columns, width, i, rows);
  return true;
}

}  // namespace updraft::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace updraft {

HWY_EXPORT(sigmoid_all);
HWY_EXPORT(gradient_blocks);
HWY_EXPORT(row_means_and_widths);
HWY_EXPORT(add_outer_product_rows);
HWY_EXPORT(factorise_and_invert);

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
  constexpr std::size_t kMostTogether = 4;
  const std::size_t features = theta.size();
  const auto room =
      std::make_unique_for_overwrite<double[]>((kMostTogether + 1) * kRows * features);
  double* last = room.get() + kMostTogether * kRows * features;  // rows that fill no block
  const auto evaluate = [&](const double* some, std::size_t count, double* to_means,
                            double* to_widths) {
    HWY_DYNAMIC_DISPATCH(row_means_and_widths)
    (some, count, features, theta.data(), root.data(), room.get(), to_means, to_widths);
  };
  const std::size_t whole = means.size() / kRows * kRows;
  evaluate(rows.data(), whole, means.data(), widths.data());
  if (whole == means.size()) return;
  const std::span<const double> rest = rows.subspan(whole * features);
  std::fill(std::copy(rest.begin(), rest.end(), last), last + kRows * features, 0.0);
  double mean[kRows];
  double width[kRows];
  evaluate(last, kRows, mean, width);
  std::copy_n(mean, means.size() - whole, means.data() + whole);
  std::copy_n(width, means.size() - whole, widths.data() + whole);
}

void add_outer_products(std::span<const double> rows, std::size_t width, std::size_t size,
                        std::span<double> sums) {
  assert(width % RowBlocks::kRows == 0 && size <= width && sums.size() == width * width);
  HWY_DYNAMIC_DISPATCH(add_outer_product_rows)
  (rows.data(), rows.size() / width, width, size, sums.data());
}

bool inverse_root(std::span<double> matrix, std::size_t width, std::size_t size,
                  std::span<double> rows) {
  assert(width % RowBlocks::kRows == 0 && size <= width);
  assert(matrix.size() >= size * width && rows.size() >= size * width);
  return HWY_DYNAMIC_DISPATCH(factorise_and_invert)(matrix.data(), width, size, rows.data());
}

}  // namespace updraft
#endif

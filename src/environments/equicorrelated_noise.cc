#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/dense.h"
#include "environments/columns.h"
#include "environments/noise.h"

namespace updraft {
namespace {

/// The total is one normal T. Given T, the atoms' sums are
///   x(g) = s(g) w(g) + n(g) / m * (T - sum of s w),  s(g)^2 = n(g) * the variance not shared,
/// with a normal w per atom of n(g) variables: what is shared by all of them is in T. Given x(g),
/// its variables are x(g) / n(g) plus normals conditioned to add up to 0. So single variables take
/// m + 1 normals, the coarser resolutions fewer of the same.
///
/// Tables have a column of the block's rounds for each number.
class EquicorrelatedNoise final : public NoiseSource {
 public:
  explicit EquicorrelatedNoise(const Instance& instance) : atoms_(instance.affected()->atoms()) {
    const auto& noise = std::get<GaussianNoise>(instance.noise());
    const double factor =
        noise.covariance == GaussianNoise::Covariance::kFactor ? noise.factor : 0.0;
    m_ = static_cast<double>(atoms_->variables());
    sd_ = std::sqrt(noise.variance);
    own_sd_ = std::sqrt(noise.variance * (1.0 - factor));
    total_sd_ = std::sqrt(noise.variance * m_ * ((1.0 - factor) + m_ * factor));
    for (const std::size_t size : atoms_->sizes()) {
      const auto n = static_cast<double>(size);
      atom_sds_.push_back(own_sd_ * std::sqrt(n));
    }
    first_of_atom_.assign(atoms_->groups(), kNone);
    for (const Partition::Segment& segment : atoms_->segments()) {
      VariableId& first = first_of_atom_[segment.group];
      if (first == kNone) first = segment.range.begin;
    }
  }

  std::size_t numbers(Resolution::Kind kind) const override {
    return kind == Resolution::Kind::kTotal    ? 1
           : kind == Resolution::Kind::kGroups ? atoms_->groups()
                                               : atoms_->variables();
  }

  void draw(const RoundBlock& block, Resolution::Kind kind, std::span<double> columns,
            DrawBuffers& buffers) const override {
    if (kind == Resolution::Kind::kTotal) {
      draw_total(block, columns);
      return;
    }
    const std::size_t rounds = block.rounds;
    const std::size_t groups = atoms_->groups();
    const std::size_t singles = atoms_->variables() - groups;  // normals for single variables
    const bool fine = kind == Resolution::Kind::kVariables;
    const std::array<std::size_t, 4> sizes = {2, fine ? Stream::whole_pairs(groups) : 0,
                                              fine ? Stream::whole_pairs(singles) : 0,
                                              fine ? groups : 0};
    buffers.sums.resize(rounds * std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}));
    std::span<double> left(buffers.sums);
    std::array<std::span<double>, 4> tables;
    for (std::size_t j = 0; j < sizes.size(); ++j) {
      tables[j] = left.first(sizes[j] * rounds);
      left = left.subspan(sizes[j] * rounds);
    }
    const auto [total, atoms, normals, normal_sums] = tables;
    draw_total(block, total);
    draw_atoms(block, total, fine ? atoms : columns);
    if (!fine) return;
    block.stream(Purpose::kNoiseVariables).normal_columns(block.first, rounds, singles, normals);
    spread(atoms, normals, normal_sums, rounds, columns);
  }

  double baseline_sd(VariableId) const override { return sd_; }

 private:
  static constexpr VariableId kNone = ~VariableId{0};

  void draw_total(const RoundBlock& block, std::span<double> total) const {
    block.stream(Purpose::kNoiseTotal).normal_columns(block.first, block.rounds, 1, total);
    for (std::size_t r = 0; r < block.rounds; ++r) total[r] *= total_sd_;
  }

  /// `total` is used up.
  void draw_atoms(const RoundBlock& block, std::span<double> total, std::span<double> atoms) const {
    const std::size_t rounds = block.rounds;
    const std::size_t groups = atoms_->groups();
    block.stream(Purpose::kNoiseGroups).normal_columns(block.first, rounds, groups, atoms);
    const auto rest = total.first(rounds);
    for (std::size_t g = 0; g < groups; ++g) {
      scale_and_take(atoms.subspan(g * rounds, rounds), atom_sds_[g], rest);
    }
    for (std::size_t g = 0; g < groups; ++g) {
      const double share = static_cast<double>(atoms_->sizes()[g]) / m_;
      add_scaled(atoms.subspan(g * rounds, rounds), share, rest);
    }
  }

  /// From atom sums to single variables. With independent normals u(2..n) of sum U, the numbers
  ///   U / sqrt(n), u(j) - U / (n - sqrt(n))
  /// have the law of n independent normals minus their mean: (0, u) reflected so that the first
  /// axis becomes the diagonal.
  void spread(std::span<const double> atoms, std::span<const double> normals,
              std::span<double> sums, std::size_t rounds, std::span<double> out) const {
    std::fill(sums.begin(), sums.end(), 0.0);
    std::size_t next = 0;
    for_each_run([&](GroupId g, VariableId first, VariableId begin, VariableId end) {
      const auto sum = sums.subspan(g * rounds, rounds);
      const std::size_t count = end - begin - (first == begin ? 1 : 0);
      if (rounds == 1) {
        sum[0] += sum_of(normals.subspan(next, count));
      } else {
        for (std::size_t j = 0; j < count; ++j) {
          add_to(sum, normals.subspan((next + j) * rounds, rounds));
        }
      }
      next += count;
    });
    next = 0;
    for_each_run([&](GroupId g, VariableId first, VariableId begin, VariableId end) {
      const auto n = static_cast<double>(atoms_->sizes()[g]);
      const double root = std::sqrt(n);
      const double pull = n > 1.0 ? 1.0 / (n - root) : 0.0;
      const Term atom{1.0 / n, atoms.data() + g * rounds};
      const double* sum = sums.data() + g * rounds;
      VariableId i = begin;
      if (first == begin) {
        combine(out.subspan(i++ * rounds, rounds), atom, {own_sd_ / root, sum}, {0.0, sum});
      }
      if (rounds == 1) {
        const double shift = atom.factor * atom.column[0] - own_sd_ * pull * sum[0];
        for (; i != end; ++i) out[i] = shift + own_sd_ * normals[next++];
      }
      for (; i != end; ++i) {
        combine(out.subspan(i * rounds, rounds), atom, {-own_sd_ * pull, sum},
                {own_sd_, normals.data() + next++ * rounds});
      }
    });
  }

  /// visit(atom, the atom's first variable, begin, end) for each segment.
  template <typename Visit>
  void for_each_run(Visit visit) const {
    for (const Partition::Segment& s : atoms_->segments()) {
      visit(s.group, first_of_atom_[s.group], s.range.begin, s.range.end);
    }
  }

  std::shared_ptr<const Partition> atoms_;
  std::vector<double> atom_sds_;  // of what is not shared by all variables
  std::vector<VariableId> first_of_atom_;
  double m_ = 0.0;
  double sd_ = 0.0;      // of a variable
  double own_sd_ = 0.0;  // of what a variable does not share
  double total_sd_ = 0.0;
};

}  // namespace

std::unique_ptr<NoiseSource> make_equicorrelated_noise(const Instance& instance) {
  return std::make_unique<EquicorrelatedNoise>(instance);
}

}  // namespace updraft

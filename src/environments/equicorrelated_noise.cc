#include <algorithm>
#include <cmath>
#include <numeric>

#include "environments/noise.h"

namespace updraft {
namespace {

class EquicorrelatedNoise final : public NoiseSource {
 public:
  explicit EquicorrelatedNoise(const Instance& instance) : atoms_(instance.affected()->atoms()) {
    const auto& noise = std::get<GaussianNoise>(instance.noise());
    const double factor =
        noise.covariance == GaussianNoise::Covariance::kFactor ? noise.factor : 0.0;
    sd_ = std::sqrt(noise.variance);
    shared_sd_ = std::sqrt(noise.variance * factor);
    own_sd_ = std::sqrt(noise.variance * (1.0 - factor));
    for (const std::size_t size : atoms_->sizes()) {
      atom_sizes_.push_back(static_cast<double>(size));
      atom_sds_.push_back(std::sqrt(static_cast<double>(size)));
    }
    variables_ = static_cast<double>(atoms_->variables());
  }

  double total(const RoundKey& key, ActionId) const override {
    return variables_ * shared(key) + own_sd_ * own_total(key);
  }

  void atoms(const RoundKey& key, ActionId, std::span<double> out) const override {
    own_atoms(key, out);
    const double common = shared(key);
    for (std::size_t g = 0; g < out.size(); ++g) {
      out[g] = atom_sizes_[g] * common + own_sd_ * out[g];
    }
  }

  void variables(const RoundKey& key, ActionId, std::span<double> sums,
                 std::span<double> out) const override {
    const double common = shared(key);
    if (own_sd_ == 0.0) {
      std::fill(out.begin(), out.end(), common);
      return;
    }
    key.stream(Purpose::kNoiseVariables).normals(key.round, 0, out);
    atoms_->sum_dense(out, sums);
    // Shift each atom so that its variables add up to the atom's own noise.
    std::vector<double> shift(sums.size());
    own_atoms(key, shift);
    for (std::size_t g = 0; g < sums.size(); ++g) shift[g] = (shift[g] - sums[g]) / atom_sizes_[g];
    for (const Partition::Segment& segment : atoms_->segments()) {
      for (VariableId i = segment.range.begin; i != segment.range.end; ++i) {
        out[i] = common + own_sd_ * (out[i] + shift[segment.group]);
      }
    }
  }

  double baseline_sd(VariableId) const override { return sd_; }

 private:
  double shared(const RoundKey& key) const {
    if (shared_sd_ == 0.0) return 0.0;
    return shared_sd_ * key.stream(Purpose::kNoiseFactor).normal(key.round, 0);
  }

  /// Sum of m independent standard normals.
  double own_total(const RoundKey& key) const {
    if (own_sd_ == 0.0) return 0.0;
    return std::sqrt(variables_) * key.stream(Purpose::kNoiseTotal).normal(key.round, 0);
  }

  /// Sums of independent standard normals over the atoms, given their total.
  void own_atoms(const RoundKey& key, std::span<double> out) const {
    if (own_sd_ == 0.0) {
      std::fill(out.begin(), out.end(), 0.0);
      return;
    }
    key.stream(Purpose::kNoiseGroups).normals(key.round, 0, out);
    for (std::size_t g = 0; g < out.size(); ++g) out[g] *= atom_sds_[g];
    const double rest = own_total(key) - std::accumulate(out.begin(), out.end(), 0.0);
    for (std::size_t g = 0; g < out.size(); ++g) out[g] += atom_sizes_[g] / variables_ * rest;
  }

  std::shared_ptr<const Partition> atoms_;
  std::vector<double> atom_sizes_;
  std::vector<double> atom_sds_;
  double variables_ = 0.0;
  double sd_ = 0.0;  // of a variable
  double shared_sd_ = 0.0;
  double own_sd_ = 0.0;
};

}  // namespace

std::unique_ptr<NoiseSource> make_equicorrelated_noise(const Instance& instance) {
  return std::make_unique<EquicorrelatedNoise>(instance);
}

}  // namespace updraft

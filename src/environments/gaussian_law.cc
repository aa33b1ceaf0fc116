#include <algorithm>
#include <cmath>

#include "core/dense.h"
#include "environments/noise.h"
#include "environments/payoff_law.h"
#include "random/chi_squared.h"

namespace updraft {
namespace {

std::unique_ptr<NoiseSource> make_noise(const Instance& instance) {
  switch (std::get<GaussianNoise>(instance.noise()).covariance) {
    case GaussianNoise::Covariance::kMatrix:
      return make_matrix_noise(instance);
    case GaussianNoise::Covariance::kSharedByAffected:
      return make_shared_noise(instance);
    case GaussianNoise::Covariance::kIdentity:
    case GaussianNoise::Covariance::kFactor:
      break;
  }
  return make_equicorrelated_noise(instance);
}

/// Means plus normal noise. With tail_degrees, the noise of each round is multiplied by one factor,
/// whatever the resolution: made of draws of Purpose::kNoiseFactor.
/// Deviation: baseline_means() draws the means of many observations as normal, with heavy tails
/// too.
class GaussianLaw final : public PayoffLaw {
 public:
  explicit GaussianLaw(std::shared_ptr<const Instance> given)
      : PayoffLaw(std::move(given)),
        noise_(make_noise(instance())),
        tail_degrees_(std::get<GaussianNoise>(instance().noise()).tail_degrees) {
    const Partition& atoms = *instance().affected()->atoms();
    for (ActionId action = 0; action < instance().actions(); ++action) {
      atom_means_.emplace_back(atoms.groups());
      atoms.sum_dense(instance().means(action), atom_means_.back());
    }
  }

  std::uint32_t block_rounds(Resolution::Kind kind) const override {
    return rounds_in_cache(noise_->numbers(kind));
  }

  void draw_noise(NoiseBlock& noise, DrawBuffers& buffers) const override {
    noise.columns.resize(noise.block.rounds * Stream::whole_pairs(noise_->numbers(noise.kind)));
    noise_->draw(noise.block, noise.kind, noise.columns, buffers);
    if (tail_degrees_ > 0) widen(noise);
  }

  double total(const NoiseBlock& noise, std::uint32_t round, ActionId action) const override {
    return instance().rewards()[action] + noise_->total(noise.at(round), action);
  }

  void atom_sums(const NoiseBlock& noise, std::uint32_t round, ActionId action,
                 std::span<double> out) const override {
    std::copy(atom_means_[action].begin(), atom_means_[action].end(), out.begin());
    noise_->add_atoms(noise.at(round), action, out);
  }

  Payoffs variables(const NoiseBlock& noise, std::uint32_t round, ActionId action,
                    DrawBuffers& buffers) const override {
    std::vector<double>& values = buffers.values;
    values = instance().baseline();
    auto mean = instance().affected_means(action).begin();
    for (const VariableRange range : instance().affected()->of(action).ranges()) {
      for (VariableId i = range.begin; i != range.end; ++i) values[i] = *mean++;
    }
    noise_->add_variables(noise.at(round), action, values);
    return Payoffs::dense(values);
  }

  void baseline_means(const Stream& stream, std::uint64_t count,
                      std::span<double> out) const override {
    const double scale = 1.0 / std::sqrt(static_cast<double>(count));
    stream.normals(0, 0, out);
    for (VariableId i = 0; i < out.size(); ++i) {
      out[i] = instance().baseline()[i] + scale * noise_->baseline_sd(i) * out[i];
    }
  }

 private:
  void widen(NoiseBlock& noise) const {
    const Stream stream = noise.block.stream(Purpose::kNoiseFactor);
    const std::uint32_t rounds = noise.block.rounds;
    for (std::uint32_t r = 0; r < rounds; ++r) {
      const double square = chi_squared(stream, noise.block.first + r, kFirstDraw, tail_degrees_);
      const double factor = std::sqrt((tail_degrees_ - 2.0) / square);
      for (std::size_t j = r; j < noise.columns.size(); j += rounds) noise.columns[j] *= factor;
    }
  }

  /// Draws before this one may be those of the noise itself.
  static constexpr std::uint64_t kFirstDraw = std::uint64_t{1} << 32;

  std::unique_ptr<NoiseSource> noise_;
  std::uint32_t tail_degrees_;
  std::vector<std::vector<double>> atom_means_;  // per action, sums over atoms
};

}  // namespace

double NoiseSource::total(NoiseBlock::Round round, ActionId) const { return round[0]; }

void NoiseSource::add_atoms(NoiseBlock::Round round, ActionId, std::span<double> to) const {
  if (round.stride == 1) {
    add_to(to, {round.first, to.size()});
  } else {
    for (std::size_t j = 0; j < to.size(); ++j) to[j] += round[j];
  }
}

void NoiseSource::add_variables(NoiseBlock::Round round, ActionId action,
                                std::span<double> to) const {
  add_atoms(round, action, to);
}

std::shared_ptr<const PayoffLaw> make_gaussian_law(std::shared_ptr<const Instance> instance) {
  return std::make_shared<const GaussianLaw>(std::move(instance));
}

}  // namespace updraft

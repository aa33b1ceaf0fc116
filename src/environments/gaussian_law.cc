#include <cmath>

#include "environments/noise.h"
#include "environments/payoff_law.h"

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

/// Means plus normal noise.
class GaussianLaw final : public PayoffLaw {
 public:
  explicit GaussianLaw(std::shared_ptr<const Instance> given)
      : PayoffLaw(std::move(given)), noise_(make_noise(instance())) {
    const Partition& atoms = *instance().affected()->atoms();
    for (ActionId action = 0; action < instance().actions(); ++action) {
      atom_means_.emplace_back(atoms.groups());
      atoms.sum_dense(instance().means(action), atom_means_.back());
    }
  }

  double total(const RoundKey& key, ActionId action, DrawBuffers&) const override {
    return instance().rewards()[action] + noise_->total(key, action);
  }

  void atom_sums(const RoundKey& key, ActionId action, DrawBuffers&,
                 std::span<double> out) const override {
    noise_->atoms(key, action, out);
    for (std::size_t g = 0; g < out.size(); ++g) out[g] += atom_means_[action][g];
  }

  Payoffs variables(const RoundKey& key, ActionId action, DrawBuffers& buffers) const override {
    std::vector<double>& values = buffers.values;
    values.resize(instance().variables());
    buffers.sums.resize(instance().affected()->atoms()->groups());
    noise_->variables(key, action, buffers.sums, values);
    const std::vector<double>& baseline = instance().baseline();
    const auto means = instance().affected_means(action);
    std::size_t next_mean = 0;
    std::size_t next = 0;
    for (const VariableRange range : instance().affected()->of(action).ranges()) {
      for (; next < range.begin; ++next) values[next] += baseline[next];
      for (; next < range.end; ++next) values[next] += means[next_mean++];
    }
    for (; next < values.size(); ++next) values[next] += baseline[next];
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
  std::unique_ptr<NoiseSource> noise_;
  std::vector<std::vector<double>> atom_means_;  // per action, sums over atoms
};

}  // namespace

std::shared_ptr<const PayoffLaw> make_gaussian_law(std::shared_ptr<const Instance> instance) {
  return std::make_shared<const GaussianLaw>(std::move(instance));
}

}  // namespace updraft

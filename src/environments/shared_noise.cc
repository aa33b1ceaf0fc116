#include <algorithm>
#include <cmath>

#include "environments/noise.h"

namespace updraft {
namespace {

class SharedNoise final : public NoiseSource {
 public:
  explicit SharedNoise(const Instance& instance)
      : affected_(instance.affected()),
        sd_(std::sqrt(std::get<GaussianNoise>(instance.noise()).variance)) {}

  double total(const RoundKey& key, ActionId action) const override {
    return static_cast<double>(affected_->of(action).size()) * shared(key);
  }

  void atoms(const RoundKey& key, ActionId action, std::span<double> out) const override {
    std::fill(out.begin(), out.end(), 0.0);
    for (const GroupId atom : affected_->atoms_of(action)) {
      out[atom] = static_cast<double>(affected_->atoms()->sizes()[atom]) * shared(key);
    }
  }

  void variables(const RoundKey& key, ActionId action, std::span<double>,
                 std::span<double> out) const override {
    std::fill(out.begin(), out.end(), 0.0);
    const double noise = shared(key);
    affected_->of(action).for_each([&](VariableId i) { out[i] = noise; });
  }

  double baseline_sd(VariableId) const override { return 0.0; }

 private:
  double shared(const RoundKey& key) const {
    return sd_ * key.stream(Purpose::kNoiseFactor).normal(key.round, 0);
  }

  std::shared_ptr<const AffectedSets> affected_;
  double sd_;
};

}  // namespace

std::unique_ptr<NoiseSource> make_shared_noise(const Instance& instance) {
  return std::make_unique<SharedNoise>(instance);
}

}  // namespace updraft

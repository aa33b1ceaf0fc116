#include <cmath>

#include "environments/noise.h"

namespace updraft {
namespace {

/// A round has one number at every resolution: the noise of a variable that the action affects.
class SharedNoise final : public NoiseSource {
 public:
  explicit SharedNoise(const Instance& instance)
      : affected_(instance.affected()),
        sd_(std::sqrt(std::get<GaussianNoise>(instance.noise()).variance)) {}

  std::size_t numbers(Resolution::Kind) const override { return 1; }

  void draw(const RoundBlock& block, Resolution::Kind, std::span<double> columns,
            DrawBuffers&) const override {
    block.stream(Purpose::kNoiseFactor).normal_columns(block.first, block.rounds, 1, columns);
    for (std::size_t r = 0; r < block.rounds; ++r) columns[r] *= sd_;
  }

  double total(NoiseBlock::Round round, ActionId action) const override {
    return static_cast<double>(affected_->of(action).size()) * round[0];
  }

  void add_atoms(NoiseBlock::Round round, ActionId action, std::span<double> to) const override {
    for (const GroupId atom : affected_->atoms_of(action)) {
      to[atom] += static_cast<double>(affected_->atoms()->sizes()[atom]) * round[0];
    }
  }

  void add_variables(NoiseBlock::Round round, ActionId action,
                     std::span<double> to) const override {
    affected_->of(action).for_each([&](VariableId i) { to[i] += round[0]; });
  }

  double baseline_sd(VariableId) const override { return 0.0; }

 private:
  std::shared_ptr<const AffectedSets> affected_;
  double sd_;
};

}  // namespace

std::unique_ptr<NoiseSource> make_shared_noise(const Instance& instance) {
  return std::make_unique<SharedNoise>(instance);
}

}  // namespace updraft

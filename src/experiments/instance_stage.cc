#include <fmt/format.h>

#include "core/checksum.h"
#include "experiments/play.h"
#include "experiments/stage.h"

namespace updraft {
namespace {

class InstanceStage final : public Stage {
 public:
  explicit InstanceStage(Arena arena) : arena_(std::move(arena)) {}

  std::string checksum() const override {
    return fmt::format("{:08x}", updraft::checksum(format_instance(arena_.instance->definition())));
  }
  void check_playable(const PolicySpec& spec) const override {
    updraft::check_playable(arena_, spec);
  }
  std::size_t numbers() const override { return arena_.curve_rounds.size(); }

  std::vector<std::vector<double>> play(std::span<const PolicySpec> specs, std::uint32_t run,
                                        TaskControl& control) const override {
    std::vector<std::vector<double>> curves;
    for (Outcome& outcome : updraft::play(arena_, specs, run, control)) {
      curves.push_back(std::move(outcome.curve));
    }
    return curves;
  }

 private:
  Arena arena_;
};

}  // namespace

std::unique_ptr<Stage> make_instance_stage(const Experiment& experiment,
                                           std::uint32_t curve_points) {
  return std::make_unique<InstanceStage>(make_arena(
      load_instance(experiment.instance), experiment.rounds, experiment.seed, curve_points));
}

}  // namespace updraft

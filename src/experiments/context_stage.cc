#include <fmt/format.h>

#include "core/checksum.h"
#include "experiments/play_contexts.h"
#include "experiments/stage.h"

namespace updraft {
namespace {

class ContextStage final : public Stage {
 public:
  explicit ContextStage(ContextArena arena) : arena_(std::move(arena)) {}

  std::string checksum() const override {
    const std::vector<double>& theta = arena_.world->theta;
    return fmt::format("{:08x}", updraft::checksum({reinterpret_cast<const char*>(theta.data()),
                                                    theta.size() * sizeof(theta[0])}));
  }
  void check_playable(const PolicySpec& spec) const override {
    updraft::check_playable(arena_, spec);
  }
  std::size_t numbers() const override { return arena_.curve_rounds.size(); }

  std::vector<std::vector<double>> play(std::span<const PolicySpec> specs, std::uint32_t run,
                                        TaskControl& control) const override {
    std::vector<std::vector<double>> curves;
    for (const PolicySpec& spec : specs) {
      curves.push_back(play_contexts(arena_, spec, run, control).curve);
    }
    return curves;
  }

 private:
  ContextArena arena_;
};

}  // namespace

std::unique_ptr<Stage> make_context_stage(const Experiment& experiment,
                                          std::uint32_t curve_points) {
  return std::make_unique<ContextStage>(
      make_context_arena(*experiment.contexts, experiment.rounds, experiment.seed, curve_points));
}

}  // namespace updraft

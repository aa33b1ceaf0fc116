#include <fmt/format.h>

#include "core/checksum.h"
#include "experiments/play.h"
#include "experiments/play_contexts.h"
#include "experiments/stage.h"

namespace updraft {
namespace {

std::uint32_t checksum_of(const Arena& arena) {
  return checksum(format_instance(arena.instance->definition()));
}

std::uint32_t checksum_of(const ContextArena& arena) {
  const std::vector<double>& theta = arena.world->theta;
  return checksum({reinterpret_cast<const char*>(theta.data()), theta.size() * sizeof(theta[0])});
}

std::vector<Outcome> outcomes(const Arena& arena, std::span<const PolicySpec> specs,
                              std::uint32_t run, TaskControl& control) {
  return play(arena, specs, run, control);
}

std::vector<Outcome> outcomes(const ContextArena& arena, std::span<const PolicySpec> specs,
                              std::uint32_t run, TaskControl& control) {
  std::vector<Outcome> all;
  for (const PolicySpec& spec : specs) all.push_back(play_contexts(arena, spec, run, control));
  return all;
}

/// An Arena or a ContextArena. A run keeps the curve of the regret and nothing else.
template <typename AnyArena>
class ArenaStage final : public Stage {
 public:
  explicit ArenaStage(AnyArena arena) : arena_(std::move(arena)) {}

  std::string checksum() const override { return fmt::format("{:08x}", checksum_of(arena_)); }
  void check_playable(const PolicySpec& spec) const override {
    updraft::check_playable(arena_, spec);
  }
  std::size_t numbers() const override { return arena_.curve_rounds.size(); }

  std::vector<std::vector<double>> play(std::span<const PolicySpec> specs, std::uint32_t run,
                                        TaskControl& control) const override {
    std::vector<std::vector<double>> curves;
    for (Outcome& outcome : outcomes(arena_, specs, run, control)) {
      curves.push_back(std::move(outcome.curve));
    }
    return curves;
  }

 private:
  AnyArena arena_;
};

}  // namespace

std::unique_ptr<Stage> make_instance_stage(const Experiment& experiment,
                                           std::uint32_t curve_points) {
  return std::make_unique<ArenaStage<Arena>>(make_arena(
      load_instance(experiment.instance), experiment.rounds, experiment.seed, curve_points));
}

std::unique_ptr<Stage> make_context_stage(const Experiment& experiment,
                                          std::uint32_t curve_points) {
  return std::make_unique<ArenaStage<ContextArena>>(
      make_context_arena(*experiment.contexts, experiment.rounds, experiment.seed, curve_points));
}

}  // namespace updraft

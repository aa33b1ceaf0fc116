#include "experiments/workload.h"

#include "updraft/error.h"

namespace updraft {

void check_run(const RunOptions& options) {
  if (options.rounds < 1) throw InvalidInput("rounds", "0", "must be at least 1");
  if (options.curve_points < 1) throw InvalidInput("curve_points", "0", "must be at least 1");
  if (options.batch < 1) throw InvalidInput("batch", "0", "must be at least 1");
}

Workload::Workload(Knowledge knowledge, const RunOptions& options)
    : knowledge_(std::move(knowledge)),
      seed_(options.seed),
      batch_(options.batch),
      curve_rounds_(spaced_rounds(options.rounds, options.curve_points)) {}

std::vector<double> Workload::numbers_of(const Outcome& outcome) const {
  std::vector<double> regrets;
  for (const Measures& sums : outcome.curve) regrets.push_back(sums.regret);
  return regrets;
}

std::unique_ptr<Workload> make_workload(const Experiment& experiment, const RunOptions& options,
                                        const std::filesystem::path& data) {
  if (experiment.contexts) return make_workload(*experiment.contexts, options);
  if (!experiment.targeting) return make_workload(load_instance(experiment.instance), options);
  const TargetingSetting& setting = *experiment.targeting;
  check_run(options);  // before what takes long
  return make_workload(load_population(setting, data),
                       {.individuals = setting.individuals, .budget = setting.budget}, options);
}

}  // namespace updraft

#include "experiments/record_run.h"
#include "experiments/workload.h"
#include "updraft/decision_log.h"
#include "updraft/error.h"
#include "updraft/registry.h"
#include "updraft/simulate.h"

namespace updraft {
namespace {

/// A policy of which a share of the decisions is replaced by uniform ones, and another by a control
/// action. Those draw from the stream of pools, which plain runs do not have.
class ExploringPolicy {
 public:
  ExploringPolicy(Policy& policy, const RecordOptions& options, std::uint64_t seed)
      : policy_(policy),
        explore_(options.explore),
        holdout_(options.holdout),
        control_(options.control.value_or(0)),
        stream_(seed, options.run, Purpose::kPolicy),
        uniform_(seed, options.run, Purpose::kPool) {}

  /// The probability of every action, then the action.
  Decision decide(std::uint32_t round, std::vector<double>& distribution) {
    const auto actions = static_cast<double>(policy_.knowledge().actions());
    distribution = policy_.probabilities(stream_);
    for (double& share : distribution) {
      share = (1.0 - explore_ - holdout_) * share + explore_ / actions;
    }
    distribution[control_] += holdout_;
    Decision decision = policy_.preview(stream_);
    double draws[2] = {};
    uniform_.uniforms(round, 0, draws);
    if (draws[0] < explore_) {
      decision.action = static_cast<ActionId>(draws[1] * actions);
    } else if (draws[0] < explore_ + holdout_) {
      decision.action = control_;
    }
    decision.number = round;
    decision.probability = distribution[decision.action];
    policy_.take(decision.action);
    return decision;
  }

 private:
  Policy& policy_;
  double explore_;
  double holdout_;
  ActionId control_;
  Stream stream_;
  Stream uniform_;
};

}  // namespace

void record_run(const Workload& workload, const PolicySpec& spec, const RecordOptions& options,
                const Recorder& record) {
  const StartedRun started = workload.start({&spec, 1}, options.run);
  Policy& policy = *started.policies.front();
  ExploringPolicy exploring(policy, options, workload.seed());
  std::vector<double> distribution;
  for (std::uint32_t round = 0; round < workload.curve_rounds().back(); ++round) {
    if (options.stop.stop_requested()) throw Cancelled();
    started.environment->begin(round);
    const Decision decision = exploring.decide(round, distribution);
    const Payoffs payoffs = started.environment->pay(decision, options.resolution);
    record(decision, distribution, payoffs);
    policy.observe(decision.action, payoffs);
  }
}

void write_log(std::shared_ptr<const Instance> instance, const PolicySpec& spec,
               const SimulationOptions& options, const SimulatedLog& log) {
  if (!(log.explore >= 0.0 && log.explore <= 1.0)) {
    throw InvalidInput("log.explore", log.explore, "must be in [0, 1]");
  }
  if (!(log.holdout >= 0.0 && log.holdout + log.explore <= 1.0)) {
    throw InvalidInput("log.holdout", log.holdout, "must be in [0, 1 - log.explore]");
  }
  if (log.holdout > 0.0 && !(log.control && *log.control < instance->actions())) {
    throw InvalidInput("log.holdout", log.holdout, "needs a control action of the instance");
  }
  if (options.batch != 1) {
    throw InvalidInput("batch", std::to_string(options.batch),
                       "cannot be combined with a log, whose decisions are made one by one");
  }
  const std::unique_ptr<Workload> workload =
      make_workload(instance, {.rounds = options.rounds,
                               .seed = options.seed,
                               .may_know = options.may_know,
                               .knowledge_of = options.knowledge_of,
                               .warm_log = options.warm_log});
  workload->check(spec);
  LogWriter writer(log.path, {.actions = instance->definition().action_names,
                              .variables = instance->variables(),
                              .long_form = log.long_form});
  record_run(*workload, spec,
             {.explore = log.explore,
              .holdout = log.holdout,
              .control = log.control,
              .stop = options.stop},
             [&](const Decision& decision, std::span<const double> distribution,
                 const Payoffs& payoffs) { writer.add(decision, distribution, payoffs); });
  writer.finish();
}

}  // namespace updraft

#include "experiments/check_assumptions.h"

#include "updraft/monitor.h"
#include "updraft/simulate.h"

namespace updraft {

std::vector<AssumptionWarning> check_assumptions(const Workload& workload,
                                                 const std::shared_ptr<const Instance>& instance,
                                                 const PolicySpec& spec,
                                                 const std::stop_token& stop) {
  const StartedRun started = workload.start({&spec, 1}, 0);
  Policy& policy = *started.policies.front();
  const Stream stream(workload.seed(), 0, Purpose::kPolicy);
  Monitor monitor(policy, policy.knowledge());
  for (std::uint32_t round = 0; round < workload.curve_rounds().back(); ++round) {
    if (stop.stop_requested()) throw Cancelled();
    started.environment->begin(round);
    const Decision decision{.action = policy.select(stream)};
    const Payoffs payoffs = started.environment->pay(decision, Resolution::variables());
    policy.observe(decision.action, payoffs);
    monitor.decided(decision.action);
    monitor.observed(decision.action, payoffs);
  }
  return monitor.warnings(policy, policy.explain(Detail::kCheap),
                          {.actions = instance->definition().action_names});
}

}  // namespace updraft

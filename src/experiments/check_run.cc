#include "experiments/check_run.h"

#include "updraft/monitor.h"
#include "updraft/simulate.h"

namespace updraft {

std::vector<AssumptionWarning> check_run(const Arena& arena, const PolicySpec& spec,
                                         const std::stop_token& stop) {
  Environment environment(arena.law, arena.seed, 0);
  const std::unique_ptr<Policy> policy = start_policy(arena, spec, environment);
  const Stream stream(arena.seed, 0, Purpose::kPolicy);
  Monitor monitor(*policy, policy->knowledge());
  for (std::uint32_t round = 0; round < arena.rounds; ++round) {
    if (stop.stop_requested()) throw Cancelled();
    const ActionId action = policy->select(stream);
    const Payoffs payoffs = environment.draw(round, action, Resolution::variables());
    policy->observe(action, payoffs);
    monitor.decided(action);
    monitor.observed(action, payoffs);
  }
  return monitor.warnings(*policy, policy->explain(Detail::kCheap),
                          {.actions = arena.instance->definition().action_names});
}

}  // namespace updraft

#include <fmt/format.h>

#include "core/checksum.h"
#include "experiments/workload.h"
#include "updraft/context_environment.h"
#include "updraft/registry.h"

namespace updraft {
namespace {

class ContextWorkload final : public Workload {
 public:
  ContextWorkload(ContextWorld world, const RunOptions& options)
      : Workload(Knowledge(ContextualShape{.features = world.setting.features(),
                                           .actions = world.setting.actions}),
                 options),
        world_(std::move(world)),
        shown_(options.may_know.value_or(Need::kBaseline | Need::kAffected)) {}

  std::string checksum() const override {
    const std::vector<double>& theta = world_.theta;
    return fmt::format("{:08x}", updraft::checksum({reinterpret_cast<const char*>(theta.data()),
                                                    theta.size() * sizeof(theta[0])}));
  }

  void check(const PolicySpec& spec) const override {
    const StartedRun started = start({&spec, 1}, 0);
    started.policies.front()->explain(started.environment->begin(0));
  }

  StartedRun start(std::span<const PolicySpec> specs, std::uint32_t run) const override {
    StartedRun started;
    started.environment = std::make_unique<ContextEnvironment>(world_, seed(), run, shown_);
    for (const PolicySpec& spec : specs) started.policies.push_back(make_policy(spec, knowledge()));
    return started;
  }

 private:
  ContextWorld world_;
  Needs shown_;
};

}  // namespace

std::unique_ptr<Workload> make_workload(const LinearContexts& setting, const RunOptions& options) {
  check_run(options);
  return std::make_unique<ContextWorkload>(make_context_world(setting), options);
}

}  // namespace updraft

#include <fmt/format.h>

#include "core/checksum.h"
#include "experiments/workload.h"
#include "updraft/error.h"
#include "updraft/instance_environment.h"
#include "updraft/registry.h"
#include "updraft/warm_start.h"

namespace updraft {
namespace {

class InstanceWorkload final : public Workload {
 public:
  InstanceWorkload(std::shared_ptr<const Instance> instance, Knowledge knowledge,
                   const RunOptions& options)
      : Workload(std::move(knowledge), options),
        instance_(std::move(instance)),
        law_(prepare_payoffs(instance_)),
        warm_log_(options.warm_log) {}

  std::string checksum() const override {
    InstanceDefinition played = instance_->definition();
    if (!knowledge().segments()) played.segments.clear();  // nothing depends on them
    return fmt::format("{:08x}", updraft::checksum(format_instance(played)));
  }

  void check(const PolicySpec& spec) const override {
    if (spec.maker() == nullptr) check_effect_gap(*instance_, spec);
    start({&spec, 1}, 0);
  }

  StartedRun start(std::span<const PolicySpec> specs, std::uint32_t run) const override {
    auto environment = std::make_unique<InstanceEnvironment>(law_, seed(), run);
    StartedRun started;
    for (const PolicySpec& spec : specs) {
      Knowledge known = knowledge();
      if (spec.maker() == nullptr && needs_of(spec).contains(Need::kObservations)) {
        const double count = spec.number_or_default("observations");
        known.set_observations(environment->observe_baseline(static_cast<std::uint64_t>(count)));
      }
      started.policies.push_back(make_for_run(spec, known, run));
      if (!warm_log_.empty()) warm(*started.policies.back());
    }
    started.of_instance = environment.get();
    started.environment = std::move(environment);
    return started;
  }

  bool shares_noise() const override { return true; }

 private:
  void warm(Policy& policy) const {
    fit(policy, warm_log_,
        {.absent_is_zero = std::holds_alternative<BernoulliNoise>(instance_->noise()),
         .actions = instance_->definition().action_names});
  }

  std::shared_ptr<const Instance> instance_;
  std::shared_ptr<const PayoffLaw> law_;
  std::string warm_log_;
};

}  // namespace

void check_effect_gap(const Instance& instance, const PolicySpec& spec) {
  if (instance.effect_gap() > 0.0 || !needs_of(spec).contains(Need::kEffectGap)) return;
  throw InvalidInput(
      spec.name() + ".effect_gap",
      fmt::format("must be given: {} has none, because {}, and the theorem needs one",
                  instance.name().empty() ? "the instance" : instance.name(),
                  instance.effects_change() ? "its effects change"
                  : instance.max_affected() == 0
                      ? "nothing is affected"
                      : "two actions give an affected variable the same mean"));
}

std::unique_ptr<Workload> make_workload(std::shared_ptr<const Instance> instance,
                                        const RunOptions& options) {
  check_run(options);
  const Instance& known = options.knowledge_of ? *options.knowledge_of : *instance;
  if (known.actions() != instance->actions() || known.variables() != instance->variables()) {
    throw InvalidInput("knowledge_of", known.name(),
                       "must have as many actions and variables as the instance");
  }
  const Knowledge knowledge = known.knowledge(options.rounds, options.may_know);
  return std::make_unique<InstanceWorkload>(std::move(instance), knowledge, options);
}

}  // namespace updraft

#include "experiments/workload.h"
#include "updraft/registry.h"
#include "updraft/simulate.h"

namespace updraft {
namespace {

/// Rounds of the caller's own. Each policy gets an environment of its own, as that may draw anew.
class OwnWorkload final : public Workload {
 public:
  OwnWorkload(const OwnRounds& rounds, const RunOptions& options)
      : Workload(options.may_know ? rounds.knowledge.only(*options.may_know | Need::kObservations)
                                  : rounds.knowledge,
                 options),
        start_(rounds.start) {}

  std::string checksum() const override { return {}; }  // experiments have no such rounds

  void check(const PolicySpec& spec) const override { make_for_run(spec, knowledge(), 0); }

  StartedRun start(std::span<const PolicySpec> specs, std::uint32_t run) const override {
    StartedRun started;
    for (const PolicySpec& spec : specs) {
      started.policies.push_back(make_for_run(spec, knowledge(), run));
    }
    started.environment = start_(run);
    return started;
  }

  bool on_caller() const override { return true; }

 private:
  decltype(OwnRounds::start) start_;
};

}  // namespace

std::unique_ptr<Policy> make_for_run(const PolicySpec& spec, const Knowledge& knowledge,
                                     std::uint32_t run) {
  return spec.maker() != nullptr ? (*spec.maker())(knowledge, run) : make_policy(spec, knowledge);
}

std::unique_ptr<Workload> make_workload(const OwnRounds& rounds, const RunOptions& options) {
  check_run(options);
  return std::make_unique<OwnWorkload>(rounds, options);
}

}  // namespace updraft

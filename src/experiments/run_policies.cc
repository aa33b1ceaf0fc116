#include "experiments/run_policies.h"

#include <algorithm>

#include "updraft/instance_environment.h"
#include "updraft/simulate.h"

namespace updraft {
namespace {

/// A policy on its way through a run.
class PolicyRun {
 public:
  PolicyRun(const Workload& workload, Policy& policy, std::uint32_t run)
      : next_(workload.curve_rounds().data()),
        policy_(&policy),
        plain_(workload.kind() == PolicyKind::kPlain),
        batch_size_(workload.batch()),
        rounds_(workload.curve_rounds().back()),
        stream_(workload.seed(), run, Purpose::kPolicy) {
    if (workload.kind() == PolicyKind::kTargeting) return;
    for (ActionId action = 0; action < policy.knowledge().actions(); ++action) {
      pulls_before_.push_back(policy.pulls(action));
    }
  }

  /// Rounds begin..end-1. select() is decide() without the probability, which takes a policy that
  /// draws longer than its choice. Plain policies are called without a Round, which is faster.
  template <typename AnyEnvironment>
  void advance(AnyEnvironment& environment, std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t number = begin; number < end; ++number) {
      if (plain_) {
        environment.begin(number);
        decision_.action = batch_size_ == 1 ? policy_->select(stream_) : next_of_batch(number);
        policy_->observe(decision_.action, environment.pay(decision_, policy_->resolution()));
      } else {
        const Round round = environment.begin(number);
        decision_ = policy_->select(round, stream_);
        policy_->learn(decision_, round, environment.pay(decision_, policy_->resolution()));
      }
      environment.measure(decision_, sums_);
      if (number + 1 != *next_) continue;
      outcome_.curve.push_back(sums_);
      ++next_;
    }
  }

  Outcome finish(Environment& environment) {
    if (policy_->kind() != PolicyKind::kTargeting) {
      for (ActionId action = 0; action < policy_->knowledge().actions(); ++action) {
        outcome_.pulls.push_back(
            static_cast<double>(policy_->pulls(action) - pulls_before_[action]));
      }
    }
    const Round held_out = environment.held_out();
    if (held_out.size() > 0) outcome_.held_out = policy_->explain(held_out).individuals;
    return std::move(outcome_);
  }

 private:
  /// Payoffs may be observed one by one: the whole batch is decided before the first of them.
  ActionId next_of_batch(std::uint32_t number) {
    if (decided_ == batch_.size()) {
      batch_ = policy_->select_batch(std::min(batch_size_, rounds_ - number), {}, stream_);
      decided_ = 0;
    }
    return batch_[decided_++].action;
  }

  const std::uint32_t* next_;  // of the curve's rounds
  Policy* policy_;
  bool plain_;
  std::uint32_t batch_size_;
  std::uint32_t rounds_;
  std::vector<Decision> batch_;
  std::size_t decided_ = 0;  // of the batch, how many rounds were played
  Stream stream_;
  std::vector<std::uint64_t> pulls_before_;  // what a warm start had
  Decision decision_;
  Measures sums_;
  Outcome outcome_;
};

std::vector<Outcome> run_in_turns(const Workload& workload, std::span<const PolicySpec> specs,
                                  std::uint32_t run, TaskControl& control) {
  const StartedRun started = workload.start(specs, run);
  Environment& environment = *started.environment;
  const std::uint32_t rounds = workload.curve_rounds().back();
  std::uint32_t block = rounds;
  std::vector<PolicyRun> runs;
  for (const std::unique_ptr<Policy>& policy : started.policies) {
    runs.emplace_back(workload, *policy, run);
    const bool own = policy->spec().maker() != nullptr;  // which may be slow: attend every round
    block = std::min(block, own ? 1 : environment.block_rounds(policy->resolution()));
  }
  for (std::uint32_t begin = 0; begin < rounds; begin += block) {
    const std::uint32_t end = begin + std::min(block, rounds - begin);
    for (PolicyRun& policy : runs) {
      if (started.of_instance != nullptr) {  // without virtual calls: its rounds are short
        policy.advance(*started.of_instance, begin, end);
      } else {
        policy.advance(environment, begin, end);
      }
      control.advance(end - begin);
      if (control.cancelled()) throw Cancelled();
    }
  }
  std::vector<Outcome> outcomes;
  for (PolicyRun& policy : runs) outcomes.push_back(policy.finish(environment));
  return outcomes;
}

}  // namespace

std::vector<Outcome> run_policies(const Workload& workload, std::span<const PolicySpec> specs,
                                  std::uint32_t run, TaskControl& control) {
  if (workload.shares_noise()) return run_in_turns(workload, specs, run, control);
  std::vector<Outcome> outcomes;
  for (const PolicySpec& spec : specs) {
    outcomes.push_back(run_in_turns(workload, {&spec, 1}, run, control).front());
  }
  return outcomes;
}

}  // namespace updraft

#include "updraft/simulate.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <numeric>
#include <thread>

#include "updraft/environment.h"
#include "updraft/error.h"
#include "updraft/policy.h"
#include "updraft/registry.h"

namespace updraft {
namespace {

/// Rounds between two looks at the stop token and two reports of progress.
constexpr std::uint32_t kRoundsPerReport = 64;

/// Baseline payoffs observed per variable before a simulation, where a spec does not say.
constexpr double kDefaultObservations = 1000;

/// One policy in one run.
struct Outcome {
  std::vector<double> curve;  ///< regret after curve_rounds
  std::vector<double> pulls;
};

void check(const std::vector<PolicySpec>& policies, const SimulationOptions& options) {
  if (policies.empty()) throw InvalidInput("policies", "give at least one");
  if (options.rounds < 1) throw InvalidInput("rounds", "0", "must be at least 1");
  if (options.runs < 1) throw InvalidInput("runs", "0", "must be at least 1");
  if (options.curve_points < 1) throw InvalidInput("curve_points", "0", "must be at least 1");
}

/// Evenly spaced, increasing, the last is `rounds`.
std::vector<std::uint32_t> curve_rounds(std::uint32_t rounds, std::uint32_t points) {
  const std::uint64_t count = std::min(rounds, points);
  std::vector<std::uint32_t> result;
  for (std::uint64_t j = 1; j <= count; ++j) {
    result.push_back(static_cast<std::uint32_t>(j * rounds / count));
  }
  return result;
}

/// What a simulation hands its tasks.
struct Setting {
  std::shared_ptr<const Instance> instance;
  std::shared_ptr<const PayoffLaw> law;
  Knowledge knowledge;
  const SimulationOptions& options;
  std::vector<std::uint32_t> curve_rounds;
  std::atomic<std::uint64_t> rounds_done = 0;
  std::atomic<bool> cancelled = false;
};

Knowledge knowledge_of_run(const Setting& setting, const PolicySpec& spec,
                           const Environment& environment) {
  Knowledge knowledge = setting.knowledge;
  if (needs_of(spec).contains(Need::kObservations)) {
    const double count = spec.number("observations").value_or(kDefaultObservations);
    knowledge.set_observations(environment.observe_baseline(static_cast<std::uint64_t>(count)));
  }
  return knowledge;
}

Outcome play(Setting& setting, const PolicySpec& spec, std::uint32_t run) {
  Environment environment(setting.law, setting.options.seed, run);
  const auto policy = make_policy(spec, knowledge_of_run(setting, spec, environment));
  const Stream stream(setting.options.seed, run, Purpose::kPolicy);
  const auto gaps = setting.instance->gaps();

  Outcome outcome;
  outcome.pulls.assign(gaps.size(), 0.0);
  double regret = 0.0;
  auto next_point = setting.curve_rounds.begin();
  for (std::uint32_t round = 0; round < setting.options.rounds; ++round) {
    const ActionId action = policy->select(stream);
    policy->observe(action, environment.draw(round, action, policy->resolution()));
    regret += gaps[action];
    outcome.pulls[action] += 1.0;
    if (round + 1 == *next_point) {
      outcome.curve.push_back(regret);
      ++next_point;
    }
    if ((round + 1) % kRoundsPerReport == 0) {
      setting.rounds_done += kRoundsPerReport;
      if (setting.cancelled) throw Cancelled();
    }
  }
  setting.rounds_done += setting.options.rounds % kRoundsPerReport;
  return outcome;
}

/// Runs task(0) ... task(count - 1) on threads; reports progress from the calling thread.
void run_tasks(std::size_t count, Setting& setting, const std::function<void(std::size_t)>& task) {
  const unsigned wanted = setting.options.threads > 0
                              ? setting.options.threads
                              : std::max(1u, std::thread::hardware_concurrency());
  const std::size_t threads = std::min<std::size_t>(wanted, count);
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::condition_variable finished;
  std::size_t working = threads;
  std::exception_ptr failure;

  std::vector<std::jthread> workers;
  const auto work = [&] {
    try {
      for (std::size_t j = next++; j < count && !setting.cancelled; j = next++) task(j);
    } catch (...) {
      const std::scoped_lock lock(mutex);
      if (!failure) failure = std::current_exception();
      setting.cancelled = true;
    }
    const std::scoped_lock lock(mutex);
    --working;
    finished.notify_one();
  };
  try {
    for (std::size_t t = 0; t < threads; ++t) workers.emplace_back(work);
  } catch (...) {  // no thread to be had: end those that started
    setting.cancelled = true;
    throw;
  }

  const double all_rounds = static_cast<double>(count) * setting.options.rounds;
  std::unique_lock lock(mutex);
  while (!finished.wait_for(lock, std::chrono::milliseconds(100), [&] { return working == 0; })) {
    if (setting.options.stop.stop_requested()) setting.cancelled = true;
    if (setting.options.progress) {
      lock.unlock();
      setting.options.progress(static_cast<double>(setting.rounds_done) / all_rounds);
      lock.lock();
    }
  }
  if (failure) std::rethrow_exception(failure);
  if (setting.cancelled) throw Cancelled();
  if (setting.options.progress) setting.options.progress(1.0);
}

PolicyResult gather(const PolicySpec& spec, const std::vector<std::uint32_t>& rounds,
                    std::span<const Outcome> outcomes) {
  PolicyResult result;
  result.spec = spec.text();
  result.curve_rounds = rounds;
  for (std::size_t point = 0; point < rounds.size(); ++point) {
    std::vector<double> regrets;
    for (const Outcome& outcome : outcomes) regrets.push_back(outcome.curve[point]);
    if (point + 1 == rounds.size()) result.final_regrets = regrets;
    result.curve.push_back(summarize(std::move(regrets)));
  }
  result.final_regret = result.curve.back();
  result.pulls.assign(outcomes.front().pulls.size(), 0.0);
  for (std::size_t action = 0; action < result.pulls.size(); ++action) {
    for (const Outcome& outcome : outcomes) result.pulls[action] += outcome.pulls[action];
    result.pulls[action] /= static_cast<double>(outcomes.size());
  }
  return result;
}

}  // namespace

Summary summarize(std::vector<double> values) {
  if (values.empty()) throw InvalidInput("values", "must not be empty");
  const auto n = static_cast<double>(values.size());
  Summary summary;
  summary.mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  if (values.size() > 1) {
    double squares = 0.0;
    for (const double value : values) squares += (value - summary.mean) * (value - summary.mean);
    summary.sd = std::sqrt(squares / (n - 1.0));
    summary.stderr_ = summary.sd / std::sqrt(n);
  }
  std::sort(values.begin(), values.end());
  const double place = 0.95 * (n - 1.0);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  summary.p95 = values[below] + (place - std::floor(place)) * (values[above] - values[below]);
  return summary;
}

SimulationResult simulate(std::shared_ptr<const Instance> instance,
                          const std::vector<PolicySpec>& policies,
                          const SimulationOptions& options) {
  check(policies, options);
  Setting setting{.instance = instance,
                  .law = prepare_payoffs(instance),
                  .knowledge = instance->knowledge(options.rounds),
                  .options = options,
                  .curve_rounds = curve_rounds(options.rounds, options.curve_points)};
  for (const PolicySpec& spec : policies) {  // refuse before anything is played
    make_policy(spec, knowledge_of_run(setting, spec, Environment(setting.law, options.seed, 0)));
  }

  // Runs are the outer order, so that the slow policies are not all left to the end.
  std::vector<std::vector<Outcome>> outcomes(policies.size(), std::vector<Outcome>(options.runs));
  run_tasks(policies.size() * options.runs, setting, [&](std::size_t task) {
    const std::size_t p = task % policies.size();
    const auto run = static_cast<std::uint32_t>(task / policies.size());
    outcomes[p][run] = play(setting, policies[p], run);
  });

  SimulationResult result;
  for (std::size_t p = 0; p < policies.size(); ++p) {
    result.policies.push_back(gather(policies[p], setting.curve_rounds, outcomes[p]));
  }
  return result;
}

}  // namespace updraft

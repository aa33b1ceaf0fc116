// What docs/stopping.md says of statements that hold at every time, over simulated campaigns:
//
//   stopping settle INSTANCE RUNS ROUNDS PROBE POLICY ...
//     how often and when campaigns settle, and how often on a wrong action. INSTANCE is a shipped
//     one, or aa: five actions that do nothing to twenty variables with shared noise. Looks at
//     every round. Beside it the rounds of a rotation of fixed size that knows the gap and the
//     noise.
//   stopping gain WORLD RUNS ROUNDS SHARE POLICY ...
//     how often the interval of the gain over a holdout of that share holds the truth, at a random
//     time and at all times. WORLD: still, drift (weekdays, a trend and a slow random walk of the
//     baseline), or a shipped instance.
//   stopping guard RUNS ROUNDS HARM POLICY ...
//     how often guardrails raise an alarm, and when. HARM is in standard deviations; 0 for false
//     alarms.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "inference/contrasts.h"
#include "updraft/evidence.h"
#include "updraft/instance_environment.h"
#include "updraft/registry.h"

namespace updraft {
namespace {

using std::numbers::pi;

/// Pays rounds, and knows the truth.
struct World {
  Knowledge knowledge;
  std::vector<double> rewards;  ///< of actions, up to a common number
  std::function<Payoffs(std::uint32_t run, std::uint32_t round, ActionId action)> pay;
};

/// Five actions, four variables of twenty each; one factor is in all variables.
struct Made {
  static constexpr std::size_t kActions = 5, kVariables = 20, kEach = 4;
  std::vector<double> effects = std::vector<double>(kActions, 0.0);  ///< on each of its variables
  double drift = 0.0;                                                ///< in standard deviations
};

World made_world(const Made& made, const Resolution::Kind kind) {
  World world{.knowledge = Knowledge(Made::kActions, Made::kVariables), .rewards = {}, .pay = {}};
  std::vector<VariableSet> sets;
  for (VariableId a = 0; a < Made::kActions; ++a) {
    std::vector<VariableId> ids(Made::kEach);
    for (VariableId j = 0; j < Made::kEach; ++j) ids[j] = a * 3 + j;  // neighbours share one
    sets.push_back(VariableSet::from_ids(ids));
    world.rewards.push_back(made.effects[a] * Made::kEach);
  }
  const std::vector<VariableSet> copies = sets;
  world.knowledge.set_affected(std::move(sets));
  const auto atoms = world.knowledge.affected()->atoms();
  world.pay = [made, copies, atoms, kind, payoffs = std::vector<double>(Made::kVariables),
               sums = std::vector<double>(atoms->groups()),
               walk = 0.0](std::uint32_t run, std::uint32_t round, ActionId action) mutable {
    const Stream stream(7, run, Purpose::kTest);
    stream.normals(round, 0, payoffs);
    const double shared = stream.normal(round, 1000);
    walk = round == 0 ? 0.0 : walk + 0.05 * stream.normal(round, 1001);
    const double level = made.drift * (std::sin(2.0 * pi * round / 7.0) + 0.005 * round + walk);
    for (std::size_t i = 0; i < payoffs.size(); ++i) {
      payoffs[i] += 10.0 + shared + level * (0.5 + 0.05 * static_cast<double>(i));
      if (copies[action].contains(static_cast<VariableId>(i))) payoffs[i] += made.effects[action];
    }
    if (kind == Resolution::Kind::kVariables) return Payoffs::dense(payoffs);
    atoms->sum_dense(payoffs, sums);
    return Payoffs::group_sums(sums);
  };
  return world;
}

World instance_world(const std::string& name, std::uint32_t rounds) {
  const auto instance = load_instance(name);
  World world{.knowledge = instance->knowledge(rounds), .rewards = {}, .pay = {}};
  world.rewards.assign(instance->uplifts().begin(), instance->uplifts().end());
  const auto law = prepare_payoffs(instance);
  const Resolution atoms = Resolution::groups(world.knowledge.affected()->atoms());
  auto environment = std::make_shared<std::optional<InstanceEnvironment>>();
  world.pay = [law, atoms, environment, last = std::optional<std::uint32_t>()](
                  std::uint32_t run, std::uint32_t round, ActionId action) mutable {
    if (last != run) environment->emplace(law, 1, run);
    last = run;
    return (*environment)->draw(round, action, atoms);
  };
  return world;
}

double normal_quantile(double probability) {
  double low = -10.0;
  double high = 10.0;
  while (high - low > 1e-9) {
    const double middle = 0.5 * (low + high);
    (0.5 * std::erfc(-middle / std::sqrt(2.0)) < probability ? low : high) = middle;
  }
  return low;
}

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return std::nan("");
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

/// Rounds of a rotation that tells the best action from the next with this power, by the same
/// contrast with its true variance, error 5 % over all actions.
double fixed_size(World& world, double power) {
  const auto actions = static_cast<ActionId>(world.rewards.size());
  Contrasts contrasts(world.knowledge.affected());
  for (std::uint32_t round = 0; round < 300u * actions; ++round) {
    const ActionId action = round % actions;
    contrasts.add(action, world.pay(1u << 20, round, action).values());
  }
  const auto best = static_cast<ActionId>(
      std::max_element(world.rewards.begin(), world.rewards.end()) - world.rewards.begin());
  double most = 0.0;
  for (ActionId b = 0; b < actions; ++b) {
    if (b == best) continue;
    const Contrasts::Contrast& contrast = contrasts.of(best, b);
    const double z = normal_quantile(1.0 - 0.05 / (actions - 1)) + normal_quantile(power);
    const double gap = world.rewards[best] - world.rewards[b];
    most = std::max(most, z * z * (contrast.variances[0] + contrast.variances[1]) / (gap * gap));
  }
  return most * actions;
}

struct Arguments {
  std::uint32_t runs;
  std::uint32_t rounds;
  double number;  ///< share of probes, share of the holdout, or harm
  std::vector<std::string> policies;
};

void settle(const std::string& name, const Arguments& asked) {
  World world =
      name == "aa" ? made_world({}, Resolution::Kind::kGroups) : instance_world(name, asked.rounds);
  const double top = *std::max_element(world.rewards.begin(), world.rewards.end());
  const double bottom = *std::min_element(world.rewards.begin(), world.rewards.end());
  fmt::print("{}, {} campaigns of {} rounds, {:g} of them probes\n", name, asked.runs, asked.rounds,
             asked.number);
  if (top > bottom) {
    fmt::print("fixed size, gap and noise known: {:.0f} rounds with power 80 %, {:.0f} with 95 %\n",
               fixed_size(world, 0.8), fixed_size(world, 0.95));
  }
  fmt::print("{:<18} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8}\n", "policy", "settled", "wrong", "median",
             "90th pct", "disputed", "regret");
  for (const std::string& spec : asked.policies) {
    std::uint32_t wrong = 0;
    std::uint32_t disputed = 0;
    double regret = 0.0;
    std::vector<double> times;
    for (std::uint32_t run = 0; run < asked.runs; ++run) {
      const auto policy = make_policy(spec, knowledge_for(spec, world.knowledge));
      Evidence evidence(world.knowledge.only(Need::kAffected), {.shares = {.probe = asked.number}});
      const Stream stream(1, run, Purpose::kPolicy);
      for (std::uint32_t round = 0; round < asked.rounds; ++round) {
        SharedDecision shared;
        if (asked.number > 0.0) {
          shared = decide_with_shares(*policy, stream, evidence.options().shares, evidence.probe());
        } else {
          shared.decision.action = shared.candidate = policy->select(stream);
        }
        const ActionId action = shared.decision.action;
        regret += (top - world.rewards[action]) / asked.runs;
        const Payoffs payoffs = world.pay(run, round, action);
        policy->observe(action, payoffs);
        evidence.observed(shared, payoffs);
        const Settlement now = evidence.settlement();
        if (!now.settled) continue;
        const Explanation explanation = policy->explain();
        disputed += evidence.settlement(&explanation).disputed ? 1 : 0;
        wrong += top == bottom || world.rewards[now.best] < top ? 1 : 0;
        times.push_back(round + 1.0);
        break;
      }
    }
    const double settled = static_cast<double>(times.size()) / asked.runs;
    times.resize(asked.runs, std::numeric_limits<double>::infinity());
    fmt::print("{:<18} {:>7.1f}% {:>7.1f}% {:>8.0f} {:>8.0f} {:>8} {:>8.0f}\n", spec,
               100.0 * settled, 100.0 * wrong / asked.runs, quantile(times, 0.5),
               quantile(times, 0.9), disputed, regret);
  }
}

void gain(const std::string& name, const Arguments& asked) {
  Made made{.effects = {0.0, 0.3, -0.2, 0.1, 0.5}};
  if (name == "drift") made.drift = 1.0;
  World world = name == "still" || name == "drift" ? made_world(made, Resolution::Kind::kGroups)
                                                   : instance_world(name, asked.rounds);
  fmt::print("{}, {} campaigns of {} rounds, control action 0 with {:g} of them\n", name,
             asked.runs, asked.rounds, asked.number);
  fmt::print("{:<18} {:>10} {:>10} {:>8} {:>10} {:>8} {:>9}\n", "policy", "at random", "always",
             "gain", "half width", "excl. 0", "disagree");
  for (const std::string& spec : asked.policies) {
    std::uint32_t held = 0;
    std::uint32_t always = 0;
    std::uint32_t positive = 0;
    std::uint32_t disagree = 0;
    double mean = 0.0;
    double width = 0.0;
    for (std::uint32_t run = 0; run < asked.runs; ++run) {
      const auto policy = make_policy(spec, knowledge_for(spec, world.knowledge));
      Evidence evidence(world.knowledge.only(Need::kAffected),
                        {.shares = {.control = 0, .holdout = asked.number}});
      const Stream stream(1, run, Purpose::kPolicy);
      const auto stop =
          static_cast<std::uint32_t>(asked.rounds * stream.with(Purpose::kTest).uniform(0, 5000));
      double truth = 0.0;
      bool at_stop = true;
      bool at_all = true;
      for (std::uint32_t round = 0; round < asked.rounds; ++round) {
        const SharedDecision shared =
            decide_with_shares(*policy, stream, evidence.options().shares);
        const Payoffs payoffs = world.pay(run, round, shared.decision.action);
        policy->observe(shared.decision.action, payoffs);
        evidence.observed(shared, payoffs);
        truth += world.rewards[shared.candidate] - world.rewards[0];
        const Gain now = *evidence.gain();
        if (!now.per_round.interval) continue;
        const bool inside = now.per_round.interval->low <= truth / (round + 1.0) &&
                            truth / (round + 1.0) <= now.per_round.interval->high;
        at_all = at_all && inside;
        if (round == stop) at_stop = inside;
      }
      held += at_stop ? 1 : 0;
      always += at_all ? 1 : 0;
      const Explanation explanation = policy->explain(Detail::kCheap);
      const Gain last = *evidence.gain(&explanation);
      if (!last.per_round.interval) continue;
      disagree += last.disagree ? 1 : 0;
      positive += last.per_round.interval->low > 0.0 ? 1 : 0;
      mean += *last.per_round.value / asked.runs;
      width += 0.5 * (last.per_round.interval->high - last.per_round.interval->low) / asked.runs;
    }
    fmt::print("{:<18} {:>9.1f}% {:>9.1f}% {:>8.2f} {:>10.2f} {:>7.1f}% {:>8.1f}%\n", spec,
               100.0 * held / asked.runs, 100.0 * always / asked.runs, mean, width,
               100.0 * positive / asked.runs, 100.0 * disagree / asked.runs);
  }
}

void guard(const Arguments& asked) {
  Made made{.effects = {0.0, 0.3, 0.2, 0.1, 0.4}};
  // The standard deviation of a variable is sqrt(2): its own noise and the shared one. Action 2 is
  // the one that harms, if one does.
  if (asked.number > 0.0) made.effects[2] = -asked.number * std::numbers::sqrt2;
  World world = made_world(made, Resolution::Kind::kVariables);
  fmt::print("{} campaigns of {} rounds, action 2 moves its variables by {:g} sd\n", asked.runs,
             asked.rounds, -asked.number);
  fmt::print("{:<18} {:<9} {:>7} {:>6} {:>13} {:>9} {:>13}\n", "policy", "reference", "alarm",
             "false", "median round", "90th pct", "pulls, median");
  for (const std::string& spec : asked.policies) {
    for (const bool control : {true, false}) {
      std::uint32_t false_alarms = 0;
      std::vector<double> times;
      std::vector<double> pulls;
      for (std::uint32_t run = 0; run < asked.runs; ++run) {
        const auto policy = make_policy(spec, knowledge_for(spec, world.knowledge));
        Knowledge declared = world.knowledge;
        declared.set_baseline(std::vector<double>(Made::kVariables, 10.0));
        EvidenceOptions options;
        if (control) options.shares = {.control = 0, .holdout = 0.1};
        for (VariableId i = 0; i < Made::kVariables; ++i) {
          options.guardrails.push_back({fmt::format("{}", i), VariableSet::from_ids({i})});
        }
        Evidence evidence(declared, options);
        const Stream stream(1, run, Purpose::kPolicy);
        bool found = false;
        bool wrong = false;
        std::size_t known = 0;
        for (std::uint32_t round = 0; round < asked.rounds; ++round) {
          const SharedDecision shared =
              decide_with_shares(*policy, stream, evidence.options().shares);
          const Payoffs payoffs = world.pay(run, round, shared.decision.action);
          policy->observe(shared.decision.action, payoffs);
          evidence.observed(shared, payoffs);
          for (const std::vector<GuardrailAlarm> alarms = evidence.alarms(); known < alarms.size();
               ++known) {
            const GuardrailAlarm& alarm = alarms[known];
            const bool harmful = alarm.action == 2 && made.effects[2] < 0.0 &&
                                 alarm.guardrail >= 6 && alarm.guardrail < 10;
            wrong = wrong || !harmful;
            if (!harmful || found) continue;
            found = true;
            times.push_back(round + 1.0);
            pulls.push_back(static_cast<double>(policy->pulls(2)));
          }
        }
        false_alarms += wrong ? 1 : 0;
      }
      const double raised = static_cast<double>(times.size()) / asked.runs;
      fmt::print("{:<18} {:<9} {:>6.1f}% {:>5.1f}% {:>13.0f} {:>9.0f} {:>13.0f}\n", spec,
                 control ? "control" : "baseline", 100.0 * raised,
                 100.0 * false_alarms / asked.runs, quantile(times, 0.5), quantile(times, 0.9),
                 quantile(pulls, 0.5));
    }
  }
}

}  // namespace
}  // namespace updraft

int main(int count, char** arguments) {
  const std::string what = count > 1 ? arguments[1] : "";
  const int first = what == "guard" ? 2 : 3;
  if (count < first + 4) {
    fmt::print(stderr, "stopping: see the first lines of bench/stopping.cc\n");
    return 2;
  }
  try {
    const updraft::Arguments asked{
        .runs = static_cast<std::uint32_t>(std::atoi(arguments[first])),
        .rounds = static_cast<std::uint32_t>(std::atoi(arguments[first + 1])),
        .number = std::atof(arguments[first + 2]),
        .policies = std::vector<std::string>(arguments + first + 3, arguments + count)};
    if (what == "settle") updraft::settle(arguments[2], asked);
    if (what == "gain") updraft::gain(arguments[2], asked);
    if (what == "guard") updraft::guard(asked);
  } catch (const std::exception& refused) {
    fmt::print(stderr, "stopping: {}\n", refused.what());
    return 2;
  }
}

// What docs/stopping.md says of statements that hold at every time, over simulated runs:
//
//   stopping settle INSTANCE RUNS ROUNDS PROBE POLICY ...
//     how often and when runs settle, and how often on a wrong action. INSTANCE is a shipped
//     one, or aa: five actions that do nothing to twenty variables with shared noise, or aa2: two
//     of them, or aa01: aa with payoffs of 0 and 1, 5 % of them 1, or aarare: one variable, which 1
//     % of rounds pay, a lognormal amount. Looks at every round. Beside it the rounds of a rotation
//     of fixed size that knows the gap and the noise. Prints a row for the runs so far after every
//     100; "at most" is the upper end of the 95 % interval of Clopper and Pearson of "wrong".
//   stopping gain WORLD RUNS ROUNDS SHARE POLICY ...
//     how often the intervals of the gain over a holdout of that share hold the truth, at a random
//     time and at all times: model-free, and by the declared sets. WORLD: still, drift (weekdays, a
//     trend and a slow random walk of the baseline), wrong (the sets leave out what an action
//     does), or a shipped instance.
//   stopping people RUNS ROUNDS SHARE
//     the same of a holdout of people: 20 of 100 are chosen in each round, most likely those whose
//     payoffs were large; payoffs drift and share noise.
//   stopping guard RUNS ROUNDS HARM POLICY ...
//     how often guardrails raise an alarm, one for each of twenty variables, and when. The best
//     action moves one of its variables by -HARM standard deviations; 0 for false alarms.
//   stopping rareguard RUNS ROUNDS RATE
//     false alarms of one guardrail on a payoff that comes with probability RATE whatever is done:
//     0 or 1, or a lognormal amount. The tolerance is 0. Three actions in turn, or a control action
//     in a tenth of the rounds.
//   stopping raregain RUNS ROUNDS RATE
//     coverage of the gain over a control action whose payoffs come with probability RATE, 10 % of
//     rounds held out. Beside the interval: in how many runs there is one at a random time.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "inference/contrasts.h"
#include "updraft/evidence.h"
#include "updraft/instance_environment.h"
#include "updraft/people_holdout.h"
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
  double hidden = 0.0;             ///< effect of action 4 on the last variable, which no set has
  double harm = 0.0;               ///< what action 2 takes from variable 7, and gives to variable 8
  bool binary = false;             ///< payoffs of 0 and 1
  std::size_t actions = kActions;  ///< the first so many
};

World made_world(const Made& made, const Resolution::Kind kind) {
  World world{.knowledge = Knowledge(made.actions, Made::kVariables), .rewards = {}, .pay = {}};
  std::vector<VariableSet> sets;
  for (VariableId a = 0; a < made.actions; ++a) {
    std::vector<VariableId> ids(Made::kEach);
    for (VariableId j = 0; j < Made::kEach; ++j)
      ids[j] = a * 3 + j;  // neighbours share one, and none has the last four
    sets.push_back(VariableSet::from_ids(ids));
    world.rewards.push_back(made.effects[a] * Made::kEach + (a == 4 ? made.hidden : 0.0));
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
      if (made.binary) payoffs[i] = payoffs[i] > 10.0 + 1.645 * std::numbers::sqrt2 ? 1.0 : 0.0;
    }
    if (action == 4) payoffs.back() += made.hidden;
    if (action == 2) {
      payoffs[7] -= made.harm;
      payoffs[8] += made.harm;
    }
    if (kind == Resolution::Kind::kVariables) return Payoffs::dense(payoffs);
    atoms->sum_dense(payoffs, sums);
    return Payoffs::group_sums(sums);
  };
  return world;
}

/// Three actions that do nothing, and a payoff as of purchases.
World rare_world() {
  World world{.knowledge = Knowledge(3, 1), .rewards = {0.0, 0.0, 0.0}, .pay = {}};
  const VariableSet all = VariableSet::from_ids(std::vector<VariableId>{0});
  world.knowledge.set_affected(std::vector<VariableSet>(3, all));
  world.pay = [sums = std::vector<double>(1)](std::uint32_t run, std::uint32_t round,
                                              ActionId) mutable {
    const Stream stream(7, run, Purpose::kTest);
    sums[0] =
        stream.uniform(round, 10) < 0.01 ? std::exp(4.3 + 0.8 * stream.normal(round, 0)) : 0.0;
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

/// The largest probability with which `count` or fewer of `runs` come in 2.5 % of cases.
double most_likely(std::uint32_t count, std::uint32_t runs) {
  double low = static_cast<double>(count) / runs;
  double high = 1.0;
  while (high - low > 1e-9) {
    const double middle = 0.5 * (low + high);
    double term = std::exp(runs * std::log1p(-middle));  // of no one, then of one more each
    double below = term;
    for (std::uint32_t k = 0; k < count; ++k) {
      term *= middle / (1.0 - middle) * (runs - k) / (k + 1.0);
      below += term;
    }
    (below > 0.025 ? low : high) = middle;
  }
  return low;
}

struct Arguments {
  std::uint32_t runs;
  std::uint32_t rounds;
  double number;  ///< share of probes, share of the holdout, or harm
  std::vector<std::string> policies;
};

/// Of a run until it settles, or its last round.
struct Course {
  std::optional<double> settled;  ///< in which round
  bool wrong = false;
  bool disputed = false;
  double regret = 0.0;
};

/// Decides as decide_with_shares(), without the probabilities, which nobody reads here.
Course settle_once(World& world, const std::string& spec, std::uint32_t run, std::uint32_t rounds,
                   double probe) {
  const double top = *std::max_element(world.rewards.begin(), world.rewards.end());
  const double bottom = *std::min_element(world.rewards.begin(), world.rewards.end());
  const auto policy = make_policy(spec, knowledge_for(PolicySpec::parse(spec), world.knowledge));
  Evidence evidence(world.knowledge.only(Need::kAffected), {.shares = {.probe = probe}});
  const Stream stream(1, run, Purpose::kPolicy);
  Course course;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    ActionId action = policy->select(stream);
    if (round_of(evidence.options().shares, stream, round) == RoundOf::kProbe) {
      action = evidence.steering().probe;
    }
    course.regret += top - world.rewards[action];
    const Payoffs payoffs = world.pay(run, round, action);
    policy->observe(action, payoffs);
    evidence.observed(action, payoffs);
    const std::optional<ActionId> best = evidence.settled();
    if (!best) continue;
    const Explanation explanation = policy->explain();
    course.disputed = evidence.settlement(&explanation).disputed;
    course.wrong = top == bottom || world.rewards[*best] < top;
    course.settled = round + 1.0;
    break;
  }
  return course;
}

void settle(const std::string& name, const Arguments& asked) {
  const bool idle = name == "aa" || name == "aa2" || name == "aa01" || name == "aarare";
  const Made made{.binary = name == "aa01", .actions = name == "aa2" ? 2 : Made::kActions};
  World world = name == "aarare" ? rare_world()
                : idle           ? made_world(made, Resolution::Kind::kGroups)
                                 : instance_world(name, asked.rounds);
  fmt::print("{}, {} runs of at most {} rounds, {:g} of them probes\n", name, asked.runs,
             asked.rounds, asked.number);
  if (!idle) {
    fmt::print("fixed size, gap and noise known: {:.0f} rounds with power 80 %, {:.0f} with 95 %\n",
               fixed_size(world, 0.8), fixed_size(world, 0.95));
  }
  fmt::print("{:<18} {:>9} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8}\n", "policy", "runs",
             "settled", "wrong", "at most", "median", "90th pct", "disputed", "regret");
  for (const std::string& spec : asked.policies) {
    std::uint32_t settled = 0, wrong = 0, disputed = 0;
    double regret = 0.0;
    std::vector<double> times;
    for (std::uint32_t run = 0; run < asked.runs; ++run) {
      const Course course = settle_once(world, spec, run, asked.rounds, asked.number);
      settled += course.settled ? 1 : 0;
      wrong += course.wrong ? 1 : 0;
      disputed += course.disputed ? 1 : 0;
      regret += course.regret;
      times.push_back(course.settled.value_or(std::numeric_limits<double>::infinity()));
      const std::uint32_t runs = run + 1;
      if (runs % 100 != 0 && runs != asked.runs) continue;
      fmt::print("{:<18} {:>9} {:>7.1f}% {:>7.1f}% {:>7.2f}% {:>8.0f} {:>8.0f} {:>8} {:>8.0f}\n",
                 spec, runs, 100.0 * settled / runs, 100.0 * wrong / runs,
                 100.0 * most_likely(wrong, runs), quantile(times, 0.5), quantile(times, 0.9),
                 disputed, regret / runs);
      std::fflush(stdout);
    }
  }
}

/// How often an interval held the truth.
struct Held {
  std::uint32_t at_stop = 0;
  std::uint32_t always = 0;
  double width = 0.0;  ///< half of it, at the end
  std::uint32_t known = 0;

  bool inside_at_stop = true;
  bool inside_always = true;

  void look(const IntervalEstimate& seen, double truth, bool stop) {
    const bool inside =
        !seen.interval || (seen.interval->low <= truth && truth <= seen.interval->high);
    inside_always = inside_always && inside;
    if (stop) inside_at_stop = inside;
  }
  void end(const IntervalEstimate& last) {
    at_stop += inside_at_stop ? 1 : 0;
    always += inside_always ? 1 : 0;
    inside_at_stop = inside_always = true;
    if (!last.interval) return;
    ++known;
    width += 0.5 * (last.interval->high - last.interval->low);
  }
  std::string text(std::uint32_t runs) const {
    return fmt::format("{:>8.1f}% {:>8.1f}% {:>9.3g}", 100.0 * at_stop / runs,
                       100.0 * always / runs, width / known);
  }
};

void gain(const std::string& name, const Arguments& asked) {
  Made made{.effects = {0.0, 0.3, -0.2, 0.1, 0.5}};
  if (name == "drift") made.drift = 1.0;
  if (name == "wrong") made.hidden = -3.0;
  const bool is_made = name == "still" || name == "drift" || name == "wrong";
  World world =
      is_made ? made_world(made, Resolution::Kind::kGroups) : instance_world(name, asked.rounds);
  fmt::print("{}, {} runs of {} rounds, control action 0 with {:g} of them\n", name, asked.runs,
             asked.rounds, asked.number);
  fmt::print("{:<12} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>8} {:>9}\n", "policy", "at random",
             "always", "+-", "by sets", "always", "+-", "gain", "disagree");
  for (const std::string& spec : asked.policies) {
    Held free;
    Held by_sets;
    std::uint32_t disagree = 0;
    double mean = 0.0;
    for (std::uint32_t run = 0; run < asked.runs; ++run) {
      const auto policy =
          make_policy(spec, knowledge_for(PolicySpec::parse(spec), world.knowledge));
      Evidence evidence(world.knowledge.only(Need::kAffected),
                        {.shares = {.control = 0, .holdout = asked.number}});
      const Stream stream(1, run, Purpose::kPolicy);
      const auto stop =
          static_cast<std::uint32_t>(asked.rounds * stream.with(Purpose::kTest).uniform(0, 5000));
      double truth = 0.0;
      for (std::uint32_t round = 0; round < asked.rounds; ++round) {
        const SharedDecision shared = evidence.decide(*policy, stream);
        const Payoffs payoffs = world.pay(run, round, shared.decision.action);
        policy->observe(shared.decision.action, payoffs);
        evidence.observed(shared, payoffs);
        if (round == 0) continue;  // does not count
        truth += world.rewards[shared.candidate] - world.rewards[0];
        const Gain now = *evidence.gain();
        free.look(now.estimate, truth / round, round == stop);
        by_sets.look(now.by_sets, truth / round, round == stop);
      }
      const Explanation explanation = policy->explain(Detail::kCheap);
      const Gain last = *evidence.gain(&explanation);
      free.end(last.estimate);
      by_sets.end(last.by_sets);
      disagree += last.disagree ? 1 : 0;
      mean += truth / (asked.rounds - 1.0) / asked.runs;
    }
    fmt::print("{:<12} {} {} {:>8.3g} {:>8.1f}%\n", spec, free.text(asked.runs),
               by_sets.text(asked.runs), mean, 100.0 * disagree / asked.runs);
    std::fflush(stdout);
  }
}

/// People have a level of their own, and gain by it; all of a round share noise, and drift.
void people(const Arguments& asked) {
  constexpr std::size_t kPeople = 100, kChosen = 20;
  Held held;
  double mean = 0.0;
  for (std::uint32_t run = 0; run < asked.runs; ++run) {
    PeopleHoldout holdout(asked.number);
    const Stream stream(3, run, Purpose::kTest);
    const auto stop = static_cast<std::uint32_t>(asked.rounds * stream.uniform(0, 50'000));
    double truth = 0.0;
    double counted = -1.0;  // the first person does not count
    std::vector<double> draws(4 * kPeople + 2);
    for (std::uint32_t round = 0; round < asked.rounds; ++round) {
      stream.normals(round, 0, draws);
      const double level = 0.02 * round + std::sin(2.0 * pi * round / 7.0) + draws[4 * kPeople];
      std::vector<Treatment> chosen(kPeople, 0), given(kPeople, 0);
      std::vector<double> payoffs(kPeople);
      std::vector<std::pair<double, std::size_t>> order;
      for (std::size_t i = 0; i < kPeople; ++i) {
        order.emplace_back(-draws[i] - 0.5 * draws[kPeople + i], i);
      }
      std::sort(order.begin(), order.end());
      for (std::size_t j = 0; j < kChosen; ++j) chosen[order[j].second] = 1;
      for (std::size_t i = 0; i < kPeople; ++i) {
        const double uplift = 0.3 + 0.2 * draws[i];
        const bool treated = chosen[i] == 1 && stream.uniform(round, 1000 + i) >= asked.number;
        given[i] = treated ? 1 : 0;
        payoffs[i] = level + draws[i] + draws[2 * kPeople + i] + (treated ? uplift : 0.0);
        if (chosen[i] == 0) continue;
        if (counted >= 0.0) truth += uplift;
        counted += 1.0;
      }
      holdout.observed(chosen, given, payoffs);
      held.look(holdout.gain().estimate, truth / counted, round == stop);
    }
    held.end(holdout.gain().estimate);
    mean += truth / counted / asked.runs;
  }
  fmt::print("people, {} runs of {} rounds, {:g} held out\n{:>9} {:>9} {:>9} {:>8}\n", asked.runs,
             asked.rounds, asked.number, "at random", "always", "+-", "gain");
  fmt::print("{} {:>8.3g}\n", held.text(asked.runs), mean);
}

void guard(const Arguments& asked) {
  // The standard deviation of a variable is sqrt(2): its own noise and the shared one.
  const Made made{.effects = {0.0, 0.3, 0.5, 0.1, 0.2},
                  .harm = asked.number > 0.0 ? asked.number * std::numbers::sqrt2 + 0.5 : 0.0};
  World world = made_world(made, Resolution::Kind::kVariables);
  fmt::print("{} runs of {} rounds, action 2 moves one variable by {:g} sd\n", asked.runs,
             asked.rounds, -asked.number);
  fmt::print("{:<18} {:<9} {:>7} {:>6} {:>13} {:>9} {:>13}\n", "policy", "reference", "alarm",
             "false", "median round", "90th pct", "pulls, median");
  for (const std::string& spec : asked.policies) {
    for (const bool control : {true, false}) {
      std::uint32_t false_alarms = 0;
      std::vector<double> times;
      std::vector<double> pulls;
      for (std::uint32_t run = 0; run < asked.runs; ++run) {
        const auto policy =
            make_policy(spec, knowledge_for(PolicySpec::parse(spec), world.knowledge));
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
          const SharedDecision shared = evidence.decide(*policy, stream);
          const Payoffs payoffs = world.pay(run, round, shared.decision.action);
          policy->observe(shared.decision.action, payoffs);
          evidence.observed(shared, payoffs);
          for (const std::vector<GuardrailAlarm> alarms = evidence.alarms(); known < alarms.size();
               ++known) {
            const GuardrailAlarm& alarm = alarms[known];
            const bool harmful = made.harm > 0.0 && alarm.action == 2 && alarm.guardrail == 7;
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

/// 0 or 1, or an amount.
double rare_payoff(const Stream& stream, std::uint32_t round, double rate, bool amounts) {
  if (!(stream.uniform(round, 10) < rate)) return 0.0;
  return amounts ? std::exp(0.8 * stream.normal(round, 0) - 0.32) : 1.0;
}

void rare_guard(const Arguments& asked) {
  const double rate = asked.number;
  Knowledge declared(3, 1);
  declared.set_baseline({rate});
  fmt::print("{} runs of {} rounds, payoffs come with probability {:g}\n", asked.runs, asked.rounds,
             rate);
  fmt::print("{:<8} {:<9} {:>6} {:>13}\n", "payoffs", "reference", "false", "median round");
  for (const bool amounts : {false, true}) {
    for (const bool control : {true, false}) {
      EvidenceOptions options;
      if (control) options.shares.control = 0;
      options.guardrails = {{"rare", VariableSet::from_ids({0})}};
      std::vector<double> times;
      for (std::uint32_t run = 0; run < asked.runs; ++run) {
        Evidence evidence(declared, options);
        const Stream stream(9, run, Purpose::kTest);
        for (std::uint32_t round = 0; round < asked.rounds; ++round) {
          ActionId action = round % 3;
          if (control) action = stream.uniform(round, 11) < 0.1 ? 0 : 1 + round % 2;
          const double paid = rare_payoff(stream, round, rate, amounts);
          evidence.observed(action, Payoffs::dense({&paid, 1}));
          if (evidence.alarms().empty()) continue;
          times.push_back(round + 1.0);
          break;
        }
      }
      fmt::print("{:<8} {:<9} {:>5.1f}% {:>13.0f}\n", amounts ? "amounts" : "0/1",
                 control ? "control" : "baseline",
                 100.0 * static_cast<double>(times.size()) / asked.runs, quantile(times, 0.5));
      std::fflush(stdout);
    }
  }
}

/// The policy always wants action 1.
void rare_gain(const Arguments& asked) {
  Knowledge declared(2, 1);
  const RoundShares shares{.control = 0, .holdout = 0.1};
  fmt::print("{} runs of {} rounds, payoffs of the control come with probability {:g}\n",
             asked.runs, asked.rounds, asked.number);
  fmt::print("{:<8} {:>6} {:>7} {:>9} {:>9} {:>9}\n", "payoffs", "other", "shown", "at random",
             "always", "+-");
  for (const bool amounts : {false, true}) {
    for (const double times : {0.0, 0.25, 1.0, 2.0}) {
      const double rates[2] = {asked.number, times * asked.number};
      Held held;
      std::uint32_t shown = 0;
      for (std::uint32_t run = 0; run < asked.runs; ++run) {
        Evidence evidence(declared, {.shares = shares});
        const Stream stream(10, run, Purpose::kTest);
        const auto stop = static_cast<std::uint32_t>(asked.rounds * stream.uniform(0, 5000));
        for (std::uint32_t round = 0; round < asked.rounds; ++round) {
          SharedDecision shared;
          shared.candidate = 1;
          shared.whose = round_of(shares, stream, round);
          shared.decision.action = shared.whose == RoundOf::kHoldout ? 0 : 1;
          const double paid = rare_payoff(stream, round, rates[shared.decision.action], amounts);
          evidence.observed(shared, Payoffs::dense({&paid, 1}));
          const IntervalEstimate now = evidence.gain()->estimate;
          held.look(now, rates[1] - rates[0], round == stop);
          if (round == stop && now.interval) ++shown;
        }
        held.end(evidence.gain()->estimate);
      }
      fmt::print("{:<8} {:>6g} {:>6.1f}% {}\n", amounts ? "amounts" : "0/1", rates[1],
                 100.0 * shown / asked.runs, held.text(asked.runs));
      std::fflush(stdout);
    }
  }
}

}  // namespace
}  // namespace updraft

int main(int count, char** arguments) {
  const std::string what = count > 1 ? arguments[1] : "";
  const bool no_policy = what == "people" || what == "rareguard" || what == "raregain";
  const int first = what == "guard" || no_policy ? 2 : 3;
  if (count < first + (no_policy ? 3 : 4)) {
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
    if (what == "people") updraft::people(asked);
    if (what == "guard") updraft::guard(asked);
    if (what == "rareguard") updraft::rare_guard(asked);
    if (what == "raregain") updraft::rare_gain(asked);
  } catch (const std::exception& refused) {
    fmt::print(stderr, "stopping: {}\n", refused.what());
    return 2;
  }
}

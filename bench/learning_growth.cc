// How time and memory of the policies that learn the noise grow with what they learn it of.
//
//   learning_growth [POLICY...] > learning_growth.csv      by default up_ts_bl up_ts up_ts_sparse
//
// Lines: policy, known (sets, nothing or segments), variables m, units (atoms or units that the
// policy works with), microseconds of select(), of decide(), which adds the probabilities, of
// observe() on average and of the slowest observe(), and MiB that the policy takes. Each is CPU
// time of one thread.
// There are 20 actions. Payoffs are normal with a common shock. With sets, each affected set is a
// random tenth of the variables; else each action moves a 20th of them. observe() gets dense
// payoffs. Measured after every action was taken three times, over half a second of rounds.
// decide() follows select() in the same round, so it finds what both need computed already.

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <ctime>
#include <exception>
#include <string>
#include <type_traits>
#include <vector>

#include "updraft/policy.h"
#include "updraft/registry.h"

namespace updraft {
namespace {

constexpr std::size_t kActions = 20;
constexpr double kSeconds = 0.5;                        // at least, for each line
constexpr std::size_t kNumbers = std::size_t{1} << 23;  // of noise, used again and again

struct Setting {
  const char* known = "nothing";
  std::size_t variables = 0;
  std::size_t segments = 0;  ///< 0: none are told
};

std::vector<VariableSet> random_tenths(std::size_t variables) {
  const Stream stream(1, 0, Purpose::kTest);
  std::vector<VariableSet> sets;
  for (std::uint32_t a = 0; a < kActions; ++a) {
    std::vector<VariableId> ids;
    for (VariableId v = 0; v < variables; ++v) {
      if (stream.uniform(a, v) < 0.1) ids.push_back(v);
    }
    sets.push_back(VariableSet::from_ids(ids));
  }
  return sets;
}

Knowledge knowledge_of(const Setting& setting) {
  Knowledge knowledge(kActions, setting.variables);
  knowledge.set_baseline(std::vector<double>(setting.variables, 1.0));
  if (setting.known == std::string("sets"))
    knowledge.set_affected(random_tenths(setting.variables));
  if (setting.segments > 0) {
    std::vector<Partition::Segment> runs;
    for (std::size_t s = 0; s < setting.segments; ++s) {
      runs.push_back({{static_cast<VariableId>(s * setting.variables / setting.segments),
                       static_cast<VariableId>((s + 1) * setting.variables / setting.segments)},
                      static_cast<GroupId>(s)});
    }
    knowledge.set_segments(Partition(std::move(runs)));
  }
  return knowledge;
}

std::vector<std::vector<double>> noise(std::size_t variables) {
  const Stream stream(2, 0, Purpose::kTest);
  const std::size_t count = std::clamp<std::size_t>(kNumbers / variables, 64, 4096);
  std::vector<std::vector<double>> rounds(count, std::vector<double>(variables));
  for (std::uint32_t round = 0; round < count; ++round) {
    stream.normals(round, 0, rounds[round]);
    const double shock = 1.0 + 0.5 * stream.normal(round, variables + 2);
    for (double& x : rounds[round]) x += shock;
  }
  return rounds;
}

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

class Timed {
 public:
  template <class Call>
  auto operator()(Call&& call) {
    const double begin = processor_seconds();
    if constexpr (std::is_void_v<decltype(call())>) {
      call();
      add(processor_seconds() - begin);
    } else {
      const auto result = call();
      add(processor_seconds() - begin);
      return result;
    }
  }
  double mean() const { return 1e6 * seconds_ / calls_; }
  double most() const { return 1e6 * most_; }

 private:
  void add(double seconds) {
    seconds_ += seconds;
    most_ = std::max(most_, seconds);
    calls_ += 1.0;
  }
  double seconds_ = 0.0;
  double most_ = 0.0;
  double calls_ = 0.0;
};

/// A round's payoffs, with the uplift of the action on its 20th of the variables.
void pay(std::vector<double>& payoffs, const std::vector<double>& shock, ActionId action) {
  payoffs = shock;
  const std::size_t first = action * payoffs.size() / kActions;
  const std::size_t end = (action + 1) * payoffs.size() / kActions;
  for (std::size_t v = first; v < end; ++v) payoffs[v] += 0.5;
}

void measure(const std::string& name, const Setting& setting) {
  const bool own_units = setting.known == std::string("nothing");
  const std::string spec = own_units ? fmt::format("{}(units={})", name, setting.variables) : name;
  const auto shocks = noise(setting.variables);
  const Knowledge knowledge = knowledge_of(setting);
  std::vector<double> payoffs(setting.variables);
  const std::size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
  const auto policy = make_policy(PolicySpec::parse(spec), knowledge);
  const Stream stream(1, 0, Purpose::kPolicy);
  std::size_t round = 0;
  const auto learn = [&](ActionId action) {
    policy->observe(action, Payoffs::dense(payoffs));
    ++round;
  };
  for (std::size_t j = 0; j < 3 * kActions; ++j) {
    const auto action = static_cast<ActionId>(j % kActions);
    pay(payoffs, shocks[round % shocks.size()], action);
    learn(action);
  }
  Timed select, decide, observe;
  const double begin = processor_seconds();
  do {
    const ActionId action = select([&] { return policy->select(stream); });
    decide([&] { return policy->decide(stream).action; });
    pay(payoffs, shocks[round % shocks.size()], action);
    observe([&] { learn(action); });
  } while (processor_seconds() - begin < kSeconds || round < 3 * kActions + 8);
  const std::size_t after = mallinfo2().uordblks + mallinfo2().hblkhd;
  fmt::print("{},{},{},{},{:.1f},{:.1f},{:.1f},{:.1f},{:.2f}\n", policy->spec().name(),
             setting.known, setting.variables, policy->resolution().partition->groups(),
             select.mean(), decide.mean(), observe.mean(), observe.most(),
             static_cast<double>(after - before) / 1048576.0);
  std::fflush(stdout);
}

void measure_all(const std::string& name) {
  const PolicyInfo& info = policy_info(name);
  if (info.needs.contains(Need::kAffected)) {
    for (const std::size_t m : {30, 100, 200, 300, 500, 1000, 3000, 10000}) {
      measure(name, {"sets", m, 0});
    }
    return;
  }
  for (const std::size_t m : {100, 300, 1000, 3000, 10000, 30000}) measure(name, {"nothing", m, 0});
  for (const std::size_t s : {12, 20, 50, 128}) measure(name, {"segments", 100000, s});
}

}  // namespace
}  // namespace updraft

int main(int argc, char** argv) {
  fmt::print("policy,known,variables,units,select,decide,observe,slowest_observe,mib\n");
  std::vector<std::string> names(argv + 1, argv + argc);
  if (names.empty()) names = {"up_ts_bl", "up_ts", "up_ts_sparse"};
  try {
    for (const std::string& name : names) updraft::measure_all(name);
  } catch (const std::exception& error) {
    fmt::print(stderr, "learning_growth: {}\n", error.what());
    return 1;
  }
}

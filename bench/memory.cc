// The memory of a run with many variables.
//
//   memory SPEC [VARIABLES]      by default 10,000,000
//
// Plays 40 rounds with 20 actions and independent normal payoffs, which the policy is given dense,
// and prints the largest memory that the process had, and what the payoffs alone take.

#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdlib>
#include <exception>

#include "made_instance.h"
#include "updraft/instance_environment.h"
#include "updraft/policy.h"
#include "updraft/registry.h"

namespace updraft {
namespace {

void play(const char* spec, std::size_t variables) {
  GaussianNoise noise;
  const auto instance = made_instance(20, variables, noise);
  InstanceEnvironment environment(prepare_payoffs(instance), 1, 0);
  const auto policy = make_policy(PolicySpec::parse(spec), instance->knowledge(1000));
  const Stream stream(1, 0, Purpose::kPolicy);
  for (std::uint32_t round = 0; round < 40; ++round) {
    const ActionId action = policy->select(stream);
    policy->observe(action, environment.draw(round, action, Resolution::variables()));
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  constexpr double kMebi = 1048576.0;
  fmt::print("{}: m = {}, K = 20, peak {:.0f} MiB, one payoff vector {:.0f} MiB\n",
             policy->spec().text(), variables, static_cast<double>(usage.ru_maxrss) / 1024.0,
             8.0 * static_cast<double>(variables) / kMebi);
}

}  // namespace
}  // namespace updraft

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) {
    fmt::print(stderr, "Usage: memory SPEC [VARIABLES]\n");
    return 2;
  }
  try {
    updraft::play(argv[1], argc == 3 ? std::strtoull(argv[2], nullptr, 10) : 10000000);
  } catch (const std::exception& error) {
    fmt::print(stderr, "memory: {}\n", error.what());
    return 1;
  }
}

// Plays one run and writes down all that another implementation needs to take the same decisions.
//
//   trace SPEC INSTANCE ROUNDS SEED FOLDER
//
// FOLDER/actions.i32: the actions taken. FOLDER/payoffs.f64, or payoffs.u8 for 0/1 payoffs: per
// round the payoffs of all variables. FOLDER/draws.f64: per round and action the standard normal
// that ts used. Little-endian, without headers.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "updraft/instance.h"
#include "updraft/instance_environment.h"
#include "updraft/policy.h"
#include "updraft/registry.h"

namespace updraft {
namespace {

template <typename T>
void write(std::ofstream& file, const std::vector<T>& values) {
  file.write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(values.size() * sizeof(T)));
}

void trace(const std::string& spec_text, const std::string& instance_name, std::uint32_t rounds,
           std::uint64_t seed, const std::filesystem::path& folder) {
  const auto instance = load_instance(instance_name);
  const bool ones = std::holds_alternative<BernoulliNoise>(instance->noise());
  InstanceEnvironment environment(prepare_payoffs(instance), seed, 0);
  const auto policy = make_policy(PolicySpec::parse(spec_text), instance->knowledge(rounds));
  const Stream stream(seed, 0, Purpose::kPolicy);

  std::filesystem::create_directories(folder);
  std::ofstream actions(folder / "actions.i32", std::ios::binary);
  std::ofstream payoffs(folder / (ones ? "payoffs.u8" : "payoffs.f64"), std::ios::binary);
  std::ofstream draws(folder / "draws.f64", std::ios::binary);
  std::vector<double> normals(instance->actions());
  for (std::uint32_t round = 0; round < rounds; ++round) {
    stream.normals(round, 0, normals);
    const ActionId action = policy->select(stream);
    const Payoffs paid = environment.draw(round, action, Resolution::variables());
    std::vector<double> dense(instance->variables(), 0.0);
    if (paid.kind() == Payoffs::Kind::kDense) {
      dense.assign(paid.values().begin(), paid.values().end());
    } else {
      for (const VariableId id : paid.ids()) dense[id] = 1.0;
    }
    policy->observe(action, Payoffs::dense(dense));
    write(actions, std::vector<std::int32_t>{static_cast<std::int32_t>(action)});
    write(draws, normals);
    if (ones) {
      write(payoffs, std::vector<std::uint8_t>(dense.begin(), dense.end()));
    } else {
      write(payoffs, dense);
    }
  }
  if (!actions.flush() || !payoffs.flush() || !draws.flush()) {
    throw std::runtime_error("cannot write to " + folder.string());
  }
}

}  // namespace
}  // namespace updraft

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fprintf(stderr, "Usage: trace SPEC INSTANCE ROUNDS SEED FOLDER\n");
    return 2;
  }
  try {
    updraft::trace(argv[1], argv[2], static_cast<std::uint32_t>(std::strtoul(argv[3], nullptr, 10)),
                   std::strtoull(argv[4], nullptr, 10), argv[5]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "trace: %s\n", error.what());
    return 1;
  }
  return 0;
}

// Plays a targeting policy on pools and payoffs from files, for bench/compare_targeting.py, or
// chooses among a single large pool. Prints the seconds of each repetition.
//
// FOLDER/shape.txt: features, treatments, budget, individuals a round, rounds. All other files are
// numbers as they lie in memory. `play` reads features.f64 (round by round, individual by
// individual) and payoffs.f64 (the same, what each would pay untreated and with each treatment) and
// writes decisions.u32. `select` learns from the rounds of play with the treatments in
// treatments.u32, then chooses among pool.f64.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "updraft/policy.h"
#include "updraft/registry.h"

namespace updraft {
namespace {

using Folder = std::filesystem::path;

template <typename Number>
std::vector<Number> read(const Folder& path) {
  std::vector<Number> values(std::filesystem::file_size(path) / sizeof(Number));
  std::ifstream in(path, std::ios::binary);
  in.read(reinterpret_cast<char*>(values.data()),
          static_cast<std::streamsize>(values.size() * sizeof(Number)));
  if (!in) throw std::runtime_error("cannot read " + path.string());
  return values;
}

void write(const Folder& path, const std::vector<Treatment>& values) {
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(values.data()),
            static_cast<std::streamsize>(values.size() * sizeof(Treatment)));
  if (!out.flush()) throw std::runtime_error("cannot write " + path.string());
}

/// The rounds to be played, and what everyone would pay.
class Rounds {
 public:
  explicit Rounds(const Folder& folder) {
    std::ifstream in(folder / "shape.txt");
    in >> shape.features >> shape.treatments >> shape.budget >> individuals >> rounds;
    features_ = read<double>(folder / "features.f64");
    payoffs_ = read<double>(folder / "payoffs.f64");
    const std::size_t rows = individuals * rounds;
    if (!in || features_.size() != rows * shape.features ||
        payoffs_.size() != rows * (shape.treatments + 1)) {
      throw std::runtime_error("the numbers in " + folder.string() + " do not fit shape.txt");
    }
  }

  Round pool(std::size_t round) const {
    const std::size_t size = individuals * shape.features;
    return {.features = std::span(features_).subspan(round * size, size), .width = shape.features};
  }

  void pay(std::size_t round, std::span<const Treatment> treated,
           std::vector<double>& payoffs) const {
    payoffs.resize(individuals);
    for (std::size_t i = 0; i < individuals; ++i) {
      payoffs[i] = payoffs_[(round * individuals + i) * (shape.treatments + 1) + treated[i]];
    }
  }

  TargetingShape shape;
  std::size_t individuals = 0;
  std::size_t rounds = 0;

 private:
  std::vector<double> features_;
  std::vector<double> payoffs_;
};

double now() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since).count();
}

void play(const std::string& spec, const Folder& folder, int repetitions) {
  const Rounds rounds(folder);
  const Stream stream(1, 0, Purpose::kPolicy);
  std::vector<Treatment> decisions;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    decisions.clear();
    std::vector<double> payoffs;
    const double begin = now();
    const auto policy = make_policy(spec, Knowledge(rounds.shape));
    for (std::size_t round = 0; round < rounds.rounds; ++round) {
      const Round pool = rounds.pool(round);
      const Decision decision = policy->decide(pool, stream);
      const std::vector<Treatment>& treated = decision.treatments;
      rounds.pay(round, treated, payoffs);
      policy->learn(decision, pool, Payoffs::dense(payoffs));
      decisions.insert(decisions.end(), treated.begin(), treated.end());
    }
    std::printf("%.9f\n", now() - begin);
  }
  write(folder / "decisions.u32", decisions);
}

void select(const std::string& spec, const Folder& folder, int repetitions) {
  const Rounds rounds(folder);
  const std::vector<Treatment> treatments = read<Treatment>(folder / "treatments.u32");
  const std::vector<double> features = read<double>(folder / "pool.f64");
  const auto policy = make_policy(spec, Knowledge(rounds.shape));
  std::vector<double> payoffs;
  for (std::size_t round = 0; round < rounds.rounds; ++round) {
    const auto treated =
        std::span(treatments).subspan(round * rounds.individuals, rounds.individuals);
    rounds.pay(round, treated, payoffs);
    policy->learn({.treatments = {treated.begin(), treated.end()}}, rounds.pool(round),
                  Payoffs::dense(payoffs));
  }
  const Round pool{.features = features, .width = rounds.shape.features};
  std::vector<Treatment> treated;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    const double begin = now();
    treated = policy->decide(pool, Stream(1, 0, Purpose::kPolicy)).treatments;
    std::printf("%.9f\n", now() - begin);
  }
  write(folder / "decisions.u32", treated);
}

}  // namespace
}  // namespace updraft

int main(int argc, char** argv) {
  const std::string mode = argc == 5 ? argv[1] : "";
  if (mode != "play" && mode != "select") {
    std::fprintf(stderr, "Usage: targeting play|select SPEC FOLDER REPETITIONS\n");
    return 2;
  }
  try {
    (mode == "play" ? updraft::play : updraft::select)(argv[2], argv[3], std::atoi(argv[4]));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "targeting: %s\n", error.what());
    return 1;
  }
  return 0;
}

// Whether a learnt prior of the uplifts lowers the regret of up_ts: the policies beside themselves
// with draws from the posterior that explain() computes probabilities of being the best with
// (stats/shrink_effects.h), which moves uplifts towards their common mean.
//
//   shrinkage RUNS SEED INSTANCE ROUNDS [INSTANCE ROUNDS ...]
//
// Prints mean regret with its standard error, and the largest run over the median.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "core/symmetric.h"
#include "policies/decision_normals.h"
#include "policies/noise_learning_policy.h"
#include "stats/shrink_effects.h"
#include "updraft/instance_environment.h"
#include "updraft/registry.h"

namespace updraft {
namespace {

/// up_ts, or up_ts_bl if the baseline is known, with the learnt prior.
class ShrunkUpTs final : public NoiseLearningPolicy {
 public:
  ShrunkUpTs(const PolicySpec& spec, const Knowledge& knowledge)
      : NoiseLearningPolicy(spec, knowledge),
        skipped_(baseline_known() ? 0 : atoms()),
        draws_(skipped_ + actions()) {}

 private:
  std::optional<Eigen::VectorXd> radii() const override { return std::nullopt; }

  ActionId choose(const Stream& stream) override {
    if (!all_have_feedback()) return untried();
    Eigen::VectorXd estimate = estimates();
    Eigen::MatrixXd covariance = own_errors().cwiseAbs2().asDiagonal();
    if (!baseline_known()) {
      const auto width = static_cast<Eigen::Index>(baseline_width());
      const Eigen::MatrixXd errors = baseline_errors(Eigen::MatrixXd::Identity(width, width));
      covariance += errors.transpose() * errors;
    }
    shrink_effects(estimate, covariance);
    const double* normals = draws_.of(stream, decisions());
    Eigen::VectorXd z(estimate.size());
    for (ActionId a = 0; a < actions(); ++a) {
      z[a] = normals[(skipped_ + a) * DecisionNormals::kBlock];
    }
    const double kappa = posterior_scale(stream, decisions(), model().degrees);
    Eigen::Index best = 0;
    (estimate + kappa * (semidefinite_root(covariance) * z)).maxCoeff(&best);
    return static_cast<ActionId>(best);
  }

  std::size_t skipped_;  // normals, so that those of the actions are those of up_ts
  DecisionNormals draws_;
};

double regret(const Instance& instance, const std::shared_ptr<const PayoffLaw>& law, Policy& policy,
              std::uint64_t seed, std::uint32_t run, std::uint32_t rounds) {
  InstanceEnvironment environment(law, seed, run);
  const Stream stream(seed, run, Purpose::kPolicy);
  const auto& uplifts = instance.uplifts();
  const double best = *std::max_element(uplifts.begin(), uplifts.end());
  double lost = 0.0;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const ActionId action = policy.select(stream);
    policy.observe(action, environment.draw(round, action, policy.resolution()));
    lost += best - uplifts[action];
  }
  return lost;
}

void show(const char* instance, const std::string& policy, std::vector<double> regrets) {
  const auto runs = static_cast<double>(regrets.size());
  double mean = 0.0, squares = 0.0;
  for (const double each : regrets) mean += each / runs;
  for (const double each : regrets) squares += (each - mean) * (each - mean);
  std::sort(regrets.begin(), regrets.end());
  const double median = (regrets[(regrets.size() - 1) / 2] + regrets[regrets.size() / 2]) / 2.0;
  fmt::print("{:14} {:18} {:10.0f} ± {:6.0f}   {:5.2f}\n", instance, policy, mean,
             std::sqrt(squares / (runs - 1.0) / runs), regrets.back() / median);
  std::fflush(stdout);
}

void compare(const char* name, std::uint32_t rounds, std::uint32_t runs, std::uint64_t seed) {
  const auto instance = load_instance(name);
  const auto law = prepare_payoffs(instance);
  for (const char* text : {"up_ts_bl", "up_ts"}) {
    const PolicySpec spec = PolicySpec::parse(text);
    const Knowledge knowledge = knowledge_for(spec, instance->knowledge(rounds));
    std::vector<double> plain, shrunk;
    for (std::uint32_t run = 0; run < runs; ++run) {
      const auto policy = make_policy(spec, knowledge);
      plain.push_back(regret(*instance, law, *policy, seed, run, rounds));
      ShrunkUpTs variant(spec, knowledge);
      shrunk.push_back(regret(*instance, law, variant, seed, run, rounds));
    }
    show(name, text, std::move(plain));
    show(name, fmt::format("{}, shrunk", text), std::move(shrunk));
  }
}

}  // namespace
}  // namespace updraft

int main(int argc, char** argv) {
  if (argc < 5 || argc % 2 == 0 || std::atoi(argv[1]) < 2) {
    fmt::print(stderr, "Usage: shrinkage RUNS SEED INSTANCE ROUNDS [INSTANCE ROUNDS ...]\n");
    return 2;
  }
  try {
    const auto runs = static_cast<std::uint32_t>(std::atoi(argv[1]));
    const std::uint64_t seed = std::strtoull(argv[2], nullptr, 10);
    fmt::print("{} runs, seed {}: mean regret, largest run over the median\n", runs, seed);
    for (int i = 3; i < argc; i += 2) {
      updraft::compare(argv[i], static_cast<std::uint32_t>(std::atoi(argv[i + 1])), runs, seed);
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "shrinkage: {}\n", error.what());
    return 1;
  }
}

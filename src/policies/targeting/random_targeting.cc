#include "policies/all_policies.h"
#include "policies/targeting/choose_individuals.h"
#include "policies/targeting/targeting_policy.h"

namespace updraft {
namespace {

/// A yardstick: treats as many as the budget allows, each individual and each treatment as likely
/// as another. Learns nothing.
class RandomTargeting final : public TargetingPolicy {
 public:
  RandomTargeting(const PolicySpec& spec, const Knowledge& knowledge)
      : TargetingPolicy(spec, knowledge) {}

 private:
  Decision choose_treatments(const Round& pool, const Stream& stream, Propensity) override {
    Decision decision{.treatments = std::vector<Treatment>(pool.size(), 0)};
    treat_at_random(decision.treatments, budget(), treatments(), stream, decisions(), 0);
    decision.probability = random_probability(decision.treatments.size(), budget(), treatments());
    return decision;
  }
  std::vector<IndividualExplanation> describe(const Round& pool) const override {
    std::vector<IndividualExplanation> all(pool.size());
    for (IndividualExplanation& about : all) about.reason = "chosen by chance or not";
    return all;
  }
  void add(const Round&, std::span<const Treatment>, std::span<const double>) override {}
  void write_statistics(StateWriter&) const override {}
  void read_statistics(StateReader&) override {}
};

}  // namespace

std::unique_ptr<Policy> make_random_targeting(const PolicySpec& spec, const Knowledge& knowledge) {
  return std::make_unique<RandomTargeting>(spec, knowledge);
}

}  // namespace updraft

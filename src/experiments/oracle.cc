#include "experiments/oracle.h"

#include "policies/targeting/choose_individuals.h"
#include "policies/targeting/targeting_policy.h"
#include "updraft/registry.h"

namespace updraft {
namespace {

class Oracle final : public TargetingPolicy {
 public:
  Oracle(const PolicySpec& spec, const Knowledge& knowledge, const TrueUplifts& truth)
      : TargetingPolicy(spec, knowledge),
        truth_(&truth),
        fill_(spec.word_or_default("fill") == "yes") {}

 private:
  IndividualExplanation best_of(std::size_t individual) const {
    IndividualExplanation about;
    for (std::size_t z = 0; z < treatments(); ++z) {
      const double uplift = truth_->values[individual * treatments() + z];
      if (about.treatment != 0 && !(uplift > about.index)) continue;
      about.treatment = static_cast<Treatment>(z + 1);
      about.index = uplift;
    }
    about.greedy_index = about.index;
    about.uplift = about.index;
    about.interval = {about.index, about.index};
    return about;
  }

  std::vector<IndividualExplanation> describe(const Round& pool) const override {
    std::vector<IndividualExplanation> all;
    std::vector<double> uplifts;
    for (std::size_t i = 0; i < pool.size(); ++i) {
      all.push_back(best_of(i));
      all.back().reason = "others have a larger uplift, or it is not above 0";
      uplifts.push_back(all.back().index);
    }
    for (const std::uint32_t i : largest(uplifts, budget(), fill_)) {
      all[i].chosen = true;
      all[i].reason = "among the largest true uplifts";
    }
    return all;
  }

  Decision choose_treatments(const Round& pool, const Stream&, Propensity) override {
    Decision decision;
    for (const IndividualExplanation& about : describe(pool)) {
      decision.treatments.push_back(about.chosen ? about.treatment : 0);
    }
    return decision;
  }

  void add(const Round&, std::span<const Treatment>, std::span<const double>) override {}
  void write_statistics(StateWriter&) const override {}
  void read_statistics(StateReader&) override {}

  const TrueUplifts* truth_;
  bool fill_;
};

}  // namespace

std::unique_ptr<Policy> make_oracle(const PolicySpec& spec, const Knowledge& knowledge,
                                    const TrueUplifts& truth) {
  return std::make_unique<Oracle>(spec, knowledge, truth);
}

std::unique_ptr<Policy> make_simulated_policy(const PolicySpec& spec, const Knowledge& knowledge,
                                              const TrueUplifts& truth) {
  check_kind(spec, knowledge.kind());
  if (policy_info(spec.name()).make == nullptr) return make_oracle(spec, knowledge, truth);
  return make_policy(spec, knowledge);
}

}  // namespace updraft

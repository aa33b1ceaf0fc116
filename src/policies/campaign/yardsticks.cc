// What learners are compared with: chance, and knowing it all.

#include <fmt/format.h>

#include "policies/campaign/all_campaign_policies.h"
#include "policies/campaign/targeting.h"
#include "policies/row_checks.h"
#include "updraft/error.h"

namespace updraft {
namespace {

/// Learns nothing.
class Yardstick : public CampaignPolicy {
 protected:
  using CampaignPolicy::CampaignPolicy;

 private:
  void learn(const Pool&, std::span<const Treatment>, std::span<const double>) override {}
  void write_statistics(StateWriter&) const override {}
  void read_statistics(StateReader&) override {}
};

/// Treats as many as the budget allows, each individual and each treatment as likely as another.
class RandomCampaign final : public Yardstick {
 public:
  RandomCampaign(const PolicySpec& spec, const CampaignShape& shape) : Yardstick(spec, shape) {}

  bool draws() const override { return true; }

 private:
  std::vector<Treatment> choose(const Pool& pool, const Stream& stream) override {
    std::vector<Treatment> treated(pool.size(), 0);
    treat_at_random(treated, shape().budget, shape().treatments, stream, decisions(), 0);
    return treated;
  }
  std::vector<IndividualExplanation> describe(const Pool& pool) const override {
    std::vector<IndividualExplanation> all(pool.size());
    for (IndividualExplanation& about : all) about.reason = "chosen by chance or not";
    return all;
  }
};

/// Treats the individuals with the largest true uplifts.
class OracleCampaign final : public Yardstick {
 public:
  OracleCampaign(const PolicySpec& spec, const CampaignShape& shape)
      : Yardstick(spec, shape), fill_(spec.word_or_default("fill") == "yes") {}

 private:
  void check_pool(const Pool& pool) const override {
    const std::size_t wanted = pool.size() * shape().treatments;
    if (pool.uplifts.size() != wanted) {
      throw InvalidInput("pool: uplifts", fmt::format("{} numbers", pool.uplifts.size()),
                         fmt::format("oracle needs {}: one per individual and treatment", wanted));
    }
    check_numbers("pool: uplifts", pool.uplifts);
  }

  IndividualExplanation best_of(const Pool& pool, std::size_t individual) const {
    IndividualExplanation about;
    for (std::size_t z = 0; z < shape().treatments; ++z) {
      const double uplift = pool.uplifts[individual * shape().treatments + z];
      if (about.treatment != 0 && !(uplift > about.index)) continue;
      about.treatment = static_cast<Treatment>(z + 1);
      about.index = uplift;
    }
    about.greedy_index = about.index;
    about.uplift = about.index;
    about.interval = {about.index, about.index};
    return about;
  }

  std::vector<IndividualExplanation> describe(const Pool& pool) const override {
    std::vector<IndividualExplanation> all;
    std::vector<double> uplifts;
    for (std::size_t i = 0; i < pool.size(); ++i) {
      all.push_back(best_of(pool, i));
      all.back().reason = "others have a larger uplift, or it is not above 0";
      uplifts.push_back(all.back().index);
    }
    for (const std::uint32_t i : largest(uplifts, shape().budget, fill_)) {
      all[i].chosen = true;
      all[i].reason = "among the largest true uplifts";
    }
    return all;
  }

  std::vector<Treatment> choose(const Pool& pool, const Stream&) override {
    std::vector<Treatment> treated;
    for (const IndividualExplanation& about : describe(pool)) {
      treated.push_back(about.chosen ? about.treatment : 0);
    }
    return treated;
  }

  bool fill_;
};

}  // namespace

std::unique_ptr<CampaignPolicy> make_random_campaign(const PolicySpec& spec,
                                                     const CampaignShape& shape) {
  return std::make_unique<RandomCampaign>(spec, shape);
}

std::unique_ptr<CampaignPolicy> make_oracle_campaign(const PolicySpec& spec,
                                                     const CampaignShape& shape) {
  return std::make_unique<OracleCampaign>(spec, shape);
}

}  // namespace updraft

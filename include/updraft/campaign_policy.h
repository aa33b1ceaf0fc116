#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "updraft/ids.h"
#include "updraft/policy.h"
#include "updraft/policy_spec.h"
#include "updraft/registry.h"
#include "updraft/stream.h"

namespace updraft {

/// The individuals of one round. This is a view: it must not outlive the numbers that it refers to.
struct Pool {
  std::span<const double> features;       ///< one individual after the other
  std::size_t width = 0;                  ///< features of one individual
  std::span<const double> baseline = {};  ///< expected payoff of each if untreated, if known
  /// Simulations only: the true uplift of each individual and treatment, individual by individual.
  std::span<const double> uplifts = {};

  std::size_t size() const { return width == 0 ? 0 : features.size() / width; }
  std::span<const double> row(std::size_t individual) const {
    return features.subspan(individual * width, width);
  }
};

/// The sizes that a campaign policy is made for.
struct CampaignShape {
  std::size_t features = 0;    ///< d >= 1, of one individual
  std::size_t treatments = 1;  ///< Z >= 1
  std::size_t budget = 1;      ///< L >= 1: how many individuals may be treated in a round

  bool operator==(const CampaignShape&) const = default;
};

/// The estimates of a campaign policy for one individual of a pool. An estimate is absent if the
/// observed payoffs do not determine it: the individual's features are not a linear combination of
/// those observed with the treatment (for an uplift over a learnt baseline, also of those observed
/// without any). An interval is the estimate +- beta times the widths that go into it.
struct IndividualExplanation {
  Treatment treatment = 0;       ///< the one with the largest index
  double index = 0.0;            ///< by which individuals are compared
  double greedy_index = 0.0;     ///< the same without widths, as a greedy policy would use
  std::optional<double> payoff;  ///< estimated, with that treatment
  std::optional<Interval> payoff_interval;
  std::optional<double> uplift;      ///< of that treatment over none; never for c2_ucb
  std::optional<Interval> interval;  ///< of the uplift
  bool chosen = false;               ///< as select() would, leaving exploration at random aside
  std::string_view reason;           ///< why chosen or not
};

/// A learner for targeted campaigns: each round a pool of individuals with features, of whom at
/// most `budget` get one of the treatments. [hsieh22, section 6 and appendix on C2UpUCB]
///
/// select() offers and never learns; observe() brings the payoffs of a pool and what its
/// individuals had, now or late, in any order. The same calls give the same state, bit for bit. Not
/// safe for use by several threads at once.
class CampaignPolicy {
 public:
  virtual ~CampaignPolicy() = default;
  CampaignPolicy(const CampaignPolicy&) = delete;
  CampaignPolicy& operator=(const CampaignPolicy&) = delete;

  const PolicySpec& spec() const { return spec_; }
  const CampaignShape& shape() const { return shape_; }

  /// The treatment of each individual: the lowest ids and treatments among equals. Throws
  /// InvalidInput, and changes nothing, where the pool is empty or smaller than the budget, has the
  /// wrong width, holds a number that is not finite, or lacks the baseline or uplifts that the
  /// policy needs. Draws, if any, come from `stream` at round decisions().
  std::vector<Treatment> select(const Pool& pool, const Stream& stream);

  /// What select() would give. Decides nothing.
  std::vector<Treatment> preview(const Pool& pool, const Stream& stream);

  /// Counts a decision without choosing: it was made before, or elsewhere. Leaves the state, bit
  /// for bit, that select() leaves if it gives these treatments. The pool need not have the
  /// baseline or the uplifts. Throws InvalidInput, and changes nothing, where select() would for
  /// other reasons, and for treatments that are unknown, too few or too many for the pool, or
  /// beyond the budget.
  void take(const Pool& pool, std::span<const Treatment> treatments);

  /// Whether select() may draw at random.
  virtual bool draws() const { return false; }

  /// Learns from what the individuals of a pool of any size had and paid; their baseline is not
  /// needed. Throws InvalidInput, and changes nothing, where select() would throw for other
  /// reasons, and for treatments or payoffs that cannot be.
  void observe(const Pool& pool, std::span<const Treatment> treatments,
               std::span<const double> payoffs);

  /// What is believed of each individual of a pool.
  std::vector<IndividualExplanation> explain(const Pool& pool) const;

  std::uint64_t decisions() const { return decisions_; }
  std::uint64_t observations() const { return observations_; }

  /// Individuals learned from so far, and those of them who were treated.
  std::uint64_t rows() const { return rows_; }
  std::uint64_t treated_rows() const { return treated_rows_; }

  /// Version 1 did not count rows.
  static constexpr std::uint64_t kStateVersion = 2;
  void save_state(StateWriter& writer) const;
  /// Throws InvalidInput if the policy needs to know what the version does not tell.
  void restore_state(StateReader& reader, std::uint64_t version = kStateVersion);

 protected:
  CampaignPolicy(PolicySpec spec, CampaignShape shape);

  // All are given what passed the checks.
  virtual void check_pool(const Pool& pool) const;
  virtual void check_payoff(std::size_t individual, double payoff) const;
  virtual std::vector<Treatment> choose(const Pool& pool, const Stream& stream) = 0;
  virtual void learn(const Pool& pool, std::span<const Treatment> treatments,
                     std::span<const double> payoffs) = 0;
  virtual std::vector<IndividualExplanation> describe(const Pool& pool) const = 0;
  virtual void write_statistics(StateWriter& writer) const = 0;
  virtual void read_statistics(StateReader& reader) = 0;

 private:
  void check_size(const Pool& pool) const;
  void check_treatments(const Pool& pool, std::span<const Treatment> treatments) const;

  PolicySpec spec_;
  CampaignShape shape_;
  std::uint64_t decisions_ = 0;
  std::uint64_t observations_ = 0;
  std::uint64_t rows_ = 0;
  std::uint64_t treated_rows_ = 0;
};

/// The policies for targeted campaigns; their `make` is null.
std::span<const PolicyInfo> campaign_policies();

/// Throws InvalidInput if the spec is not that of a campaign policy, its parameters contradict each
/// other, or the shape is empty.
std::unique_ptr<CampaignPolicy> make_campaign_policy(const PolicySpec& spec,
                                                     const CampaignShape& shape);
std::unique_ptr<CampaignPolicy> make_campaign_policy(std::string_view spec,
                                                     const CampaignShape& shape);

/// As save_policy and load_policy (updraft/state.h), with the same guarantees and errors.
void save_campaign_policy(const CampaignPolicy& policy, const std::filesystem::path& path);
void save_campaign_policy(const CampaignPolicy& policy, std::ostream& out);
std::unique_ptr<CampaignPolicy> load_campaign_policy(const std::filesystem::path& path);
std::unique_ptr<CampaignPolicy> load_campaign_policy(std::istream& in);

}  // namespace updraft

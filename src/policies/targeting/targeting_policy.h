#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "updraft/policy.h"

namespace updraft {

/// What policies share that choose whom to treat: each round brings a pool of individuals with
/// features, of whom at most `budget` get one of the treatments. [hsieh22, section 6 and appendix
/// on C2UpUCB]
///
/// A pool that is decided on has at least as many individuals as the budget; one that is learned
/// from may be smaller.
class TargetingPolicy : public Policy {
 public:
  std::uint64_t rows() const final { return rows_; }

 protected:
  TargetingPolicy(const PolicySpec& spec, const Knowledge& knowledge) : Policy(spec, knowledge) {}

  /// Of the individuals learned from, those who were treated.
  std::uint64_t treated_rows() const { return treated_rows_; }

  std::size_t treatments() const { return knowledge().actions(); }
  std::size_t budget() const { return knowledge().budget(); }

  // All are given what passed the checks.
  virtual void check_pool(const Round&) const {}
  virtual void check_payoff(std::size_t /*individual*/, double /*payoff*/) const {}
  /// Treatments and, if it is wanted, their probability.
  virtual Decision choose_treatments(const Round& pool, const Stream& stream,
                                     Propensity propensity) = 0;
  virtual void add(const Round& pool, std::span<const Treatment> treatments,
                   std::span<const double> payoffs) = 0;
  virtual std::vector<IndividualExplanation> describe(const Round& pool) const = 0;

 private:
  Decision choose_in(const Round& pool, const Stream& stream, Propensity propensity) final;
  void check_taken(const Round& pool, const Decision& decision) const final;
  void learn_from(const Decision& decision, const Round& pool, const Payoffs& payoffs) final;
  Explanation explain_round(const Round& pool) const final;
  void write_rows(StateWriter& writer) const final;
  void read_rows(StateReader& reader, std::uint64_t version) final;

  /// What any pool must be, large enough for the budget or not.
  void check_any(const Round& pool) const;
  void check_size(const Round& pool) const;
  void check_treatments(const Round& pool, std::span<const Treatment> treatments) const;

  std::uint64_t rows_ = 0;
  std::uint64_t treated_rows_ = 0;
};

}  // namespace updraft

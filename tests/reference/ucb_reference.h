#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "reference/reference_policy.h"

namespace updraft::testing {

/// What the UCB-type reference policies share. [hsieh22, eq. of N, c, mean; eq. of UCBs]
///   radius(a)  = sqrt(2 alpha / N(a))
///   upper(a,i) = mean(a,i) + radius(a)
///   lower(a,i) = mean(a,i) - radius(a)
/// An action without observations has index +infinity ("Initialization: Take each action once").
class UcbReference : public ReferencePolicy {
 public:
  UcbReference(const PolicySpec& spec, const Knowledge& knowledge);

  std::vector<double> indices(const Stream& stream) const override;
  std::optional<double> explained_index(ActionId action) const override;
  std::optional<double> explained_radius(ActionId action) const override;
  double magnitude(ActionId action) const override;

 protected:
  /// The index of an action with N(a) >= 1.
  virtual double index(ActionId action) const = 0;

  double alpha() const { return alpha_; }
  /// With the decisions ahead, but in the course of without_ahead().
  double radius(ActionId action) const;
  /// What `call` gives with the radii of now.
  template <typename Call>
  auto without_ahead(Call call) const {
    counts_ahead_ = false;
    auto result = call();
    counts_ahead_ = true;
    return result;
  }
  double upper(ActionId action, VariableId variable) const;
  double lower(ActionId action, VariableId variable) const;

 private:
  double alpha_;
  mutable bool counts_ahead_ = true;
};

/// What those without V(a) share: the index is the sum of the individual indices of the
/// identified and the padding variables.
class UnknownSetsReference : public UcbReference {
 public:
  using UcbReference::UcbReference;

  /// Absent where N(a) = 0.
  std::optional<CountedSets> counted_sets(ActionId action) const override;

 protected:
  /// The counted sets of an action with N(a) >= 1.
  virtual CountedSets sets(ActionId action) const = 0;

  double index(ActionId action) const override;

  /// Of `candidates`, the `count` with the largest individual indices (lowest id among equals),
  /// all of them where there are fewer. In increasing order of id.
  std::vector<VariableId> largest(ActionId action, std::vector<VariableId> candidates,
                                  std::size_t count) const;
};

/// Those of them that are told the baseline:
///   individual(a,i) = U(a,i) - baseline(i)
class KnownBaselineReference : public UnknownSetsReference {
 public:
  KnownBaselineReference(const PolicySpec& spec, const Knowledge& knowledge);

  double individual_index(ActionId a, VariableId i) const override;

 protected:
  double baseline(VariableId i) const { return baseline_[i]; }

 private:
  std::vector<double> baseline_;
};

using ReferencePointer = std::unique_ptr<ReferencePolicy>;

ReferencePointer reference_ucb(const PolicySpec& spec, const Knowledge& knowledge);
ReferencePointer reference_ts(const PolicySpec& spec, const Knowledge& knowledge);
ReferencePointer reference_up_ucb_bl(const PolicySpec& spec, const Knowledge& knowledge);
ReferencePointer reference_up_ucb(const PolicySpec& spec, const Knowledge& knowledge);
ReferencePointer reference_up_ucb_obs(const PolicySpec& spec, const Knowledge& knowledge);
ReferencePointer reference_up_ucb_l_bl(const PolicySpec& spec, const Knowledge& knowledge);
ReferencePointer reference_up_ucb_l(const PolicySpec& spec, const Knowledge& knowledge);
ReferencePointer reference_up_ucb_ilift_bl(const PolicySpec& spec, const Knowledge& knowledge);
ReferencePointer reference_up_ucb_ilift(const PolicySpec& spec, const Knowledge& knowledge);
ReferencePointer reference_up_ucb_l_ilift_bl(const PolicySpec& spec, const Knowledge& knowledge);
ReferencePointer reference_up_ucb_pad_bl(const PolicySpec& spec, const Knowledge& knowledge);
ReferencePointer reference_up_ucb_explore_bl(const PolicySpec& spec, const Knowledge& knowledge);
ReferencePointer reference_up_ts(const PolicySpec& spec, const Knowledge& knowledge);
ReferencePointer reference_up_ts_bl(const PolicySpec& spec, const Knowledge& knowledge);
ReferencePointer reference_up_ts_sparse(const PolicySpec& spec, const Knowledge& knowledge);
ReferencePointer reference_up_ts_sparse_bl(const PolicySpec& spec, const Knowledge& knowledge);
ReferencePointer reference_up_ucb_cv(const PolicySpec& spec, const Knowledge& knowledge);
ReferencePointer reference_up_ucb_cv_bl(const PolicySpec& spec, const Knowledge& knowledge);

}  // namespace updraft::testing

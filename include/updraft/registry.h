#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "updraft/knowledge.h"
#include "updraft/policy.h"
#include "updraft/policy_spec.h"

namespace updraft {

/// How far a policy is checked. Verified: it makes the decisions of a plain reference
/// (tests/reference), and there is a theorem, whose bound has the policy's name in bounds() and
/// which its regret is held against in simulations (tests/theory/theorems_test.cc). Light: the
/// reference only, since there is no theorem, or none that was tested. Experimental: neither.
enum class PolicyStatus { kVerified, kLight, kExperimental };

std::string_view status_name(PolicyStatus status);

struct ParameterInfo {
  enum class Kind {
    kPositive,     ///< finite, > 0
    kNonNegative,  ///< finite, >= 0
    kFinite,
    kProbability,      ///< in (0, 1)
    kPositiveInteger,  ///< 1, 2, 3, ...
    kCountPerAction,   ///< one kPositiveInteger, or a list of whole numbers >= 0, one per action
    kChoice,           ///< one of `choices`
  };

  std::string_view name;
  Kind kind = Kind::kPositive;
  std::string_view default_text;  ///< what holds when it is not given
  std::string_view help;
  std::vector<std::string_view> choices = {};  ///< kChoice only
};

/// "must be > 0" and the like.
std::string parameter_rule(const ParameterInfo& parameter);

/// All there is to say of a policy. The command line's help, error messages, the bindings and
/// the documentation's tables are made from it.
struct PolicyInfo {
  std::string_view name;
  std::vector<std::string_view> aliases;
  std::string_view summary;
  std::string_view index;      ///< the index in one line of plain text
  std::string_view reference;  ///< where it comes from
  PolicyStatus status = PolicyStatus::kExperimental;
  /// Of the algorithm. Raise it whenever the same calls lead to other decisions or to another state
  /// than before: stores keep it with every decision, and say by it which revision decided.
  std::uint32_t revision = 1;
  Needs needs;
  std::vector<ParameterInfo> parameters;
  std::unique_ptr<Policy> (*make)(const PolicySpec&, const Knowledge&) = nullptr;
};

/// Every policy: auto, those on the total reward, those with nothing to tune, then the paper's from
/// much knowledge to little.
std::span<const PolicyInfo> policies();

/// By name or alias. Throws InvalidInput that lists the names and points at the nearest.
const PolicyInfo& policy_info(std::string_view name);

/// What `spec` still needs to be told: its policy's needs less those that its own parameters
/// (max_affected, min_uplift, effect_gap, horizon, prior_mean with prior_variance) bring along,
/// plus the horizon where it gives delta instead of alpha.
Needs needs_of(const PolicySpec& spec);

/// `knowledge` overridden by the parameters of `spec`, without what its policy does not use; auto
/// uses whatever there is.
/// Throws InvalidInput that says what is missing and which policies would do with what is known.
Knowledge knowledge_for(const PolicySpec& spec, const Knowledge& knowledge);

std::unique_ptr<Policy> make_policy(const PolicySpec& spec, const Knowledge& knowledge);
std::unique_ptr<Policy> make_policy(std::string_view spec, const Knowledge& knowledge);

/// What `auto` stands for.
struct Pick {
  PolicySpec spec;
  std::string reason;  ///< why, in one line
};

/// The policy that `automatic`, a spec of `auto`, stands for given what is known: by the table of
/// docs/choose-a-policy.md, with the parameters of `automatic` that the pick has. Throws
/// InvalidInput where the pick needs an alpha and neither alpha nor the horizon is known.
Pick pick_policy(const PolicySpec& automatic, const Knowledge& knowledge);

/// The names of the policies whose needs are all in `known`.
std::vector<std::string> policies_that_need_at_most(Needs known);

}  // namespace updraft

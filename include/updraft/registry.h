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
#include "updraft/policy_traits.h"

namespace updraft {

/// How well a policy is checked. Verified: it makes the decisions of a plain reference
/// (tests/reference), and there is a theorem whose bound has the policy's name in bounds() and with
/// which simulations compare the regret (tests/theory/theorems_test.cc). Light: the reference only,
/// since there is no theorem, or none that was tested. Experimental: neither.
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

  /// What holds if the parameter is not given: a number, a choice, or words if it depends on what
  /// is known ("as known"); empty if there is none. `except` adds when another value holds.
  struct Default {
    Default() = default;
    Default(double value, std::string_view otherwise = {}) : number(value), except(otherwise) {}
    Default(const char* text, std::string_view otherwise = {}) : words(text), except(otherwise) {}

    /// "1; the budget with delta".
    std::string text() const;

    std::optional<double> number;
    std::string_view words;
    std::string_view except;
  };

  std::string_view name;
  Kind kind = Kind::kPositive;
  Default otherwise;
  std::string_view help;
  std::vector<std::string_view> choices = {};  ///< kChoice only
};

/// "must be > 0" and the like.
std::string parameter_rule(const ParameterInfo& parameter);

/// All there is to say of a policy. The command line's help, error messages, the bindings and
/// the documentation's tables are made from it.
struct PolicyInfo {
  std::string_view name;
  PolicyKind kind = PolicyKind::kPlain;
  std::vector<std::string_view> aliases;
  std::string_view summary;
  std::string_view index;      ///< the index in one line of plain text
  std::string_view reference;  ///< where it comes from
  PolicyStatus status = PolicyStatus::kExperimental;
  /// Of the algorithm. Raise it whenever the same calls lead to other decisions or to another state
  /// than before: stores keep it with every decision, and say by it which revision decided.
  std::uint32_t revision = 1;
  Needs needs;      ///< before the start if it is plain, else with every Round
  Needs uses = {};  ///< of a plain policy: what else it takes if it is known
  PolicyTraits traits = {};
  std::vector<ParameterInfo> parameters;
  bool has_parameter(std::string_view parameter) const;
  /// Null if only a simulation can make it, since it must know the truth.
  std::unique_ptr<Policy> (*make)(const PolicySpec&, const Knowledge&) = nullptr;
};

/// Every policy, by kind. Plain ones: auto, those on the total reward, those with nothing to tune,
/// then the paper's from much knowledge to little.
std::span<const PolicyInfo> policies();
std::span<const PolicyInfo> policies(PolicyKind kind);

/// What policies of a kind are for, in messages: "plain bandits", "targeting", "contexts".
std::string_view kind_purpose(PolicyKind kind);

/// Throws InvalidInput if the policy is of another kind: says which, and which would do.
void check_kind(const PolicySpec& spec, PolicyKind wanted);

/// By name or alias. Throws InvalidInput that lists the names and suggests the nearest.
const PolicyInfo& policy_info(std::string_view name);

/// What `spec` still needs to know: the needs of its policy without those that its own parameters
/// (max_affected, min_uplift, effect_gap, horizon, prior_mean with prior_variance) provide, plus
/// the horizon if it gives delta instead of alpha, and the prior of rewards if it gives sigma2.
Needs needs_of(const PolicySpec& spec);

/// `knowledge` overridden by the parameters of `spec`, without what its policy does not use. auto
/// uses everything that is known; what targeting and contextual policies know comes with each
/// Round. Throws InvalidInput that says what is missing and which policies need no more than what
/// is known.
Knowledge knowledge_for(const PolicySpec& spec, const Knowledge& knowledge);

/// Throws InvalidInput as knowledge_for() does, if the knowledge is for another kind of policy, and
/// if parameters contradict each other.
std::unique_ptr<Policy> make_policy(const PolicySpec& spec, const Knowledge& knowledge);
std::unique_ptr<Policy> make_policy(std::string_view spec, const Knowledge& knowledge);

/// What a spec stands for.
struct Pick {
  PolicySpec spec;
  std::string reason;  ///< why `auto` picked it, in one line; empty if the spec stands for itself
};

/// Resolves `auto`; any other spec stands for itself. The choice follows the table of
/// docs/choose-a-policy.md, and the policy gets those parameters of `auto` that it has. Throws
/// InvalidInput if it needs an alpha and neither alpha nor the horizon is known.
Pick pick_policy(const PolicySpec& spec, const Knowledge& knowledge);

/// Payoffs per variable that a simulation observes without any action, for the policies that need
/// them, unless their spec says otherwise.
inline constexpr int kBaselineObservations = 1000;

std::vector<std::string> need_names(Needs needs);

/// The names of the plain policies whose needs are all in `known`, without experimental ones.
std::vector<std::string> policies_that_need_at_most(Needs known);

}  // namespace updraft

#pragma once

#include "updraft/policy_spec.h"

namespace updraft {

/// Which table a policy is in, and so which function makes it.
enum class PolicyKind {
  kAction,    ///< policies(), make_policy
  kCampaign,  ///< campaign_policies(), make_campaign_policy
  kContext,   ///< context_policies(), make_context_policy
};

/// Throws InvalidInput where the policy is of another kind: says which, and which ones would do.
void check_kind(const PolicySpec& spec, PolicyKind wanted);

}  // namespace updraft

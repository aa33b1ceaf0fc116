#include "policies/policy_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "updraft/campaign_policy.h"
#include "updraft/context_policy.h"
#include "updraft/error.h"
#include "updraft/registry.h"

namespace updraft {
namespace {

struct KindWords {
  PolicyKind kind;
  std::string_view purpose;
  std::string_view maker;
  std::span<const PolicyInfo> table;
};

std::vector<KindWords> kinds() {
  return {{PolicyKind::kAction, "single actions", "make_policy", policies()},
          {PolicyKind::kCampaign, "targeted campaigns", "make_campaign_policy, docs/campaigns.md",
           campaign_policies()},
          {PolicyKind::kContext, "actions with contexts", "make_context_policy, docs/campaigns.md",
           context_policies()}};
}

template <typename Accept>
KindWords find_kind(Accept accept) {
  const std::vector<KindWords> all = kinds();
  return *std::find_if(all.begin(), all.end(), accept);
}

}  // namespace

void check_kind(const PolicySpec& spec, PolicyKind wanted) {
  const KindWords own = find_kind([&](const KindWords& words) {
    return std::any_of(words.table.begin(), words.table.end(),
                       [&](const PolicyInfo& info) { return info.name == spec.name(); });
  });
  if (own.kind == wanted) return;
  const KindWords other = find_kind([&](const KindWords& words) { return words.kind == wanted; });
  std::vector<std::string_view> names;
  for (const PolicyInfo& info : other.table) names.push_back(info.name);
  throw InvalidInput("policy", spec.name(),
                     fmt::format("is for {} ({}), not for {}; for these there are: {}", own.purpose,
                                 own.maker, other.purpose, fmt::join(names, ", ")));
}

}  // namespace updraft

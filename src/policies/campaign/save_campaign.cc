#include "core/files.h"
#include "core/state_frame.h"
#include "updraft/campaign_policy.h"
#include "updraft/state_io.h"

namespace updraft {
namespace {

constexpr StateKind kKind{.magic = "updraft-campaign-policy\r\n",
                          .version = CampaignPolicy::kStateVersion};

/// Shapes beyond this are damage, not campaigns.
constexpr std::uint64_t kMost = std::uint64_t{1} << 24;

std::string encoded(const CampaignPolicy& policy) {
  StateWriter body;
  body.text(policy.spec().text());
  body.u64(policy.shape().features);
  body.u64(policy.shape().treatments);
  body.u64(policy.shape().budget);
  policy.save_state(body);
  return framed(kKind, body.bytes());
}

std::unique_ptr<CampaignPolicy> decoded(std::string_view file) {
  const StateBody found = unframed(kKind, file);
  StateReader body(found.bytes);
  const PolicySpec spec = PolicySpec::parse(body.text());
  CampaignShape shape;
  shape.features = body.u64_at_most(kMost, "policy state: features");
  shape.treatments = body.u64_at_most(kMost, "policy state: treatments");
  shape.budget = body.u64_at_most(std::uint64_t{1} << 40, "policy state: budget");
  std::unique_ptr<CampaignPolicy> policy = make_campaign_policy(spec, shape);
  policy->restore_state(body, found.version);
  body.finish();
  return policy;
}

}  // namespace

void save_campaign_policy(const CampaignPolicy& policy, std::ostream& out) {
  write_state(encoded(policy), out);
}

void save_campaign_policy(const CampaignPolicy& policy, const std::filesystem::path& path) {
  replace_file(path, encoded(policy));
}

std::unique_ptr<CampaignPolicy> load_campaign_policy(std::istream& in) {
  return decoded(read_state(in));
}

std::unique_ptr<CampaignPolicy> load_campaign_policy(const std::filesystem::path& path) {
  return decoded(read_file(path));
}

}  // namespace updraft

#include "core/files.h"
#include "core/state_frame.h"
#include "updraft/context_policy.h"
#include "updraft/state_io.h"

namespace updraft {
namespace {

constexpr StateKind kKind{.magic = "updraft-context-policy\r\n",
                          .version = ContextPolicy::kStateVersion};

/// Shapes beyond this are damage, not contexts.
constexpr std::uint64_t kMost = std::uint64_t{1} << 24;

std::string encoded(const ContextPolicy& policy) {
  StateWriter body;
  body.text(policy.spec().text());
  body.u64(policy.shape().features);
  body.u64(policy.shape().actions);
  policy.save_state(body);
  return framed(kKind, body.bytes());
}

std::unique_ptr<ContextPolicy> decoded(std::string_view file) {
  const StateBody found = unframed(kKind, file);
  StateReader body(found.bytes);
  const PolicySpec spec = PolicySpec::parse(body.text());
  ContextShape shape;
  shape.features = body.u64_at_most(kMost, "policy state: features");
  shape.actions = body.u64_at_most(kMost, "policy state: actions");
  std::unique_ptr<ContextPolicy> policy = make_context_policy(spec, shape);
  policy->restore_state(body, found.version);
  body.finish();
  return policy;
}

}  // namespace

void save_context_policy(const ContextPolicy& policy, std::ostream& out) {
  write_state(encoded(policy), out);
}

void save_context_policy(const ContextPolicy& policy, const std::filesystem::path& path) {
  replace_file(path, encoded(policy));
}

std::unique_ptr<ContextPolicy> load_context_policy(std::istream& in) {
  return decoded(read_state(in));
}

std::unique_ptr<ContextPolicy> load_context_policy(const std::filesystem::path& path) {
  return decoded(read_file(path));
}

}  // namespace updraft

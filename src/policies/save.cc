#include "core/files.h"
#include "core/state_frame.h"
#include "policies/saved_sets.h"
#include "updraft/error.h"
#include "updraft/registry.h"
#include "updraft/state.h"
#include "updraft/state_io.h"

namespace updraft {
namespace {

// docs/formats/policy-state.md gives the grammar.
constexpr StateKind kPlain{
    .magic = "updraft-policy\r\n", .version = Policy::kStateVersion, .oldest = 2};
constexpr StateKind kTargeting{.magic = "updraft-campaign-policy\r\n",
                               .version = Policy::kStateVersion};
constexpr StateKind kContextual{.magic = "updraft-context-policy\r\n",
                                .version = Policy::kStateVersion};

/// Sizes beyond this are damage.
constexpr std::uint64_t kMost = std::uint64_t{1} << 24;

const StateKind& file_kind(PolicyKind kind) {
  switch (kind) {
    case PolicyKind::kPlain:
      return kPlain;
    case PolicyKind::kTargeting:
      return kTargeting;
    case PolicyKind::kContextual:
      return kContextual;
  }
  return kPlain;
}

/// By how the file begins; plain if it begins like none.
PolicyKind kind_of_file(std::string_view file) {
  if (file.starts_with(kTargeting.magic)) return PolicyKind::kTargeting;
  return file.starts_with(kContextual.magic) ? PolicyKind::kContextual : PolicyKind::kPlain;
}

void write_max_affected(const Knowledge& knowledge, StateWriter& writer) {
  if (const std::vector<std::size_t>* bounds = knowledge.max_affected_per_action()) {
    writer.u64(2);
    writer.u64s(std::vector<std::uint64_t>(bounds->begin(), bounds->end()));
  } else if (knowledge.max_affected()) {
    writer.u64(1);
    writer.u64(*knowledge.max_affected());
  } else {
    writer.u64(0);
  }
}

void write_segments(const Knowledge& knowledge, StateWriter& writer) {
  std::vector<std::uint64_t> ends;
  std::vector<std::uint64_t> groups;
  if (knowledge.segments() != nullptr) {
    for (const Partition::Segment& segment : knowledge.segments()->segments()) {
      ends.push_back(segment.range.end);
      groups.push_back(segment.group);
    }
  }
  writer.u64s(ends);
  writer.u64s(groups);
}

/// `info`: of the policy that knows.
void write_knowledge(const Knowledge& knowledge, const PolicyInfo& info, StateWriter& writer) {
  writer.u64(knowledge.actions());
  writer.u64(knowledge.variables());
  const auto section = [&](bool known) {
    writer.u64(known ? 1 : 0);
    return known;
  };
  if (section(knowledge.baseline() != nullptr)) writer.f64s(*knowledge.baseline());
  if (section(knowledge.affected() != nullptr)) {
    for (ActionId action = 0; action < knowledge.actions(); ++action) {
      write_set(knowledge.affected()->of(action), writer);
    }
  }
  write_max_affected(knowledge, writer);
  if (section(knowledge.min_uplift().has_value())) writer.f64(*knowledge.min_uplift());
  if (section(knowledge.horizon().has_value())) writer.u64(*knowledge.horizon());
  if (section(knowledge.reward_prior().has_value())) {
    writer.f64(knowledge.reward_prior()->mean);
    writer.f64(knowledge.reward_prior()->variance);
  }
  if (section(knowledge.observations() != nullptr)) {
    writer.f64s(knowledge.observations()->counts);
    writer.f64s(knowledge.observations()->means);
  }
  if (info.needs.contains(Need::kEffectGap)) writer.f64(*knowledge.effect_gap());
  if (info.uses.contains(Need::kSegments)) write_segments(knowledge, writer);
}

void read_max_affected(StateReader& reader, Knowledge& knowledge) {
  switch (reader.u64_at_most(2, "policy state: section")) {
    case 1:
      knowledge.set_max_affected(reader.u64());
      break;
    case 2: {
      const std::vector<std::uint64_t> bounds = reader.u64s();
      knowledge.set_max_affected(std::vector<std::size_t>(bounds.begin(), bounds.end()));
      break;
    }
  }
}

void read_segments(StateReader& reader, Knowledge& knowledge) {
  const std::vector<std::uint64_t> ends = reader.u64s();
  const std::vector<std::uint64_t> groups = reader.u64s();
  if (ends.empty() && groups.empty()) return;
  if (ends.size() != groups.size() || ends.back() != knowledge.variables()) {
    throw InvalidInput("policy state: segments", "must be those of all variables");
  }
  std::vector<Partition::Segment> segments;
  VariableId begin = 0;
  for (std::size_t s = 0; s < ends.size(); ++s) {
    if (ends[s] > knowledge.variables() || groups[s] >= ends.size()) {
      throw InvalidInput("policy state: segments", std::to_string(groups[s]),
                         "must be numbered without gaps, and end within the variables");
    }
    const auto end = static_cast<VariableId>(ends[s]);
    segments.push_back({{begin, end}, static_cast<GroupId>(groups[s])});
    begin = end;
  }
  knowledge.set_segments(Partition(std::move(segments)));
}

Knowledge read_knowledge(StateReader& reader, const PolicyInfo& info) {
  const std::uint64_t actions = reader.u64();
  const std::uint64_t variables = reader.u64();
  Knowledge knowledge(actions, variables);
  const auto section = [&] { return reader.u64_at_most(1, "policy state: section") == 1; };
  if (section()) knowledge.set_baseline(reader.f64s());
  if (section()) {
    std::vector<VariableSet> sets;
    for (std::uint64_t action = 0; action < actions; ++action) {
      sets.push_back(read_set(reader, variables, "policy state: affected"));
    }
    knowledge.set_affected(std::move(sets));
  }
  read_max_affected(reader, knowledge);
  if (section()) knowledge.set_min_uplift(reader.f64());
  if (section()) knowledge.set_horizon(reader.u64());
  if (section()) {
    const double mean = reader.f64();
    knowledge.set_reward_prior({mean, reader.f64()});
  }
  if (section()) {
    BaselineObservations table;
    table.counts = reader.f64s();
    table.means = reader.f64s();
    knowledge.set_observations(std::move(table));
  }
  if (info.needs.contains(Need::kEffectGap)) knowledge.set_effect_gap(reader.f64());
  if (info.uses.contains(Need::kSegments)) read_segments(reader, knowledge);
  return knowledge;
}

void write_sizes(const Knowledge& knowledge, StateWriter& writer) {
  writer.u64(knowledge.features());
  writer.u64(knowledge.actions());
  if (knowledge.kind() == PolicyKind::kTargeting) writer.u64(knowledge.budget());
}

Knowledge read_sizes(StateReader& reader, PolicyKind kind) {
  const std::uint64_t features = reader.u64_at_most(kMost, "policy state: features");
  if (kind == PolicyKind::kContextual) {
    return Knowledge(ContextualShape{
        .features = features, .actions = reader.u64_at_most(kMost, "policy state: actions")});
  }
  const std::uint64_t treatments = reader.u64_at_most(kMost, "policy state: treatments");
  return Knowledge(
      TargetingShape{.features = features,
                     .treatments = treatments,
                     .budget = reader.u64_at_most(std::uint64_t{1} << 40, "policy state: budget")});
}

std::string encoded(const Policy& policy) {
  StateWriter body;
  body.text(policy.spec().text());
  if (policy.kind() == PolicyKind::kPlain) {
    write_knowledge(policy.knowledge(), policy_info(policy.spec().name()), body);
  } else {
    write_sizes(policy.knowledge(), body);
  }
  policy.save_state(body);
  return framed(file_kind(policy.kind()), body.bytes());
}

std::unique_ptr<Policy> decoded(std::string_view file) {
  const PolicyKind kind = kind_of_file(file);
  const StateBody found = unframed(file_kind(kind), file);
  StateReader body(found.bytes);
  const PolicySpec spec = PolicySpec::parse(body.text());
  const Knowledge knowledge = kind == PolicyKind::kPlain
                                  ? read_knowledge(body, policy_info(spec.name()))
                                  : read_sizes(body, kind);
  std::unique_ptr<Policy> policy = make_policy(spec, knowledge);
  policy->restore_state(body, found.version);
  body.finish();
  return policy;
}

}  // namespace

void save_policy(const Policy& policy, std::ostream& out) { write_state(encoded(policy), out); }

void save_policy(const Policy& policy, const std::filesystem::path& path) {
  replace_file(path, encoded(policy));
}

std::unique_ptr<Policy> load_policy(std::istream& in) { return decoded(read_state(in)); }

std::unique_ptr<Policy> load_policy(const std::filesystem::path& path) {
  return decoded(read_file(path));
}

}  // namespace updraft

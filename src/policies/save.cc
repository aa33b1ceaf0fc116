#include "core/files.h"
#include "core/state_frame.h"
#include "updraft/error.h"
#include "updraft/registry.h"
#include "updraft/state.h"

namespace updraft {
namespace {

// docs/formats/policy-state.md gives the grammar.
constexpr StateKind kKind{.magic = "updraft-policy\r\n", .version = 1};

void write_knowledge(const Knowledge& knowledge, StateWriter& writer) {
  writer.u64(knowledge.actions());
  writer.u64(knowledge.variables());
  const auto section = [&](bool known) {
    writer.u64(known ? 1 : 0);
    return known;
  };
  if (section(knowledge.baseline() != nullptr)) writer.f64s(*knowledge.baseline());
  if (section(knowledge.affected() != nullptr)) {
    for (ActionId action = 0; action < knowledge.actions(); ++action) {
      std::vector<std::uint64_t> ends;
      for (const VariableRange range : knowledge.affected()->of(action).ranges()) {
        ends.push_back(range.begin);
        ends.push_back(range.end);
      }
      writer.u64s(ends);
    }
  }
  if (section(knowledge.max_affected().has_value())) writer.u64(*knowledge.max_affected());
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
}

VariableSet read_set(StateReader& reader, std::size_t variables) {
  const std::vector<std::uint64_t> ends = reader.u64s();
  std::vector<VariableRange> ranges;
  for (std::size_t j = 0; j + 1 < ends.size(); j += 2) {
    if (ends[j] > variables || ends[j + 1] > variables) {
      throw InvalidInput("policy state: affected", "a range exceeds the number of variables");
    }
    ranges.push_back({static_cast<VariableId>(ends[j]), static_cast<VariableId>(ends[j + 1])});
  }
  return VariableSet::from_ranges(ranges, "policy state: affected");
}

Knowledge read_knowledge(StateReader& reader) {
  const std::uint64_t actions = reader.u64();
  const std::uint64_t variables = reader.u64();
  Knowledge knowledge(actions, variables);
  const auto section = [&] { return reader.u64_at_most(1, "policy state: section") == 1; };
  if (section()) knowledge.set_baseline(reader.f64s());
  if (section()) {
    std::vector<VariableSet> sets;
    for (std::uint64_t action = 0; action < actions; ++action) {
      sets.push_back(read_set(reader, variables));
    }
    knowledge.set_affected(std::move(sets));
  }
  if (section()) knowledge.set_max_affected(reader.u64());
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
  return knowledge;
}

std::string encoded(const Policy& policy) {
  StateWriter body;
  body.text(policy.spec().text());
  write_knowledge(policy.knowledge(), body);
  policy.save_state(body);
  return framed(kKind, body.bytes());
}

std::unique_ptr<Policy> decoded(std::string_view file) {
  StateReader body(unframed(kKind, file).bytes);
  const PolicySpec spec = PolicySpec::parse(body.text());
  const Knowledge knowledge = read_knowledge(body);
  std::unique_ptr<Policy> policy = make_policy(spec, knowledge);
  policy->restore_state(body);
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

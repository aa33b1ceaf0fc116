#include "experiments/contexts_toml.h"

#include "updraft/context_environment.h"
#include "updraft/error.h"

namespace updraft {
namespace {

constexpr std::uint64_t kMostSize = 1'000'000;

}  // namespace

LinearContexts read_contexts(const TomlField& field) {
  const TomlTable table = field.table("a table, [contexts]");
  table.check_keys(
      {"actions", "variables", "groups", "group_features", "max_affected", "noise_sd", "seed"});
  LinearContexts contexts;
  const auto read = [&](const char* key, std::size_t& size) {
    if (const auto given = table.find(key)) size = given->whole(1, kMostSize);
  };
  read("actions", contexts.actions);
  read("variables", contexts.variables);
  read("groups", contexts.groups);
  read("group_features", contexts.group_features);
  read("max_affected", contexts.max_affected);
  if (const auto given = table.find("noise_sd")) contexts.noise_sd = given->number();
  if (const auto given = table.find("seed")) contexts.seed = given->whole(0, kMostSeed);
  try {
    check_contexts(contexts);
  } catch (const InvalidInput& refused) {
    if (const auto given = table.find(refused.field())) {
      throw given->refusal(refused.value(), refused.rule());
    }
    throw table.refusal(refused.what());
  }
  return contexts;
}

}  // namespace updraft

#include "updraft/warm_start.h"

#include <fmt/format.h>

#include "updraft/error.h"

namespace updraft {
namespace {

/// Names all `count` ids, or checks that so many are named.
void name_all(std::string_view field, std::size_t count, std::vector<std::string>& names) {
  if (names.empty()) {
    for (std::size_t id = 0; id < count; ++id) names.push_back(std::to_string(id));
  } else if (names.size() != count) {
    throw InvalidInput(field, std::to_string(names.size()),
                       fmt::format("the log must have as many as the policy, {}", count));
  }
}

}  // namespace

std::uint64_t fit(Policy& policy, const std::string& path, LogFormat format) {
  if (policy.kind() != PolicyKind::kPlain) {
    throw InvalidInput("policy", policy.spec().text(), "logs are for plain policies");
  }
  name_all("actions", policy.knowledge().actions(), format.actions);
  name_all("variables", policy.knowledge().variables(), format.variables);
  survey_log(path, format);
  LogReader reader(path, format);
  LoggedRound round;
  std::uint64_t rounds = 0;
  for (; reader.next(round); ++rounds) {
    policy.take(round.action);
    policy.observe(round.action, round.payoffs());
  }
  return rounds;
}

}  // namespace updraft

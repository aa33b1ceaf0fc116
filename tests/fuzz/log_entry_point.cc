#include <cmath>
#include <cstdlib>
#include <iostream>
#include <string>

#include "fuzz/entry_points.h"
#include "support/folder.h"
#include "updraft/decision_log.h"
#include "updraft/error.h"

namespace updraft::fuzz {
namespace {

void require(bool holds, std::string_view what) {
  if (holds) return;
  std::cerr << "broken promise: " << what << '\n';
  std::abort();
}

void check_round(const LoggedRound& round, const LogSummary& summary) {
  const std::size_t variables = summary.format.variables.size();
  require(round.action < summary.format.actions.size(), "an action that is there");
  require(!round.probability || (*round.probability > 0.0 && *round.probability <= 1.0),
          "probabilities in (0, 1]");
  require(round.ids.empty() ? round.values.size() == variables || round.values.empty()
                            : round.values.size() == round.ids.size(),
          "a payoff for each id");
  for (std::size_t i = 0; i < round.ids.size(); ++i) {
    require(round.ids[i] < variables, "a variable that is there");
    require(i == 0 || round.ids[i - 1] < round.ids[i], "increasing ids");
  }
  for (const double paid : round.values) require(std::isfinite(paid), "finite payoffs");
}

}  // namespace

bool log(std::string_view input) {
  static const testing::TemporaryFolder folder;
  const std::string path = folder.write("log", input);
  try {
    LogFormat format;
    format.absent_is_zero = true;
    const LogSummary summary = survey_log(path, format);
    LogReader reader(path, summary.format);
    LoggedRound round;
    std::uint64_t rounds = 0;
    for (; reader.next(round); ++rounds) check_round(round, summary);
    require(rounds == summary.rounds, "both readings see the same");
    return true;
  } catch (const InvalidInput& refused) {
    require(!refused.field().empty() && !refused.rule().empty(), "a refusal has field and rule");
    require(std::string_view(refused.what()).size() < 4000, "messages are short");
    return false;
  }
}

}  // namespace updraft::fuzz

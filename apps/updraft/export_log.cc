#include "export_log.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "service/campaign_log.h"
#include "service/paid_decisions.h"
#include "updraft/decision_log.h"
#include "updraft/error.h"

namespace updraft::cli {
namespace {

/// In UTC, by ISO 8601.
std::string time_text(std::int64_t time_ms) {
  const std::chrono::milliseconds since(time_ms);
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since);
  const std::chrono::sys_seconds point(seconds);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(point.time_since_epoch().count()),
                     (since - seconds).count());
}

/// The id. Readers take whole numbers for an order, which ids do not have.
std::string name_of(const std::string& id) {
  return id.find_first_not_of("0123456789") == id.npos ? "#" + id : id;
}

}  // namespace

std::uint64_t export_decision_log(const EventStore& store, const ExportLog& log) {
  const StoredCampaign campaign = campaign_with_events(store, log.campaign);
  const CampaignDefinition definition =
      parse_definition(campaign.definition, DefinitionLimits::of_stored());
  if (definition.shape || definition.contexts) {
    throw InvalidInput("policy", definition.spec.text(), "decision logs are for plain policies");
  }
  LogWriter::Shape shape = {.actions = definition.action_names,
                            .variables = definition.knowledge->variables(),
                            .long_form = log.long_form,
                            .variable_names = definition.variable_names,
                            .times = true,
                            .distributions = false};
  for (std::size_t a = shape.actions.size(); a < definition.knowledge->actions(); ++a) {
    shape.actions.push_back(std::to_string(a));
  }
  LogWriter writer(log.path, std::move(shape));
  std::uint64_t rows = 0;
  for_each_paid(store, campaign, [&](const PaidDecision& paid) {
    const PayoffPart& part = paid.payoffs;
    writer.add({.decision = name_of(paid.id),
                .time = time_text(paid.time_ms),
                .action = paid.decided.action,
                .probability = paid.decided.probability},
               part.dense ? Payoffs::dense(part.values) : Payoffs::sparse(part.ids, part.values));
    ++rows;
  });
  writer.finish();
  return rows;
}

}  // namespace updraft::cli

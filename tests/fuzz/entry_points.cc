#include "fuzz/entry_points.h"

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <string>

#include "core/dense.h"
#include "service/campaign_definition.h"
#include "service/requests.h"
#include "service/variable_page.h"
#include "updraft/error.h"

namespace updraft::fuzz {
namespace {

/// Small, so that no input takes long or much memory.
constexpr DefinitionLimits kLimits = {
    .variables = 2000, .actions = 50, .cells = 10'000, .features = 50};

void require(bool holds, std::string_view what) {
  if (holds) return;
  std::cerr << "broken promise: " << what << '\n';
  std::abort();
}

/// Whether `read` accepts; other exceptions than InvalidInput pass through, and end the program.
template <typename Read>
bool accepted(Read read) {
  try {
    read();
    return true;
  } catch (const InvalidInput& refused) {
    require(!refused.field().empty(), "a refusal names a field");
    require(!refused.rule().empty(), "a refusal says the rule");
    require(std::string_view(refused.what()).size() < 4000, "messages are short");
    return false;
  }
}

const CampaignDefinition& campaign_of_actions() {
  static const CampaignDefinition made = parse_definition(
      R"json({"name": "actions", "policy": "ucb(alpha=1)", "actions": ["news", "discount"],
              "variables": ["coffee", "tea", "bread", "cake"]})json");
  return made;
}

const CampaignDefinition& campaign_in_shadow() {
  static const CampaignDefinition made = parse_definition(
      R"json({"name": "shadow", "policy": "ucb(alpha=1)", "actions": ["news", "discount"],
              "variables": ["coffee", "tea", "bread", "cake"], "mode": "shadow"})json");
  return made;
}

const CampaignDefinition& targeted_campaign() {
  static const CampaignDefinition made = parse_definition(
      R"json({"name": "targeted", "policy": "c2_up_ucb(beta=1)", "treatments": 2, "budget": 1,
              "features": 2})json");
  return made;
}

const CampaignDefinition& campaign_with_contexts() {
  static const CampaignDefinition made = parse_definition(
      R"json({"name": "contexts", "policy": "lin_up_ucb(beta=1)", "actions": 2, "features": 2,
              "variables": ["coffee", "tea"]})json");
  return made;
}

void check_sets(const DecisionRequest& request, const CampaignDefinition& campaign) {
  require(request.affected.size() == campaign.contexts->actions, "a set per action");
  const std::size_t rows = request.features.size() / campaign.contexts->features;
  for (const VariableSet& set : request.affected) {
    set.for_each([&](VariableId id) { require(id < rows, "sets of variables that are there"); });
  }
}

void check_decision(const DecisionRequest& request, const CampaignDefinition& campaign) {
  if (!request.id.empty()) check_decision_id(request.id);
  if (request.action) require(*request.action < campaign.actions(), "an action of the campaign");
  if (request.probability) {
    require(request.action && *request.probability > 0.0 && *request.probability <= 1.0,
            "probabilities of actions");
  }
  require(all_within(request.features, HUGE_VAL), "features are numbers");
  require(all_within(request.baseline, HUGE_VAL), "baselines are numbers");
  const std::size_t width = campaign.shape      ? campaign.shape->features
                            : campaign.contexts ? campaign.contexts->features
                                                : 0;
  require(request.features.empty() == (width == 0), "rows of features where there is a shape");
  if (width > 0) require(request.features.size() % width == 0, "whole rows");
  if (campaign.contexts) {
    check_sets(request, campaign);
  } else {
    require(request.affected.empty(), "no sets without contexts");
  }
}

void check_part(const PayoffPart& part, const CampaignDefinition& campaign) {
  require(part.part.size() <= 200, "parts have short names");
  for (const double value : part.values) require(std::isfinite(value), "payoffs are finite");
  require(strictly_increasing(part.ids), "ids increase");
  if (part.dense) {
    require(part.ids.empty(), "dense payoffs have no ids");
    if (campaign.knowledge) {
      require(part.values.size() == campaign.knowledge->variables(), "one per variable");
    }
  } else {
    require(part.ids.size() == part.values.size(), "a value per id");
    if (campaign.knowledge && !part.ids.empty()) {
      require(part.ids.back() < campaign.knowledge->variables(), "ids of variables");
    }
  }
}

void check_history(const HistoryRequest& request, const CampaignDefinition& campaign) {
  check_batch_id(request.batch);
  require(!request.rounds.empty() && request.rounds.size() <= 10'000, "some rounds");
  for (const PastRound& round : request.rounds) {
    require(round.action < campaign.actions(), "actions of the campaign");
    check_part(round.payoffs, campaign);
  }
}

/// After a round of payoffs.
const LiveCampaign& played_campaign() {
  static const LiveCampaign* const made = [] {
    auto* live = new LiveCampaign(std::make_shared<CampaignDefinition>(campaign_of_actions()));
    live->decide({}, 0);
    live->pay("d-1", PayoffPart{}, 0);
    return live;
  }();
  return *made;
}

/// Takes a line, without its end, off a text.
std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  return line;
}

}  // namespace

bool question(std::string_view input) {
  const std::string_view action = take_line(input);
  Query query;
  while (!input.empty()) {
    const std::string_view line = take_line(input);
    const std::string_view key = line.substr(0, line.find('='));
    query.emplace_back(key, line.substr(std::min(line.size(), key.size() + 1)));
  }
  return accepted([&] {
    const VariableQuery asked = parse_variable_query(action, query, campaign_of_actions());
    const nlohmann::json page = variable_page(played_campaign(), asked);
    const std::size_t rows = page.at("variables").size();
    const std::size_t total = page.at("total");
    require(rows <= asked.count, "no longer than asked for");
    require(rows <= total && total <= 4, "no more than there are");
    require(asked.search.size() <= 200, "searches are short");
  });
}

bool definition(std::string_view input) {
  return accepted([&] {
    const CampaignDefinition read = parse_definition(input, kLimits);
    check_campaign_name(read.name);
    require(read.contexts ? !read.shape : read.knowledge.has_value() != read.shape.has_value(),
            "actions, a shape or contexts");
    CampaignDefinition again;
    require(accepted([&] { again = parse_definition(read.canonical, kLimits); }),
            "canonical forms are accepted");
    require(again.canonical == read.canonical, "canonical forms are their own");
  });
}

bool request(std::string_view input) {
  if (input.empty()) return false;
  const unsigned kind = static_cast<unsigned char>(input.front()) % 8;
  input.remove_prefix(1);
  const CampaignDefinition& campaign = kind < 2   ? campaign_of_actions()
                                       : kind < 4 ? targeted_campaign()
                                       : kind < 6 ? campaign_with_contexts()
                                                  : campaign_in_shadow();
  return accepted([&] {
    if (kind == 7) {
      check_history(parse_history(input, campaign), campaign);
    } else if (kind % 2 == 0) {
      check_decision(parse_decision(input, campaign), campaign);
    } else {
      check_part(parse_payoffs(input, campaign), campaign);
    }
  });
}

}  // namespace updraft::fuzz

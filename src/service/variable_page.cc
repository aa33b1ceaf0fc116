#include "service/variable_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "monitor/variable_uplifts.h"

namespace updraft {
namespace {

using Json = nlohmann::json;
using Show = VariableQuery::Show;

char lower_case(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool contains(std::string_view text, std::string_view part) {
  return std::search(text.begin(), text.end(), part.begin(), part.end(), [](char one, char other) {
           return lower_case(one) == lower_case(other);
         }) != text.end();
}

bool matches(const CampaignDefinition& campaign, VariableId variable, const std::string& search) {
  if (search.empty()) return true;
  if (campaign.variable_names.empty()) return contains(std::to_string(variable), search);
  return contains(campaign.variable_names[variable], search);
}

/// What an action has to do with its variables.
struct Sets {
  const VariableSet* declared = nullptr;
  const VariableSet* identified = nullptr;
  const VariableSet* padding = nullptr;
  const std::vector<double>* inclusion = nullptr;  ///< per unit, if the policy tells it
  const Partition* units = nullptr;

  Json inclusion_of(VariableId variable) const {
    if (inclusion == nullptr) return nullptr;
    return (*inclusion)[units->group_of(variable)];
  }

  Json word_for(VariableId variable) const {
    if (declared != nullptr && declared->contains(variable)) return "declared";
    if (identified != nullptr && identified->contains(variable)) return "identified";
    if (padding != nullptr && padding->contains(variable)) return "padding";
    return nullptr;
  }
};

std::vector<VariableId> ids_of(const VariableSet* set) {
  return set == nullptr ? std::vector<VariableId>() : set->ids();
}

std::vector<VariableId> candidates(Show show, const Sets& sets, ActionId action,
                                   std::size_t variables, const VariableUplifts* uplifts) {
  switch (show) {
    case Show::kAffected:
      return ids_of(sets.declared != nullptr ? sets.declared : sets.identified);
    case Show::kPadding:
      return ids_of(sets.padding);
    case Show::kSurprising:
      return uplifts == nullptr ? std::vector<VariableId>() : uplifts->surprising(action);
    case Show::kAll:
      break;
  }
  std::vector<VariableId> all(variables);
  for (VariableId i = 0; i < variables; ++i) all[i] = i;
  return all;
}

Json row(VariableId variable, const CampaignDefinition& campaign, const Sets& sets,
         const std::optional<VariableUplift>& uplift) {
  Json out = {{"variable", variable},
              {"affected", sets.word_for(variable)},
              {"inclusion", sets.inclusion_of(variable)},
              {"mean", nullptr},
              {"baseline", nullptr},
              {"uplift", nullptr},
              {"difference", nullptr},
              {"low", nullptr},
              {"high", nullptr},
              {"surprising", false}};
  if (!campaign.variable_names.empty()) out["name"] = campaign.variable_names[variable];
  if (!uplift) return out;
  out["mean"] = uplift->mean;
  if (uplift->over_nothing) out["baseline"] = uplift->baseline;
  out[uplift->over_nothing ? "uplift" : "difference"] = uplift->uplift();
  out["low"] = uplift->interval.low;
  out["high"] = uplift->interval.high;
  out["surprising"] =
      sets.declared != nullptr && !sets.declared->contains(variable) && uplift->excludes_zero();
  return out;
}

/// What uplifts are over, and what differences are to, as far as the page may have any.
void put_texts(const CampaignDefinition& campaign, const VariableUplifts& uplifts, Json& out) {
  if (uplifts.tells_uplifts()) out["against"] = uplifts.baseline_text();
  if (!uplifts.tells_differences()) return;
  out["difference_to"] = campaign.knowledge->affected() == nullptr
                             ? std::string(uplifts.baseline_text())
                             : action_name(campaign, kReferenceAction);
}

}  // namespace

Json variable_page(const LiveCampaign& campaign, const VariableQuery& query) {
  const CampaignDefinition& definition = campaign.definition();
  const PayoffStatistics& statistics = *campaign.monitor().statistics();
  const Explanation explanation = campaign.policy().explain(Detail::kCheap);
  const ActionExplanation& about = explanation.actions[query.action];
  Sets sets;
  if (definition.knowledge->affected() != nullptr) {
    sets.declared = &definition.knowledge->affected()->of(query.action);
  }
  if (about.identified) sets.identified = &*about.identified;
  if (about.padding) sets.padding = &*about.padding;
  if (about.inclusion) {
    sets.inclusion = &*about.inclusion;
    sets.units = campaign.policy().resolution().partition.get();
  }
  const std::optional<VariableUplifts> uplifts = campaign.monitor().variable_uplifts();

  Json out = {{"action", query.action},
              {"show", name_of(query.show)},
              {"search", query.search},
              {"from", query.from},
              {"kept", statistics.per_variable()}};
  if (!statistics.per_variable()) {
    out["left_out"] = fmt::format("sums per variable are kept up to {} actions times variables",
                                  PayoffStatistics::kMostCells);
  }
  if (uplifts) put_texts(definition, *uplifts, out);
  std::size_t total = 0;
  Json& rows = out["variables"] = Json::array();
  for (const VariableId variable : candidates(
           query.show, sets, query.action, statistics.variables(), uplifts ? &*uplifts : nullptr)) {
    if (!matches(definition, variable, query.search)) continue;
    if (total >= query.from && rows.size() < query.count) {
      rows.push_back(row(variable, definition, sets,
                         uplifts ? uplifts->of(query.action, variable) : std::nullopt));
    }
    ++total;
  }
  out["total"] = total;
  return out;
}

}  // namespace updraft

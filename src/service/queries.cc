#include "service/queries.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "core/json_document.h"
#include "updraft/error.h"

namespace updraft {
namespace {

using Show = VariableQuery::Show;

constexpr std::size_t kLongestPage = 1000;
constexpr std::size_t kLongestSearch = 200;
constexpr std::size_t kMostEvents = std::size_t{1} << 40;

constexpr std::pair<std::string_view, Show> kShows[] = {{"affected", Show::kAffected},
                                                        {"padding", Show::kPadding},
                                                        {"surprising", Show::kSurprising},
                                                        {"all", Show::kAll}};

std::size_t whole(std::string_view field, std::string_view text, std::size_t least,
                  std::size_t most) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most) {
    throw InvalidInput(field, clipped(text),
                       fmt::format("must be a whole number from {} to {}", least, most));
  }
  return value;
}

void refuse_repeated(std::string_view key, std::string_view value,
                     std::vector<std::string_view>& seen) {
  if (std::find(seen.begin(), seen.end(), key) != seen.end()) {
    throw InvalidInput(key, clipped(value), "must be given once");
  }
  seen.push_back(key);
}

Show show_of(std::string_view text) {
  std::vector<std::string> valid;
  for (const auto& [name, show] : kShows) {
    if (name == text) return show;
    valid.emplace_back(name);
  }
  throw unknown_name("show", clipped(text), valid);
}

}  // namespace

std::string_view name_of(Show show) {
  return std::find_if(std::begin(kShows), std::end(kShows),
                      [show](const auto& one) { return one.second == show; })
      ->first;
}

ActionId action_in_path(std::string_view action, const CampaignDefinition& campaign) {
  if (campaign.shape) {
    throw InvalidInput("action", clipped(action),
                       "targeted campaigns have treatments, not actions");
  }
  const std::vector<std::string>& names = campaign.action_names;
  const auto found = std::find(names.begin(), names.end(), action);
  if (found != names.end()) return static_cast<ActionId>(found - names.begin());
  const bool number =
      std::all_of(action.begin(), action.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!number && !names.empty()) return action_field(std::string(action), campaign, "action");
  return static_cast<ActionId>(whole("action", action, 0, campaign.actions() - 1));
}

VariableQuery parse_variable_query(std::string_view action, const Query& query,
                                   const CampaignDefinition& campaign) {
  if (campaign.shape) {
    throw InvalidInput("action", clipped(action),
                       "targeted campaigns have individuals, not actions with variables");
  }
  if (campaign.contexts) {
    throw InvalidInput("action", clipped(action),
                       "variables of a contextual campaign differ between decisions by their "
                       "features; the report has the policy's estimates for the last context");
  }
  VariableQuery out;
  out.action = static_cast<ActionId>(whole("action", action, 0, campaign.knowledge->actions() - 1));
  std::vector<std::string_view> seen;
  for (const auto& [key, value] : query) {
    refuse_repeated(key, value, seen);
    if (key == "show") {
      out.show = show_of(value);
    } else if (key == "search") {
      if (value.size() > kLongestSearch) {
        throw InvalidInput("search", clipped(value),
                           fmt::format("must have at most {} bytes", kLongestSearch));
      }
      out.search = value;
    } else if (key == "from") {
      out.from = whole("from", value, 0, campaign.knowledge->variables());
    } else if (key == "count") {
      out.count = whole("count", value, 1, kLongestPage);
    } else {
      throw unknown_name("query", clipped(key), {"show", "search", "from", "count"});
    }
  }
  return out;
}

bool parse_list_query(const Query& query) {
  bool archived = false;
  std::vector<std::string_view> seen;
  for (const auto& [key, value] : query) {
    refuse_repeated(key, value, seen);
    if (key != "archived") throw unknown_name("query", clipped(key), {"archived"});
    if (value != "true" && value != "false") {
      throw unknown_name("archived", clipped(value), {"true", "false"});
    }
    archived = value == "true";
  }
  return archived;
}

EventQuery parse_event_query(const Query& query) {
  EventQuery out;
  std::vector<std::string_view> seen;
  for (const auto& [key, value] : query) {
    refuse_repeated(key, value, seen);
    if (key == "after") {
      out.after = whole("after", value, 0, kMostEvents);
    } else if (key == "count") {
      out.count = whole("count", value, 1, kLongestPage);
    } else {
      throw unknown_name("query", clipped(key), {"after", "count"});
    }
  }
  return out;
}

void refuse_query(const Query& query) {
  if (query.empty()) return;
  throw InvalidInput("query", clipped(query.front().first), "must be empty here");
}

bool parse_sets_query(const Query& query) {
  for (const auto& [key, value] : query) {
    if (key != "sets") throw unknown_name("query", clipped(key), {"sets"});
    if (value != "count") throw unknown_name("sets", clipped(value), {"count"});
  }
  return !query.empty();
}

}  // namespace updraft

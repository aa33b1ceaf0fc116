// Campaigns as JSON lines: there and back, and what is refused.

#include "service/campaign_log.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "core/checksum.h"
#include "service/event_bodies.h"
#include "service/service.h"
#include "service/store_check.h"
#include "store/campaign_store.h"
#include "support/folder.h"
#include "support/refusal.h"
#include "updraft/registry.h"

namespace updraft {
namespace {

using Json = nlohmann::json;
using testing::refusal;
using testing::TemporaryFolder;

/// Lines of a campaign with every kind of event.
std::vector<std::string> lines_of(const TemporaryFolder& folder, const std::string& body) {
  const std::filesystem::path path = folder.path() / "first.db";
  const CampaignDefinition definition = parse_definition(body);
  {
    std::int64_t now = 0;
    Service service({.store = path, .clock = [&now] { return now; }});
    service.create(definition);
    const std::vector<double> pool = definition.shape || definition.contexts
                                         ? std::vector<double>{1, 0, 0, 1}
                                         : std::vector<double>{};
    std::vector<VariableSet> affected;
    if (definition.contexts) affected = {VariableSet::from_ids({0, 1}), VariableSet()};
    for (const char* id : {"a", "b", "c", ""}) {
      service.decide(definition.name,
                     {.id = id, .features = pool, .baseline = {}, .affected = affected});
    }
    service.pay(definition.name, "a", {"", true, true, {}, {0.1, 2.5}});
    service.pay(definition.name, "b", {"x", false, false, {1}, {1e-3}});
    now = 5000;
    service.sweep();
    service.pay(definition.name, "c", {"", true, false, {0}, {0.25}});
    service.stop(definition.name);
  }
  std::stringstream log;
  export_campaign(CampaignStore(path, CampaignStore::Mode::kRead), definition.name, log);
  std::vector<std::string> lines;
  for (std::string line; std::getline(log, line);) lines.push_back(line);
  return lines;
}

const char* const kActions =
    R"json({"name": "shop", "policy": "up_ts", "actions": 2, "variables": 2, "wait": 1,
            "knowledge": {"affected": [[0], [1]]}})json";
const char* const kPools = R"json({"name": "mail", "policy": "c2_up_ucb(beta=1)", "treatments": 1,
                                   "budget": 1, "features": 2, "wait": 1})json";

const char* const kContexts =
    R"json({"name": "week", "policy": "lin_up_ucb(beta=1)", "actions": 2, "features": 2,
            "wait": 1})json";

std::string joined(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

class Logged : public ::testing::TestWithParam<const char*> {};

TEST_P(Logged, GoesToAnotherStoreAndBack) {
  const TemporaryFolder folder;
  const std::vector<std::string> lines = lines_of(folder, GetParam());
  ASSERT_EQ(lines.size(), 13u);  // head, 4 decided, 2 payoffs, 3 lost, 1 payoffs, stopped, end
  CampaignStore other(folder.path() / "other.db", CampaignStore::Mode::kWrite);
  std::stringstream in(joined(lines));
  import_campaign(other, in);
  std::stringstream again;
  export_campaign(other, other.campaigns().front().name, again);
  EXPECT_EQ(again.str(), joined(lines));
  const StoreCheck check = check_store(other);
  EXPECT_TRUE(check.defects.empty());
  EXPECT_EQ(check.campaigns.front().events, 11u);

  std::stringstream twice(joined(lines));
  EXPECT_NE(refusal([&] { import_campaign(other, twice); }).find("exists already"),
            std::string::npos);
}

TEST_P(Logged, IsRefusedWithAnyLineMissingRepeatedOrInAnotherOrder) {
  const TemporaryFolder folder;
  const std::vector<std::string> lines = lines_of(folder, GetParam());
  CampaignStore other(folder.path() / "other.db", CampaignStore::Mode::kWrite);
  const auto refused = [&](std::vector<std::string> changed) {
    std::stringstream in(joined(changed));
    const std::string said = refusal([&] { import_campaign(other, in); });
    EXPECT_EQ(said.substr(0, 5), "line ") << said;
    EXPECT_TRUE(other.campaigns().empty());
  };
  for (std::size_t j = 0; j < lines.size(); ++j) {
    std::vector<std::string> changed = lines;
    changed.erase(changed.begin() + static_cast<std::ptrdiff_t>(j));
    refused(changed);
    if (j + 1 == lines.size()) break;
    changed = lines;
    std::swap(changed[j], changed[j + 1]);
    refused(changed);
    changed = lines;
    changed.insert(changed.begin() + static_cast<std::ptrdiff_t>(j), lines[j]);
    refused(changed);
  }
  std::stringstream in(joined(lines));  // nothing was left behind
  EXPECT_EQ(refusal([&] { import_campaign(other, in); }), "(accepted)");
}

INSTANTIATE_TEST_SUITE_P(Kinds, Logged, ::testing::Values(kActions, kPools, kContexts));

/// A line of a log with the checksum that it ought to have.
std::string with_own_sum(const std::string& line) {
  const std::string text = line.substr(0, line.size() - 18);
  return fmt::format(R"({},"crc":"{:08x}"}})", text, checksum(text));
}

/// The same log as programs before this one wrote it.
std::vector<std::string> of_format_2(std::vector<std::string> lines) {
  std::uint32_t sum = 0;
  for (std::string& line : lines) {
    Json json = Json::parse(line);
    json.erase("crc");
    json.erase("created_ms");
    if (json.contains("format")) json["format"] = "updraft-campaign-log/2";
    if (json.contains("checksum")) json["checksum"] = fmt::format("{:08x}", sum);
    line = json.dump();
    sum = checksum_after(sum, line + "\n");
  }
  return lines;
}

TEST(CampaignLog, NamesTheLineThatWasChanged) {
  const TemporaryFolder folder;
  const std::vector<std::string> lines = lines_of(folder, kActions);
  CampaignStore other(folder.path() / "other.db", CampaignStore::Mode::kWrite);
  for (std::size_t line = 1; line < lines.size(); ++line) {
    for (std::size_t at = 0; at < lines[line].size(); at += 7) {
      std::vector<std::string> changed = lines;
      changed[line][at] = static_cast<char>(changed[line][at] ^ 1);
      std::stringstream in(joined(changed));
      const std::string said = refusal([&] { import_campaign(other, in); });
      EXPECT_EQ(said.find(fmt::format("line {}: crc", line + 1)), 0u) << said;
    }
  }
  EXPECT_TRUE(other.campaigns().empty());
}

TEST(CampaignLog, OfFormat2IsTaken) {
  const TemporaryFolder folder;
  const std::vector<std::string> lines = of_format_2(lines_of(folder, kActions));
  CampaignStore other(folder.path() / "other.db", CampaignStore::Mode::kWrite);
  std::stringstream in(joined(lines));
  import_campaign(other, in);
  EXPECT_TRUE(check_store(other).nothing_found());
  EXPECT_EQ(other.campaigns().front().created_ms, 0);
}

TEST(CampaignLog, KeepsWhoDidWhat) {
  const TemporaryFolder folder;
  {
    Service service({.store = folder.path() / "first.db", .clock = [] { return std::int64_t{7}; }});
    service.create(parse_definition(kActions), "anna");
    service.decide("shop", {.id = "a", .features = {}, .baseline = {}}, "shop-1");
    service.pay("shop", "a", {"", true, true, {}, {0.1, 2.5}});
    service.stop("shop", "anna");
  }
  std::stringstream log;
  export_campaign(CampaignStore(folder.path() / "first.db", CampaignStore::Mode::kRead), "shop",
                  log);
  CampaignStore other(folder.path() / "other.db", CampaignStore::Mode::kWrite);
  import_campaign(other, log);
  const StoredCampaign campaign = other.campaigns().front();
  EXPECT_EQ(campaign.by, "anna");
  EXPECT_EQ(campaign.created_ms, 7);
  std::vector<std::string> names;
  for (const Event& event : other.events_after(campaign, 0, 10)) names.push_back(event.by);
  EXPECT_EQ(names, (std::vector<std::string>{"shop-1", "", "anna"}));
}

TEST(CampaignLog, NamesLineAndField) {
  const TemporaryFolder folder;
  const std::vector<std::string> lines = lines_of(folder, kActions);
  const auto said = [&](std::size_t line, const std::string& from, const std::string& to) {
    std::vector<std::string> changed = lines;
    const std::size_t at = changed[line].find(from);
    EXPECT_NE(at, std::string::npos) << changed[line];
    if (at != std::string::npos) changed[line].replace(at, from.size(), to);
    changed[line] = with_own_sum(changed[line]);
    CampaignStore other(folder.path() / ("other-" + to + ".db"), CampaignStore::Mode::kWrite);
    std::stringstream in(joined(changed));
    return refusal([&] { import_campaign(other, in); });
  };
  EXPECT_EQ(said(0, "updraft-campaign-log/3", "x"),
            "line 1: format = x: must be updraft-campaign-log/3, updraft-campaign-log/2 or "
            "updraft-campaign-log/1");
  EXPECT_EQ(said(1, "\"event\":1", "\"by\":\"a b\",\"event\":1"),
            "line 2: by = a b: must be the name of a token");
  EXPECT_EQ(said(1, "decided", "moved"), "line 2: kind = moved: unknown");
  EXPECT_NE(said(1, "\"action\":0", "\"action\":1").find("line 13: checksum = "),
            std::string::npos);
  EXPECT_EQ(said(1, "\"action\":0", "\"action\":2"),
            "line 2: action = 2: must be below the number of actions, 2");
  EXPECT_EQ(said(1, "\"probability\":1.0", "\"probability\":1.5"),
            "line 2: probability = 1.5: must be in (0, 1]");
  EXPECT_NE(said(5, "2.5", "2.25"), "(accepted)");
  EXPECT_EQ(said(12, "11", "12"),
            "line 13: events = 12: must be 11, the number of events in the log");
}

/// Of the policy in kActions.
std::uint32_t revision() { return policy_info("up_ts").revision; }

TEST(CampaignLog, KeepsProbabilityAndRevision) {
  const TemporaryFolder folder;
  const std::vector<std::string> lines = lines_of(folder, kActions);
  EXPECT_NE(lines[1].find(fmt::format("\"probability\":1.0,\"revision\":{}", revision())),
            std::string::npos)
      << lines[1];
  CampaignStore other(folder.path() / "other.db", CampaignStore::Mode::kWrite);
  std::stringstream in(joined(lines));
  import_campaign(other, in);
  const StoredCampaign campaign = other.campaigns().front();
  const Decided decided = decode_decided(other.events_of(campaign, "a").front().body);
  EXPECT_EQ(decided.probability, 1.0);
  EXPECT_EQ(decided.revision, revision());
}

// Of the first format: without probabilities, revisions and a checksum of the lines.
TEST(CampaignLog, OfFormat1IsTaken) {
  const TemporaryFolder folder;
  std::vector<std::string> lines = of_format_2(lines_of(folder, kActions));
  const auto replace = [](std::string& line, const std::string& from, const std::string& to) {
    const std::size_t at = line.find(from);
    ASSERT_NE(at, std::string::npos) << line;
    line.replace(at, from.size(), to);
  };
  replace(lines.front(), "log/2", "log/1");
  for (std::size_t j = 1; j < 5; ++j) {
    replace(lines[j], fmt::format("\"probability\":1.0,\"revision\":{},", revision()), "");
  }
  lines.back() = R"({"events":11,"state":"01234567"})";
  CampaignStore other(folder.path() / "other.db", CampaignStore::Mode::kWrite);
  std::stringstream in(joined(lines));
  import_campaign(other, in);
  const StoreCheck check = check_store(other);
  EXPECT_TRUE(check.nothing_found());
  const StoredCampaign campaign = other.campaigns().front();
  const Decided decided = decode_decided(other.events_of(campaign, "a").front().body);
  EXPECT_FALSE(decided.probability);
  EXPECT_EQ(decided.revision, 0u);
}

TEST(CampaignLog, TimesMayBeBefore1970) {
  const TemporaryFolder folder;
  const auto exported = [&](const char* name) {
    std::stringstream log;
    export_campaign(CampaignStore(folder.path() / name, CampaignStore::Mode::kRead), "shop", log);
    return log.str();
  };
  {
    Service service({.store = folder.path() / "first.db", .snapshot_every = 2, .clock = [] {
                       return std::int64_t{-86'400'000};
                     }});
    service.create(parse_definition(kActions));
    service.decide("shop", {.id = "a", .features = {}, .baseline = {}});
    service.decide("shop", {.id = "b", .features = {}, .baseline = {}});
    service.pay("shop", "a", {"", true, true, {}, {0.1, 2.5}});
  }
  const std::string log = exported("first.db");
  EXPECT_NE(log.find("\"time_ms\":-86400000"), log.npos) << log;
  std::istringstream in(log);
  {
    CampaignStore store(folder.path() / "second.db", CampaignStore::Mode::kWrite);
    import_campaign(store, in);
    EXPECT_TRUE(check_store(store).nothing_found());
  }
  EXPECT_EQ(exported("second.db"), log);
  Service service({.store = folder.path() / "first.db", .clock = [] { return std::int64_t{-1}; }});
  EXPECT_EQ(service.report("shop")["last_event_ms"], -86'400'000);
  service.sweep();
  EXPECT_EQ(service.decision("shop", "b").status, DecisionStatus::kLost);
}

TEST(CampaignLog, UnknownCampaignsAreRefused) {
  const TemporaryFolder folder;
  lines_of(folder, kActions);
  std::stringstream out;
  const CampaignStore store(folder.path() / "first.db", CampaignStore::Mode::kRead);
  EXPECT_NE(refusal([&] { export_campaign(store, "shap", out); }).find("shop"), std::string::npos);
}

}  // namespace
}  // namespace updraft

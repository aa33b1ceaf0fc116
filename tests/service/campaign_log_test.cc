// Campaigns as JSON lines: there and back, and what is refused.

#include "service/campaign_log.h"

#include <gtest/gtest.h>

#include <sstream>

#include "service/event_bodies.h"
#include "service/service.h"
#include "service/store_check.h"
#include "support/folder.h"
#include "support/refusal.h"

namespace updraft {
namespace {

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

TEST(CampaignLog, NamesLineAndField) {
  const TemporaryFolder folder;
  const std::vector<std::string> lines = lines_of(folder, kActions);
  const auto said = [&](std::size_t line, const std::string& from, const std::string& to) {
    std::vector<std::string> changed = lines;
    const std::size_t at = changed[line].find(from);
    EXPECT_NE(at, std::string::npos) << changed[line];
    if (at != std::string::npos) changed[line].replace(at, from.size(), to);
    CampaignStore other(folder.path() / ("other-" + to + ".db"), CampaignStore::Mode::kWrite);
    std::stringstream in(joined(changed));
    return refusal([&] { import_campaign(other, in); });
  };
  EXPECT_EQ(said(0, "updraft-campaign-log/2", "x"),
            "line 1: format: must be updraft-campaign-log/2 or updraft-campaign-log/1");
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

TEST(CampaignLog, KeepsProbabilityAndRevision) {
  const TemporaryFolder folder;
  const std::vector<std::string> lines = lines_of(folder, kActions);
  EXPECT_NE(lines[1].find("\"probability\":1.0,\"revision\":1"), std::string::npos) << lines[1];
  CampaignStore other(folder.path() / "other.db", CampaignStore::Mode::kWrite);
  std::stringstream in(joined(lines));
  import_campaign(other, in);
  const StoredCampaign campaign = other.campaigns().front();
  const Decided decided = decode_decided(other.events_of(campaign, "a").front().body);
  EXPECT_EQ(decided.probability, 1.0);
  EXPECT_EQ(decided.revision, 1u);
}

// Of the format before: without probabilities, revisions and a checksum of the lines.
TEST(CampaignLog, OfFormat1IsTaken) {
  const TemporaryFolder folder;
  std::vector<std::string> lines = lines_of(folder, kActions);
  const auto replace = [](std::string& line, const std::string& from, const std::string& to) {
    const std::size_t at = line.find(from);
    ASSERT_NE(at, std::string::npos) << line;
    line.replace(at, from.size(), to);
  };
  replace(lines.front(), "log/2", "log/1");
  for (std::size_t j = 1; j < 5; ++j) {
    replace(lines[j], "\"probability\":1.0,\"revision\":1,", "");
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

TEST(CampaignLog, UnknownCampaignsAreRefused) {
  const TemporaryFolder folder;
  lines_of(folder, kActions);
  std::stringstream out;
  const CampaignStore store(folder.path() / "first.db", CampaignStore::Mode::kRead);
  EXPECT_NE(refusal([&] { export_campaign(store, "shap", out); }).find("shop"), std::string::npos);
}

}  // namespace
}  // namespace updraft

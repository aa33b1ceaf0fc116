// Campaigns that are over: archived, without events, deleted.

#include <gtest/gtest.h>

#include <sstream>

#include "service/campaign_log.h"
#include "service/queries.h"
#include "service/service.h"
#include "service/store_check.h"
#include "store/campaign_store.h"
#include "store/sqlite.h"
#include "support/folder.h"
#include "support/refusal.h"

namespace updraft {
namespace {

using testing::refusal;
using testing::TemporaryFolder;
using Json = nlohmann::json;

CampaignDefinition shop(const std::string& name) {
  return parse_definition(
      R"json({"policy": "ucb(alpha=1)", "actions": 2, "variables": 2, "name": ")json" + name +
      "\"}");
}

struct Opened {
  explicit Opened(const TemporaryFolder& folder, ServiceOptions options = {})
      : path(folder.path() / "campaigns.db"), service(with_store(std::move(options))) {}

  ServiceOptions with_store(ServiceOptions options) {
    options.store = path;
    options.clock = [this] { return now; };
    return options;
  }

  void play(const std::string& name, int decisions) {
    service.create(shop(name), "anna");
    for (int i = 0; i < decisions; ++i) {
      const std::string id = "a" + std::to_string(i);
      service.decide(name, {.id = id, .features = {}, .baseline = {}}, "shop");
      service.pay(name, id, {"", true, true, {}, {0.5 * i, 1.0}});
    }
  }

  std::int64_t number(const char* sql) const {
    return Connection(path, Connection::Mode::kReadOnly).number(sql);
  }
  std::string log_of(const std::string& name) const {
    std::stringstream out;
    export_campaign(CampaignStore(path, CampaignStore::Mode::kRead), name, out);
    return out.str();
  }
  std::string audited(const std::string& log) const {
    std::stringstream in(log);
    return refusal([&] { audit_campaign(CampaignStore(path, CampaignStore::Mode::kRead), in); });
  }

  std::int64_t now = 1000;
  std::filesystem::path path;
  Service service;
};

/// Without what differs between a campaign and its archive.
Json without_archive(Json report) {
  for (const char* key : {"archived_ms", "archived_by", "now_ms"}) report.erase(key);
  return report;
}

TEST(Archive, KeepsWhatWasSeenAndRefusesTheRest) {
  const TemporaryFolder folder;
  Json report;
  Json history;
  {
    Opened opened(folder);
    opened.play("spring", 6);
    opened.service.stop("spring", "anna");
    report = without_archive(opened.service.report("spring"));
    history = opened.service.history("spring");
    opened.now = 2000;
    opened.service.archive("spring", "otto");
    opened.now = 3000;
    opened.service.archive("spring", "anna");  // changes nothing
    EXPECT_EQ(opened.service.gauges().bytes, 0u);
  }
  const std::string again_and_after_a_restart[] = {"first", "second"};
  for (const std::string& time : again_and_after_a_restart) {
    Opened opened(folder);
    Service& service = opened.service;
    EXPECT_EQ(without_archive(service.report("spring")), report) << time;
    EXPECT_EQ(service.report("spring").at("archived_ms"), 2000);
    EXPECT_EQ(service.report("spring").at("archived_by"), "otto");
    EXPECT_EQ(service.history("spring"), history);
    EXPECT_EQ(service.show("spring").at("created_by"), "anna");
    EXPECT_EQ(service.show("spring").at("definition").at("name"), "spring");
    EXPECT_EQ(Json::parse(service.view("spring")->report).at("decisions").at("decided"), 6);
    EXPECT_EQ(service.events("spring", {}).at("events").size(), 13u);
    EXPECT_TRUE(service.list().at("campaigns").empty());
    const Json list = service.list(true).at("campaigns");
    ASSERT_EQ(list.size(), 1u);
    EXPECT_EQ(list[0].at("name"), "spring");
    EXPECT_EQ(list[0].at("archived_ms"), 2000);
    EXPECT_EQ(service.gauges().archived, 1u);
    EXPECT_TRUE(service.gauges().campaigns.empty());
    EXPECT_THROW(service.decide("spring", {.id = "x", .features = {}, .baseline = {}}), Conflict);
    EXPECT_THROW(service.pay("spring", "a0", {"", true, true, {}, {1, 1}}), Conflict);
    EXPECT_THROW(service.decision("spring", "a0"), Conflict);
    EXPECT_THROW(service.stop("spring"), Conflict);
    EXPECT_THROW(service.definition("spring"), Conflict);
    EXPECT_THROW(service.create(shop("spring")), Conflict) << "the name is taken";
    service.sweep();
    service.scrub();
    EXPECT_TRUE(service.quarantined().empty());
    EXPECT_TRUE(
        check_store(CampaignStore(opened.path, CampaignStore::Mode::kRead)).nothing_found());
  }
}

TEST(Archive, StopsFirst) {
  const TemporaryFolder folder;
  Opened opened(folder);
  opened.play("spring", 1);
  opened.service.archive("spring", "otto");
  const Json last = opened.service.events("spring", {}).at("events").back();
  EXPECT_EQ(last.at("kind"), "stopped");
  EXPECT_EQ(last.at("by"), "otto");
  EXPECT_EQ(opened.service.report("spring").at("stopped"), true);
}

TEST(Archive, OnlyLiveCampaignsCountForTheLimit) {
  const TemporaryFolder folder;
  ServiceOptions options;
  options.most_campaigns = 2;
  Opened opened(folder, options);
  opened.service.create(shop("a"));
  opened.service.create(shop("b"));
  EXPECT_THROW(opened.service.create(shop("c")), Conflict);
  opened.service.archive("a");
  EXPECT_TRUE(opened.service.create(shop("c")));
  EXPECT_THROW(opened.service.create(shop("d")), Conflict);
}

TEST(Archive, DamageIsFound) {
  const TemporaryFolder folder;
  Opened opened(folder);
  opened.play("spring", 1);
  opened.play("autumn", 1);
  opened.service.archive("spring");
  opened.service.archive("autumn");
  Connection(opened.path, Connection::Mode::kReadWrite)
      .execute(
          "UPDATE archives SET summary = replace(summary, '0.5', '0.6') WHERE campaign = 1; "
          "UPDATE archives SET summary = summary || ' ' WHERE campaign = 2");
  EXPECT_THROW(opened.service.report("spring"), Quarantined);
  opened.service.scrub();
  EXPECT_EQ(opened.service.quarantined().size(), 2u);
  EXPECT_EQ(check_store(CampaignStore(opened.path, CampaignStore::Mode::kRead)).defects.size(), 2u);
}

TEST(Archive, EventsAreDroppedInTimeAndCanBeAudited) {
  const TemporaryFolder folder;
  ServiceOptions options;
  options.keep_events_ms = 500;
  Opened opened(folder, options);
  opened.play("spring", 600);  // more than are removed at once
  opened.play("autumn", 3);
  opened.service.archive("spring");
  const Json report = opened.service.report("spring");
  const std::string log = opened.log_of("spring");
  opened.now += 499;
  opened.service.sweep();
  EXPECT_EQ(opened.service.events("spring", {}).at("events").size(), 100u);
  opened.now += 1;
  opened.service.sweep();
  EXPECT_THROW(opened.service.events("spring", {}), Conflict);
  EXPECT_GT(opened.number("SELECT count(*) FROM events WHERE campaign = 1"), 0) << "in parts";
  opened.service.sweep();
  opened.service.sweep();
  EXPECT_EQ(opened.number("SELECT count(*) FROM events WHERE campaign = 1"), 0);
  EXPECT_EQ(opened.number("SELECT count(*) FROM snapshots WHERE campaign = 1"), 0);
  EXPECT_EQ(opened.number("SELECT count(*) FROM dropped"), 0);
  EXPECT_EQ(opened.number("SELECT count(*) FROM events WHERE campaign = 2"), 6);

  EXPECT_EQ(opened.service.report("spring").at("actions"), report.at("actions"));
  opened.service.scrub();
  EXPECT_TRUE(opened.service.quarantined().empty());
  const StoreCheck check = check_store(CampaignStore(opened.path, CampaignStore::Mode::kRead));
  EXPECT_TRUE(check.nothing_found());
  EXPECT_TRUE(check.campaigns.at(0).dropped);
  EXPECT_TRUE(damage_in(CampaignStore(opened.path, CampaignStore::Mode::kRead)).empty());
  EXPECT_NE(refusal([&] { opened.log_of("spring"); }).find("were dropped"), std::string::npos);

  EXPECT_EQ(opened.audited(log), "(accepted)");
  EXPECT_EQ(opened.audited(opened.log_of("autumn")), "(accepted)");
}

// To remove many at once would hold up the commits of all others for seconds.
TEST(Archive, LargeEventsAreRemovedAFewAtATime) {
  const TemporaryFolder folder;
  Opened opened(folder);
  opened.service.create(parse_definition(
      R"json({"name": "wide", "policy": "ucb(alpha=1)", "actions": 2, "variables": 100000})json"));
  std::vector<double> values(100'000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1.0 / static_cast<double>(i + 3);
  for (int i = 0; i < 8; ++i) {  // 800 kB each, in 4 MiB and one there are 6
    const std::string id = "a" + std::to_string(i);
    opened.service.decide("wide", {.id = id, .features = {}, .baseline = {}});
    opened.service.pay("wide", id, {"", true, true, {}, values});
  }
  opened.service.archive("wide");
  opened.service.remove("wide");
  opened.service.sweep();
  EXPECT_EQ(opened.number("SELECT count(*) FROM events WHERE length(body) > 100000"), 2);
  opened.service.sweep();
  EXPECT_EQ(opened.number("SELECT count(*) FROM events"), 0);
  EXPECT_EQ(opened.number("SELECT count(*) FROM dropped"), 0);
}

TEST(Archive, AnAuditFindsEveryOtherLog) {
  const TemporaryFolder folder;
  Opened opened(folder);
  opened.play("spring", 4);
  const std::string before = opened.log_of("spring");
  opened.service.decide("spring", {.id = "last", .features = {}, .baseline = {}});
  EXPECT_NE(opened.audited(before).find("are not those of the store, which has 9"),
            std::string::npos);
  EXPECT_EQ(opened.audited(opened.log_of("spring")), "(accepted)");

  const TemporaryFolder other_folder;
  Opened other(other_folder);
  other.play("spring", 4);
  other.service.decide("spring", {.id = "another", .features = {}, .baseline = {}});
  EXPECT_NE(opened.audited(other.log_of("spring")).find("are not those"), std::string::npos);
}

TEST(Delete, NeedsAnArchiveAndLeavesTheHead) {
  const TemporaryFolder folder;
  std::string log;
  {
    Opened opened(folder);
    opened.play("spring", 3);
    opened.play("autumn", 3);
    EXPECT_THROW(opened.service.remove("spring", "otto"), Conflict);
    EXPECT_THROW(opened.service.remove("none", "otto"), NotFound);
    opened.service.archive("spring");
    log = opened.log_of("spring");
    opened.service.remove("spring", "otto");
    EXPECT_THROW(opened.service.report("spring"), NotFound);
    EXPECT_THROW(opened.service.remove("spring"), NotFound);
    EXPECT_TRUE(opened.service.list(true).at("campaigns").empty());
    // Its name is free, its id is not.
    opened.play("spring", 2);
    EXPECT_EQ(opened.service.report("spring").at("state_version"), 4);
  }
  Opened opened(folder);
  opened.service.sweep();
  opened.service.sweep();
  EXPECT_EQ(opened.number("SELECT count(*) FROM events WHERE campaign = 1"), 0);
  EXPECT_EQ(opened.number("SELECT number FROM deleted WHERE campaign = 1 AND done_by = 'otto' AND "
                          "name = 'spring'"),
            7);
  EXPECT_EQ(opened.number("SELECT id FROM campaigns WHERE name = 'spring'"), 3);
  EXPECT_EQ(opened.service.report("autumn").at("state_version"), 6);
  EXPECT_TRUE(check_store(CampaignStore(opened.path, CampaignStore::Mode::kRead)).nothing_found());
  EXPECT_EQ(opened.audited(log), "(accepted)");
  EXPECT_EQ(opened.audited(opened.log_of("spring")), "(accepted)");
}

TEST(Delete, TheLastIdIsNotGivenAgain) {
  const TemporaryFolder folder;
  {
    Opened opened(folder);
    opened.play("spring", 3);
    opened.service.archive("spring");
    opened.service.remove("spring");
  }
  Opened opened(folder);
  opened.play("summer", 2);  // while events of the other one may be left
  EXPECT_EQ(opened.number("SELECT id FROM campaigns"), 2);
  EXPECT_EQ(opened.service.report("summer").at("state_version"), 4);
}

TEST(Delete, QuarantinedCampaignsCanGo) {
  const TemporaryFolder folder;
  {
    Opened opened(folder);
    opened.play("spring", 3);
  }
  Connection(folder.path() / "campaigns.db", Connection::Mode::kReadWrite)
      .execute("UPDATE events SET time_ms = time_ms + 1");
  Opened opened(folder);
  ASSERT_EQ(opened.service.quarantined().size(), 1u);
  EXPECT_THROW(opened.service.archive("spring"), Quarantined);
  opened.service.remove("spring");
  EXPECT_TRUE(opened.service.quarantined().empty());
  EXPECT_TRUE(opened.service.create(shop("spring")));
}

}  // namespace
}  // namespace updraft

// A check decides every decision again, and tells what would be decided otherwise now; the store
// opens and serves all the same.

#include "service/store_check.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "service/event_bodies.h"
#include "service/live_campaign.h"
#include "service/service.h"
#include "store/campaign_store.h"
#include "store/sqlite.h"
#include "support/folder.h"

namespace updraft {
namespace {

using testing::TemporaryFolder;

const char* const kShop =
    R"json({"name": "shop", "policy": "up_ucb(alpha=1)", "actions": 2, "variables": 2,
            "knowledge": {"affected": [[0], [1]]}})json";
const char* const kMail = R"json({"name": "mail", "policy": "c2_up_ucb(beta=1, fill=yes)",
            "treatments": 1, "budget": 1, "features": 1})json";

PayoffPart dense(std::vector<double> values) {
  return {.part = "", .complete = true, .dense = true, .ids = {}, .values = std::move(values)};
}

/// A decision as another revision made it.
using Other = std::function<void(Decided&)>;

/// A store with five rounds, the third of which (event 5) `other` has changed.
void make_store(const std::filesystem::path& path, const std::string& body, const Other& other) {
  LiveCampaign live(std::make_shared<CampaignDefinition>(parse_definition(body)));
  const CampaignDefinition& definition = live.definition();
  std::vector<StoreWrite> writes = {StoredCampaign{1, definition.name, definition.canonical}};
  for (int round = 0; round < 5; ++round) {
    DecisionRequest request;
    if (definition.shape) request.features = {1.0, 2.0};
    LiveCampaign copy(std::make_shared<CampaignDefinition>(definition));
    if (live.version() > 0) copy.restore(live.snapshot());
    Event decided = copy.decide(request, 0);
    if (round == 2) {
      Decided changed = decode_decided(decided.body);
      other(changed);
      decided.body = encode(changed);
    }
    live.replay(decided, {});
    Event paid = live.pay(decided.decision, dense({1.0, 2.0}), 0);
    live.forget(paid.decision, paid.number);
    writes.emplace_back(EventWrite{1, std::move(decided)});
    writes.emplace_back(EventWrite{1, std::move(paid)});
  }
  CampaignStore(path, CampaignStore::Mode::kWrite).write(writes);
}

CheckedCampaign checked(const std::filesystem::path& path) {
  const StoreCheck check = check_store(CampaignStore(path, CampaignStore::Mode::kRead));
  EXPECT_TRUE(check.defects.empty()) << check.defects.front();
  EXPECT_EQ(check.nothing_found(), check.campaigns.at(0).decided_otherwise == 0);
  return check.campaigns.at(0);
}

TEST(StoreCheck, FindsNothingInWhatThePolicyDecided) {
  for (const char* body : {kShop, kMail}) {
    const TemporaryFolder folder;
    const std::filesystem::path path = folder.path() / "campaigns.db";
    make_store(path, body, [](Decided&) {});
    const CheckedCampaign found = checked(path);
    EXPECT_EQ(found.events, 10u);
    EXPECT_EQ(found.decided_otherwise, 0u);
  }
}

TEST(StoreCheck, SaysWhatWouldBeDecidedOtherwiseNow) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "campaigns.db";
  make_store(path, kShop, [](Decided& decided) {
    decided.action = 1 - decided.action;
    decided.revision = 7;
  });
  {
    Service service({.store = path});  // opens, and serves what was decided
    EXPECT_EQ(service.report("shop")["decisions"]["decided"], 5);
    service.pay("shop", service.decide("shop", {}).id, dense({1, 2}));
  }
  const CheckedCampaign found = checked(path);
  EXPECT_EQ(found.events, 12u);
  ASSERT_EQ(found.decided_otherwise, 1u);
  const OtherDecision& other = found.first_otherwise.at(0);
  EXPECT_EQ(other.event, 5u);
  EXPECT_EQ(other.decision, "d-3");
  EXPECT_EQ(other.recorded.action, 1 - other.now.action);
  EXPECT_EQ(other.recorded.revision, 7u);
  EXPECT_EQ(other.now.revision, 1u);
}

TEST(StoreCheck, FindsOtherTreatmentsAndOtherProbabilities) {
  const TemporaryFolder folder;
  make_store(folder.path() / "mail.db", kMail,
             [](Decided& decided) { std::swap(decided.treatments[0], decided.treatments[1]); });
  EXPECT_EQ(checked(folder.path() / "mail.db").decided_otherwise, 1u);
  make_store(folder.path() / "shop.db", kShop, [](Decided& decided) { decided.probability = 0.5; });
  EXPECT_EQ(checked(folder.path() / "shop.db").decided_otherwise, 1u);
  // 1e-10, and twice that.
  make_store(folder.path() / "rare.db",
             R"json({"name": "rare", "policy": "random", "treatments": 100000, "budget": 2,
                     "features": 1})json",
             [](Decided& decided) { decided.probability = 2.0 * decided.probability.value(); });
  EXPECT_EQ(checked(folder.path() / "rare.db").decided_otherwise, 1u);
  make_store(folder.path() / "old.db", kShop, [](Decided& decided) {
    decided.probability.reset();
    decided.revision = 0;
  });
  EXPECT_EQ(checked(folder.path() / "old.db").decided_otherwise, 0u);
}

/// The report after a restart, before which `change` changes the snapshots.
void expect_rebuilt(const std::function<void(std::string&)>& change, std::uint64_t others) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "campaigns.db";
  const ServiceOptions options = {
      .store = path, .snapshot_every = 4, .clock = [] { return std::int64_t{0}; }};
  nlohmann::json before;
  {
    Service service(options);
    service.create(parse_definition(kShop));
    for (int j = 0; j < 5; ++j) {
      service.pay("shop", service.decide("shop", {}).id, dense({1.0 * j, 2}));
    }
    before = service.report("shop");
  }
  {
    CampaignStore store(path, CampaignStore::Mode::kWrite);
    for (StoredSnapshot& snapshot : store.snapshots(store.campaigns().at(0))) {
      change(snapshot.body);
      store.write({SnapshotWrite{1, snapshot}});
    }
    EXPECT_EQ(check_store(store).campaigns.at(0).other_snapshots, others);
    EXPECT_EQ(check_store(store).defects.empty(), others == 2);
  }
  {
    Service service(options);
    EXPECT_EQ(service.report("shop"), before);
  }
  // It has kept a new one, so that the next start is quick.
  const CampaignStore store(path, CampaignStore::Mode::kRead);
  EXPECT_EQ(store.last_snapshot(store.campaigns().at(0))->number, 10u);
  EXPECT_EQ(check_store(store).campaigns.at(0).snapshots, 1u);
}

TEST(StoreCheck, SnapshotsOfAnotherRevisionAreNeitherUsedNorWrong) {
  expect_rebuilt([](std::string& body) { body[8 + std::string("up_ucb(alpha=1)").size()] = 9; }, 2);
}

TEST(StoreCheck, SnapshotsThatCannotBeReadAreNotUsedButWrong) {
  expect_rebuilt([](std::string& body) { body.pop_back(); }, 0);
}

}  // namespace
}  // namespace updraft

// What every EventStore does, on SQLite and on PostgreSQL.

#include "store/event_store.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <random>

#include "core/checksum.h"
#include "store/open_store.h"
#include "store/store_copy.h"
#include "store/store_writer.h"
#include "support/folder.h"
#include "support/postgres.h"

namespace updraft {
namespace {

const StoredCampaign kSpring = {1, "spring", R"({"name":"spring"})"};
const StoredCampaign kAutumn = {2, "autumn", R"({"name":"autumn"})"};

Event event(std::uint64_t number, std::string decision, std::string body = "body") {
  return {number, EventKind::kDecided, std::move(decision), 1000, std::move(body)};
}

std::vector<Event> events_after(const EventStore& store, const StoredCampaign& campaign,
                                std::uint64_t after) {
  std::vector<Event> out;
  store.for_each_event(campaign, after, [&](const Event& found) { out.push_back(found); });
  return out;
}

enum class Engine { kSqlite, kPostgres };

/// A place for a store of the engine, empty at first.
class Place {
 public:
  explicit Place(Engine engine)
      : store_(engine == Engine::kSqlite ? folder_.path("campaigns.db")
                                         : testing::Postgres::shared()->new_database()) {}

  std::unique_ptr<EventStore> to_read() const { return open_store(store_); }
  /// With all campaigns that are there.
  std::unique_ptr<EventStore> to_write() const {
    auto store = open_store_to_write(store_, {.name = "a"});
    for (const StoredCampaign& campaign : store->campaigns()) store->claim(campaign);
    return store;
  }

 private:
  testing::TemporaryFolder folder_;
  std::string store_;
};

class EveryStore : public ::testing::TestWithParam<Engine> {
 protected:
  void SetUp() override {
    if (GetParam() == Engine::kPostgres) SKIP_WITHOUT_POSTGRES();
  }
};

TEST_P(EveryStore, KeepsCampaignsEventsAndSnapshots) {
  const Place place(GetParam());
  std::vector<Event> written;
  {
    const auto store = place.to_write();
    store->write({kSpring, kAutumn});
    for (std::uint64_t number = 1; number <= 600; ++number) {
      written.push_back(event(number, number % 2 == 0 ? "even" : "odd", std::to_string(number)));
      store->write({EventWrite{1, written.back()}, EventWrite{2, event(number, "even")}});
      if (number == 599) store->write({SnapshotWrite{1, {number, std::string("a\0b", 3)}}});
    }
  }
  const auto store = place.to_read();
  ASSERT_EQ(store->campaigns().size(), 2u);
  EXPECT_EQ(store->campaigns()[1].name, "autumn");
  EXPECT_EQ(store->campaigns()[0].definition, kSpring.definition);
  EXPECT_EQ(events_after(*store, kSpring, 0), written);
  EXPECT_EQ(events_after(*store, kSpring, 599).size(), 1u);
  EXPECT_TRUE(events_after(*store, kSpring, 600).empty());
  EXPECT_EQ(store->events_of(kSpring, "even").size(), 300u);
  EXPECT_EQ(store->events_of(kSpring, "even")[1], written[3]);
  EXPECT_TRUE(store->events_of(kSpring, "other").empty());
  EXPECT_TRUE(store->events_of(kSpring, "").empty());
  EXPECT_EQ(store->last_snapshot(kSpring)->body, std::string("a\0b", 3));
  EXPECT_FALSE(store->last_snapshot(kAutumn));
  EXPECT_TRUE(store->defects().empty());
}

TEST_P(EveryStore, KeepsTheLastTwoSnapshots) {
  const Place place(GetParam());
  const auto store = place.to_write();
  store->write({kSpring});
  for (std::uint64_t number : {1, 2, 3}) {
    store->write({EventWrite{1, event(number, "a")}, SnapshotWrite{1, {number, "state"}}});
  }
  const std::vector<StoredSnapshot> kept = store->snapshots(kSpring);
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(kept[0].number, 3u);
  EXPECT_EQ(kept[1].number, 2u);
  // The chain goes on from a snapshot, and so there is none of an event whose chain is not known.
  store->write({SnapshotWrite{1, {2, "other"}}, SnapshotWrite{1, {4, "later"}}});
  EXPECT_EQ(store->last_snapshot(kSpring)->number, 3u);
  EXPECT_EQ(store->snapshots(kSpring)[1].body, "other");
}

TEST_P(EveryStore, WritesAllOrNothing) {
  const Place place(GetParam());
  const auto store = place.to_write();
  store->write({kSpring, EventWrite{1, event(1, "a")}});
  EXPECT_EQ(store->write({EventWrite{1, event(2, "b")}, EventWrite{1, event(1, "a")}}),
            AppendResult::kConflict);
  store->claim(kSpring);
  EXPECT_EQ(events_after(*store, kSpring, 0).size(), 1u);
  store->write({EventWrite{1, event(2, "b")}});
  EXPECT_EQ(events_after(*store, kSpring, 0).size(), 2u);
  EXPECT_THROW(store->write_all([n = 2]() mutable -> std::vector<StoreWrite> {
    if (n == 5) throw std::runtime_error("enough");
    return {EventWrite{1, event(static_cast<std::uint64_t>(++n), "c")}};
  }),
               std::runtime_error);
  EXPECT_EQ(events_after(*store, kSpring, 0).size(), 2u);
}

TEST_P(EveryStore, RefusesACampaignOfTheSameNameOrNumber) {
  const Place place(GetParam());
  const auto store = place.to_write();
  EXPECT_EQ(store->write({kSpring}), AppendResult::kOk);
  EXPECT_EQ(store->write({StoredCampaign{2, "spring", "{}"}}), AppendResult::kConflict);
  EXPECT_EQ(store->write({StoredCampaign{1, "autumn", "{}"}}), AppendResult::kConflict);
  EXPECT_EQ(store->campaigns().size(), 1u);
  EXPECT_EQ(store->new_campaign_id(), 2);
}

INSTANTIATE_TEST_SUITE_P(Engines, EveryStore, ::testing::Values(Engine::kSqlite, Engine::kPostgres),
                         [](const auto& tested) {
                           return tested.param == Engine::kSqlite ? "Sqlite" : "Postgres";
                         });

/// All that can be read of a store, in words.
std::string read_all(const EventStore& store) {
  std::string out;
  const auto put = [&](const auto&... parts) { ((out += fmt::format("{} ", parts)), ...); };
  const auto put_event = [&](const Event& one) {
    put("\n  event", one.number, static_cast<int>(one.kind), one.decision, one.time_ms, one.body,
        one.by);
  };
  const auto put_cut = [&](const StoredCut& cut) {
    put("\n  cut", cut.number, cut.chain, cut.time_ms, cut.made, cut.purged, cut.dropped,
        cut.dropped_sum);
  };
  for (const StoredCampaign& one : store.campaigns()) {
    put("\n", one.id, one.name, one.definition, one.created_ms, one.by, one.has_events());
    if (one.archive) {
      put(one.archive->time_ms, one.archive->by, one.archive->brief, store.archive_summary(one));
    }
    for (const StoredSnapshot& snapshot : store.snapshots(one)) {
      put("\n  snapshot", snapshot.number, snapshot.chain, snapshot.body);
    }
    put("\n  last", store.last_snapshot_number(one));
    for (const StoredCut& cut : store.cuts(one)) put_cut(cut);
    if (const auto cut = store.planned_cut(one)) put_cut(*cut);
    for (const NamedHead& head : store.heads_of(one.name)) {
      put("\n  head", head.campaign, head.head.number, head.head.chain);
    }
    try {
      store.check_compacted(one);
    } catch (const StoreError& error) {  // the same in both
      put("\n  damaged", error.kind() == StoreError::Kind::kDamaged);
    }
    const std::uint64_t cut = store.cut_of(one) ? store.cut_of(one)->number : 0;
    for (const Event& left : store.events_between(one, 0, cut, 1000)) put_event(left);
    if (!one.has_events()) continue;
    store.for_each_event(one, 0, put_event);
    put("\n  chain", store.chain_at(one, cut + 1));
    put(store.events_after(one, cut, 3).size());
    for (const char* id : {"d1", "d2", "d3", "none"}) {
      put("\n ", id, store.events_of(one, id).size(), store.was_compacted(one, id));
    }
  }
  put("\n", store.has_dropped());
  return out;
}

/// Makes the same random writes for two stores, most of them of use.
class RandomWrites {
 public:
  explicit RandomWrites(std::uint64_t seed) : generator_(seed) {}

  std::vector<StoreWrite> next(const EventStore& store) {
    std::vector<StoreWrite> batch;
    for (std::size_t i = below(3); i < 3; ++i) {
      batch.push_back(one(store));
      if (std::holds_alternative<DeleteWrite>(batch.back())) break;
    }
    return batch;
  }

  std::size_t below(std::size_t bound) { return generator_() % bound; }

 private:
  std::string word() { return std::string(1 + below(40), static_cast<char>(below(256))); }

  StoreWrite one(const EventStore& store) {
    const std::vector<StoredCampaign> all = store.campaigns();
    if (all.size() < 2 || below(40) == 0) {
      const std::int64_t id = all.empty() || below(4) != 0 ? store.new_campaign_id() : all[0].id;
      return StoredCampaign{id, fmt::format("c{}", below(9)), "{}", 7, below(2) == 0 ? "" : word()};
    }
    const StoredCampaign& campaign = all[below(all.size())];
    const std::int64_t id = campaign.id;
    const auto heads = store.heads_of(campaign.name);
    const StoreHead head = heads.empty() ? StoreHead() : heads.front().head;
    switch (below(18)) {
      case 0:
        return SnapshotWrite{id, {head.number, word()}};
      case 1: {
        const StoredSnapshot whole = {head.number, "part1part2"};
        return SnapshotEndWrite{id, head.number, 2, head.chain, checksum_of(id, whole, head.chain)};
      }
      case 2:
        return SnapshotPartWrite{id, head.number, 1, "part1"};
      case 3:
        return SnapshotPartWrite{id, head.number, 2, "part2"};
      case 4:
        return CutWrite{id, {.number = store.last_snapshot_number(campaign), .time_ms = 5}};
      case 5:
      case 6:
        return cut_or_compaction(store, campaign);
      case 7:
        if (campaign.archive || below(4) != 0) break;
        return ArchiveWrite{id, {9, word(), "{}"}, word()};
      case 8:
        if (!campaign.archive) break;
        return DropEventsWrite{id};
      case 9:
        if (below(6) != 0) break;
        return DeleteWrite{id, 11, word()};
      case 10:
        return PurgeWrite();
      default:
        break;
    }
    const std::uint64_t wrong = below(20) == 0 ? 1 : 0;
    return EventWrite{id,
                      {head.number + 1 + wrong, static_cast<EventKind>(1 + below(3)),
                       below(5) == 0 ? "" : fmt::format("d{}", 1 + below(3)), 1000, word(),
                       below(2) == 0 ? "" : word()}};
  }

  StoreWrite cut_or_compaction(const EventStore& store, const StoredCampaign& campaign) {
    if (auto planned = store.planned_cut(campaign)) {
      if (store.snapshot_at(campaign, planned->number)) {
        if (const auto made = store.cut_of(campaign)) {
          planned->dropped = made->dropped;
          planned->dropped_sum = made->dropped_sum;
        }
        planned->made = true;
        return CutWrite{campaign.id, *planned};
      }
      return CutWrite{campaign.id, {}};
    }
    auto made = store.cut_of(campaign);
    if (!made || store.was_compacted(campaign, "d1")) return PurgeWrite();
    std::vector<std::uint64_t> numbers;
    for (const Event& left : store.events_between(campaign, 0, made->number, 3)) {
      numbers.push_back(left.number);
    }
    ++made->dropped;
    made->dropped_sum += checksum("d1");
    return CompactWrite{campaign.id, *made, numbers, {"d1"}};
  }

  std::mt19937_64 generator_;
};

TEST(EventStores, AreTheSameAfterTheSameWrites) {
  SKIP_WITHOUT_POSTGRES();
  std::size_t kept = 0;
  std::size_t conflicts = 0;
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Place files(Engine::kSqlite);
    const Place tables(Engine::kPostgres);
    const auto sqlite = files.to_write();
    const auto postgres = tables.to_write();
    RandomWrites writes(seed);
    for (int i = 0; i < 150; ++i) {
      const std::vector<StoreWrite> batch = writes.next(*sqlite);
      const AppendResult result = sqlite->write(batch);
      (result == AppendResult::kOk ? kept : conflicts) += 1;
      ASSERT_EQ(postgres->write(batch), result) << "seed " << seed << ", batch " << i;
      if (result == AppendResult::kConflict) {
        for (const StoredCampaign& campaign : postgres->campaigns()) postgres->claim(campaign);
      }
      if (i % 5 == 0) {
        ASSERT_EQ(read_all(*postgres), read_all(*sqlite)) << "seed " << seed << ", batch " << i;
      }
    }
    EXPECT_EQ(read_all(*tables.to_read()), read_all(*files.to_read()));
  }
  EXPECT_GT(kept, 200u);
  EXPECT_GT(conflicts, 20u);
}

TEST(EventStores, AreTheSameAfterTheyWereCopied) {
  SKIP_WITHOUT_POSTGRES();
  const testing::TemporaryFolder folder;
  for (const std::uint64_t seed : {4, 5}) {
    const std::string file = folder.path(fmt::format("{}.db", seed));
    const std::string back = folder.path(fmt::format("{}-back.db", seed));
    const std::string tables = testing::Postgres::shared()->new_database();
    std::string before;
    {
      const auto store = open_store_to_write(file);
      RandomWrites writes(seed);
      for (int i = 0; i < 300; ++i) store->write(writes.next(*store));
      before = read_all(*store);
      EXPECT_THROW(static_cast<void>(copy_store(file, tables)), StoreError) << "it is in use";
    }
    {
      const auto copy = copy_store(file, tables);
      EXPECT_EQ(read_all(*open_store(tables)), before);
      EXPECT_THROW(open_store_to_write(tables, {.name = "a"}), StoreError) << "not verified yet";
    }
    {
      const auto node = open_store_to_write(tables, {.name = "a"});
      EXPECT_THROW(remove_copy(tables), StoreError) << "a node uses it";
      EXPECT_THROW(static_cast<void>(copy_store(tables, back)), StoreError) << "a node uses it";
    }
    EXPECT_EQ(read_all(*open_store(tables)), before);
    EXPECT_THROW(static_cast<void>(copy_store(file, tables)), StoreError) << "there is something";
    EXPECT_EQ(copy_store(tables, back), nullptr);
    EXPECT_EQ(read_all(*open_store(back)), before);
    EXPECT_THROW(static_cast<void>(copy_store(tables, back)), StoreError) << "there is something";
    EXPECT_THROW(static_cast<void>(copy_store(file, back)), StoreError) << "both are files";
    // Both go on from there.
    for (const std::string& store : {tables, back}) {
      const auto open = open_store_to_write(store, {.name = "a"});
      const StoredCampaign next = {open->new_campaign_id(), "next", "{}"};
      EXPECT_EQ(open->write({next, EventWrite{next.id, event(1, "d1")}}), AppendResult::kOk);
    }
    remove_copy(tables);
    EXPECT_TRUE(open_store(tables)->campaigns().empty());
  }
}

}  // namespace
}  // namespace updraft

// How PostgresStore reads events, and compares their chain.

#include <fmt/format.h>

#include "store/postgres_queries.h"
#include "store/postgres_store.h"
#include "store/store_schema.h"
#include "store/store_writer.h"

namespace updraft {
namespace {

constexpr std::size_t kRowsAtOnce = 256;

/// At least one if there is any, and then up to 16 MiB of bodies.
constexpr const char* kFrom =
    "SELECT number, kind, decision, time_ms, body, checksum, done_by FROM (SELECT *, "
    "sum(length(body)) "
    "OVER (ORDER BY number) - length(body) AS bytes_before FROM (SELECT * FROM updraft.events "
    "WHERE "
    "campaign = $1::int8 AND number >= $2::int8 AND number <= $3::int8 ORDER BY number LIMIT "
    "$4::int8) AS chosen) AS counted WHERE bytes_before < 16777216 ORDER BY number";
constexpr const char* kOfDecision =
    "SELECT number, kind, decision, time_ms, body, checksum, done_by FROM updraft.events WHERE "
    "campaign = $1::int8 AND decision = $2::bytea AND decision <> ''::bytea ORDER BY number";
constexpr std::int64_t kNoEnd = std::int64_t{1} << 62;

[[noreturn]] void damaged_events(const std::string& what) {
  throw StoreError(fmt::format("the store in PostgreSQL is damaged: {}; restore a backup", what),
                   StoreError::Kind::kDamaged);
}

std::vector<Event> events_in(auto&& links) {
  std::vector<Event> out;
  for (auto& link : links) out.push_back(std::move(link.event));
  return out;
}

}  // namespace

std::vector<PostgresStore::Link> PostgresStore::links(const StoredCampaign& campaign,
                                                      const char* sql,
                                                      const PqParams& params) const {
  return readers_.read([&](PqConnection& connection) {
    const PqRows rows = connection.run_prepared(sql, params);
    std::vector<Link> out;
    for (int row = 0; row < rows.size(); ++row) {
      Link& link = out.emplace_back();
      link.event = {.number = static_cast<std::uint64_t>(rows.number(row, 0)),
                    .kind = static_cast<EventKind>(rows.number(row, 1)),
                    .decision = std::string(rows.bytes(row, 2)),
                    .time_ms = rows.number(row, 3),
                    .body = std::string(rows.bytes(row, 4)),
                    .by = std::string(rows.bytes(row, 6))};
      link.checksum = rows.number(row, 5);
      if (link.checksum != checksum_of(campaign.id, link.event)) {
        damaged_events(fmt::format("event {} of campaign {}", link.event.number, campaign.name));
      }
    }
    return out;
  });
}

std::vector<PostgresStore::Link> PostgresStore::links_from(const StoredCampaign& campaign,
                                                           std::uint64_t first,
                                                           std::size_t most) const {
  std::vector<Link> out =
      links(campaign, kFrom,
            PqParams().add(campaign.id).add(as_int8(first)).add(kNoEnd).add(as_int8(most)));
  for (const Link& link : out) {
    if (link.event.number != first) missing_events(campaign, first, first);
    ++first;
  }
  return out;
}

PostgresStore::Reach PostgresStore::reach_of(const StoredCampaign& campaign,
                                             std::uint64_t after) const {
  return readers_.read([&](PqConnection& connection) {
    const PqRows head = connection.run(
        "SELECT number, chain FROM updraft.leases WHERE campaign = "
        "$1::int8",
        PqParams().add(campaign.id));
    if (head.size() == 0)
      damaged_events(fmt::format("the head of campaign {} is missing", campaign.name));
    Reach reach = {{static_cast<std::uint64_t>(head.number(0, 0)), head.number(0, 1)}};
    if (after == 0) {
      reach.before = 0;
      return reach;
    }
    const PqRows before = connection.run(
        "SELECT chain FROM updraft.snapshots WHERE campaign = $1::int8 AND number = $2::int8 UNION "
        "ALL SELECT chain FROM updraft.cuts WHERE campaign = $1::int8 AND number = $2::int8",
        PqParams().add(campaign.id).add(as_int8(after)));
    if (before.size() > 0) reach.before = before.number(0, 0);
    return reach;
  });
}

void PostgresStore::missing_events(const StoredCampaign& campaign, std::uint64_t first,
                                   std::uint64_t last) const {
  // A cut is made before events are removed behind it.
  if (const auto cut = cut_of(campaign); cut && cut->number >= first) {
    throw StoreError(
        fmt::format("events of campaign {} were compacted meanwhile: try again", campaign.name),
        StoreError::Kind::kOther);
  }
  damaged_events(
      first == last
          ? fmt::format("event {} of campaign {} is missing", first, campaign.name)
          : fmt::format("events {} to {} of campaign {} are missing", first, last, campaign.name));
}

void PostgresStore::for_each_event(const StoredCampaign& campaign, std::uint64_t after,
                                   const std::function<void(const Event&)>& visit) const {
  if (const auto cut = cut_of(campaign); cut && cut->number > after) {
    if (after > 0) missing_events(campaign, after + 1, cut->number);
    after = cut->number;
  }
  const Reach reach = reach_of(campaign, after);
  std::optional<std::int64_t> chain = reach.before;
  std::uint64_t last = after;
  std::vector<Link> some;
  do {
    some = links_from(campaign, last + 1, kRowsAtOnce);
    for (const Link& link : some) {
      last = link.event.number;
      if (chain) chain = chained(*chain, link.checksum);
      if (last == reach.head.number && chain && *chain != reach.head.chain) {
        damaged_events(
            fmt::format("the events of campaign {} up to {} are not those that were written",
                        campaign.name, last));
      }
      visit(link.event);
    }
  } while (!some.empty());
  if (last < reach.head.number) missing_events(campaign, last + 1, reach.head.number);
}

std::vector<Event> PostgresStore::events_after(const StoredCampaign& campaign, std::uint64_t after,
                                               std::size_t most) const {
  return events_in(links_from(campaign, after + 1, most));
}

std::vector<Event> PostgresStore::events_between(const StoredCampaign& campaign,
                                                 std::uint64_t after, std::uint64_t until,
                                                 std::size_t most) const {
  return events_in(links(
      campaign, kFrom,
      PqParams().add(campaign.id).add(as_int8(after + 1)).add(as_int8(until)).add(as_int8(most))));
}

std::vector<Event> PostgresStore::events_of(const StoredCampaign& campaign,
                                            std::string_view decision) const {
  if (decision.empty()) return {};
  return events_in(links(campaign, kOfDecision, PqParams().add(campaign.id).add(decision)));
}

std::int64_t PostgresStore::chain_at(const StoredCampaign& campaign, std::uint64_t number) const {
  const auto cut = cut_of(campaign);
  std::int64_t chain = cut ? cut->chain : 0;
  for (std::uint64_t last = cut ? cut->number : 0; last < number;) {
    const std::vector<Link> some = links_from(campaign, last + 1, kRowsAtOnce);
    if (some.empty()) break;
    for (const Link& link : some) {
      if (link.event.number <= number) chain = chained(chain, link.checksum);
      last = link.event.number;
    }
  }
  return chain;
}

}  // namespace updraft

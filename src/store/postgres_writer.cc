#include "store/postgres_writer.h"

#include <algorithm>

#include "store/store_schema.h"
#include "store/store_writer.h"

namespace updraft {
namespace {

constexpr std::int64_t kFirstEpoch = 1;

/// The group commit. An UPDATE that waits for the lock of a row compares the row as it is then, so
/// a node whose campaign was taken changes nothing, and its events are not inserted.
constexpr const char* kAppend =
    "WITH moved AS (UPDATE updraft.leases AS lease SET number = wanted.after, chain = "
    "wanted.after_chain FROM unnest($1::int8[], $2::int8[], $3::int8[], $4::int8[], $5::int8[], "
    "$6::int8[]) AS wanted (campaign, epoch, before, before_chain, after, after_chain) WHERE "
    "lease.campaign = wanted.campaign AND lease.epoch = wanted.epoch AND lease.number = "
    "wanted.before AND lease.chain = wanted.before_chain RETURNING lease.campaign), added AS "
    "(INSERT "
    "INTO updraft.events SELECT event.campaign, event.number, event.kind, event.decision, "
    "event.time_ms, event.body, event.checksum, event.done_by FROM unnest($7::int8[], $8::int8[], "
    "$9::int8[], $10::bytea[], $11::int8[], $12::bytea[], $13::int8[], $14::bytea[]) AS event "
    "(campaign, number, kind, decision, time_ms, body, checksum, done_by) JOIN moved ON "
    "moved.campaign = event.campaign) SELECT campaign FROM moved";
constexpr const char* kLockLease =
    "SELECT 1::int8 FROM updraft.leases WHERE campaign = $1::int8 AND epoch = $2::int8 FOR UPDATE";

}  // namespace

PqConnection& PostgresWriter::connection() {
  if (connection_ == nullptr || !connection_->usable()) {
    connection_.reset();
    connection_ = std::make_unique<PqConnection>(url_);
  }
  return *connection_;
}

void PostgresWriter::begin() {
  begun_ = PostgresLeases::Clock::now();
  changes_.clear();
  rows_.clear();
  taken_ = {};
  deleted_.clear();
  torn_ = false;
}

Taken PostgresWriter::write_apart(const std::vector<StoreWrite>& batch) {
  begin();
  connection();  // so that one that is known to be lost is no doubt
  const bool only_events = std::all_of(batch.begin(), batch.end(), [](const StoreWrite& one) {
    return std::holds_alternative<EventWrite>(one);
  });
  try {
    if (only_events) {
      for (const StoreWrite& one : batch) take(std::get<EventWrite>(one));
      send_events(true);
    } else {
      in_transaction([&] {
        for (const StoreWrite& one : batch) write(one);
        send_events(false);
        if (torn_) {
          throw StoreError("the numbers of events do not follow each other",
                           StoreError::Kind::kOther);
        }
        return true;
      });
    }
  } catch (const StoreError& error) {
    if (error.kind() == StoreError::Kind::kInDoubt) leases_.forget_all();
    throw;
  }
  kept();
  return taken_;
}

AppendResult PostgresWriter::write_all(const std::function<std::vector<StoreWrite>()>& next) {
  begin();
  connection();
  try {
    const bool kept_all = in_transaction([&] {
      for (std::vector<StoreWrite> batch = next(); !batch.empty(); batch = next()) {
        for (const StoreWrite& one : batch) write(one);
        send_events(false);  // they are of this batch
        if (!taken_.campaigns.empty()) return false;
      }
      return true;
    });
    if (!kept_all) return AppendResult::kConflict;
  } catch (const StoreError& error) {
    if (error.kind() == StoreError::Kind::kInDoubt) leases_.forget_all();
    throw;
  }
  kept();
  return AppendResult::kOk;
}

bool PostgresWriter::in_transaction(const std::function<bool()>& work) {
  const auto roll_back = [&] {
    try {
      if (connection_->usable()) connection_->run("ROLLBACK");
    } catch (const StoreError&) {  // then the server rolls back
    }
  };
  connection_->run("BEGIN");
  bool good = false;
  try {
    good = work();
  } catch (...) {
    roll_back();
    throw;
  }
  if (!good) {
    roll_back();
    return false;
  }
  connection_->commit("COMMIT");
  return true;
}

/// What was written is so; what was taken is no longer this node's.
void PostgresWriter::kept() {
  for (const auto& [campaign, change] : changes_) {
    if (taken_.campaigns.count(campaign) > 0) continue;
    if (change.is_new) {
      leases_.add(campaign, {change.before.epoch, change.now, begun_});
    } else {
      leases_.advance(campaign, change.before.epoch, change.now);
    }
  }
  for (const std::int64_t campaign : taken_.campaigns) leases_.forget(campaign);
  for (const std::int64_t campaign : deleted_) leases_.forget(campaign);
}

PostgresWriter::Change* PostgresWriter::change_of(std::int64_t campaign) {
  if (taken_.campaigns.count(campaign) > 0) return nullptr;
  if (const auto found = changes_.find(campaign); found != changes_.end()) return &found->second;
  const auto lease = leases_.find(campaign);
  if (!lease) {
    taken_.campaigns.insert(campaign);
    return nullptr;
  }
  return &(changes_[campaign] = {.before = *lease, .now = lease->head});
}

void PostgresWriter::take(const EventWrite& write) {
  Change* const change = change_of(write.campaign);
  if (change == nullptr) return;
  if (write.event.number != change->now.number + 1) {
    // Of a state that is no longer that of the store: it must be read again.
    torn_ = torn_ || change->is_sent;
    taken_.campaigns.insert(write.campaign);
    return;
  }
  const std::int64_t sum = checksum_of(write.campaign, write.event);
  rows_.push_back({write.campaign, &write.event, sum});
  change->now = {write.event.number, chained(change->now.chain, sum)};
}

void PostgresWriter::send_events(bool is_commit) {
  // All of a campaign that is taken is left out.
  std::erase_if(rows_, [&](const Row& row) { return taken_.campaigns.count(row.campaign) > 0; });
  if (rows_.empty()) return;
  std::set<std::int64_t> sent;
  for (const Row& row : rows_) sent.insert(row.campaign);
  std::vector<std::int64_t> wanted[6];
  for (const std::int64_t campaign : sent) {
    const Change& change = changes_.at(campaign);
    wanted[0].push_back(campaign);
    wanted[1].push_back(change.before.epoch);
    wanted[2].push_back(static_cast<std::int64_t>(change.before.head.number));
    wanted[3].push_back(change.before.head.chain);
    wanted[4].push_back(static_cast<std::int64_t>(change.now.number));
    wanted[5].push_back(change.now.chain);
  }
  std::vector<std::int64_t> campaigns, numbers, kinds, times, sums;
  std::vector<std::string_view> decisions, bodies, by;
  for (const Row& row : rows_) {
    campaigns.push_back(row.campaign);
    numbers.push_back(static_cast<std::int64_t>(row.event->number));
    kinds.push_back(static_cast<std::int64_t>(row.event->kind));
    decisions.push_back(row.event->decision);
    times.push_back(row.event->time_ms);
    bodies.push_back(row.event->body);
    sums.push_back(row.checksum);
    by.push_back(row.event->by);
  }
  PqParams params;
  for (const auto& column : wanted) params.add(column);
  params.add(campaigns).add(numbers).add(kinds).add_blobs(decisions).add(times).add_blobs(bodies);
  params.add(sums).add_blobs(by);
  const PqRows moved = is_commit ? connection_->commit_prepared(kAppend, params)
                                 : connection_->run_prepared(kAppend, params);
  rows_.clear();
  for (int row = 0; row < moved.size(); ++row) sent.erase(moved.number(row, 0));
  taken_.campaigns.insert(sent.begin(), sent.end());
  for (auto& [campaign, change] : changes_) {
    change.before.head = change.now;
    change.is_sent = true;
  }
}

bool PostgresWriter::lock(std::int64_t campaign) {
  const Change* const change = change_of(campaign);
  if (change == nullptr) return false;
  const PqRows rows =
      connection_->run_prepared(kLockLease, PqParams().add(campaign).add(change->before.epoch));
  if (rows.size() > 0) return true;
  taken_.campaigns.insert(campaign);
  return false;
}

void PostgresWriter::write(const StoreWrite& write) {
  if (const auto* event = std::get_if<EventWrite>(&write)) return take(*event);
  send_events(false);
  const std::int64_t campaign = campaign_of(write);
  const bool is_new = std::holds_alternative<StoredCampaign>(write);
  if (campaign != 0 && !is_new && !lock(campaign)) return;
  std::visit([this](const auto& what) { return add(what); }, write);
}

void PostgresWriter::add(const StoredCampaign& campaign) {
  const PqRows added = connection_->run(
      "INSERT INTO updraft.campaigns SELECT $1::int8, $2::text, $3::bytea, $4::int8, $5::int8, "
      "$6::bytea WHERE NOT EXISTS (SELECT 1 FROM updraft.deleted WHERE campaign = $1::int8) ON "
      "CONFLICT DO NOTHING RETURNING id",
      PqParams()
          .add(campaign.id)
          .add(campaign.name)
          .add(campaign.definition)
          .add(checksum_of(campaign))
          .add(campaign.created_ms)
          .add(campaign.by));
  if (added.size() == 0) {  // somebody has made one of this name or number
    taken_.campaigns.insert(campaign.id);
    return;
  }
  connection_->run("INSERT INTO updraft.leases VALUES ($1::int8, $2::int8, $3, 0, 0)",
                   PqParams().add(campaign.id).add(kFirstEpoch).add(leases_.node().name));
  changes_[campaign.id] = {.before = {.epoch = kFirstEpoch, .head = {}}, .now = {}, .is_new = true};
}

}  // namespace updraft

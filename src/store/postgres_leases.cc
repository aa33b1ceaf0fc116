#include "store/postgres_leases.h"

#include <fmt/format.h>

#include <algorithm>

#include "store/postgres_schema.h"

namespace updraft {
namespace {

constexpr int kBeatsInALease = 4;

constexpr const char* kRegister =
    "INSERT INTO updraft.nodes VALUES ($1, $2, $3::int8, clock_timestamp() + $4::int8 * interval "
    "'1 ms') ON CONFLICT (name) DO UPDATE SET address = excluded.address, run = excluded.run, "
    "until "
    "= excluded.until";
/// Says whether the row was in force until now: then nobody can have claimed anything from it.
constexpr const char* kBeat =
    "WITH before AS (SELECT until > clock_timestamp() AS held FROM updraft.nodes WHERE name = $1 "
    "AND run = $2::int8 FOR UPDATE) UPDATE updraft.nodes SET until = clock_timestamp() + $3::int8 "
    "* interval '1 ms' FROM before WHERE name = $1 AND run = $2::int8 RETURNING held::int::int8";
/// The row is locked before the conditions are looked at, and so a write with the old epoch is
/// either in it or refused.
/// A program whose tables have become newer takes nothing over from others, who may have written
/// what it cannot read; what is its own, nobody else has written.
constexpr const char* kClaim =
    "UPDATE updraft.leases AS lease SET epoch = epoch + 1, owner = $2 WHERE campaign = $1::int8 "
    "AND (owner = $2 OR ((SELECT max(version) FROM updraft.store) <= $3::int8 AND (owner = '' OR "
    "NOT EXISTS (SELECT 1 FROM updraft.nodes WHERE name = lease.owner AND until > "
    "clock_timestamp())))) RETURNING epoch, number, chain";
constexpr const char* kOwner =
    "SELECT owner, coalesce(address, ''), coalesce(until > clock_timestamp(), false)::int::int8, "
    "(SELECT max(version) FROM updraft.store) FROM updraft.leases LEFT JOIN updraft.nodes ON name "
    "= owner WHERE campaign = $1::int8";
/// Goes from owner to owner in the index, so that the time grows with nodes and not with campaigns:
/// every node asks every second.
constexpr const char* kOrphans =
    "WITH RECURSIVE owners AS ((SELECT owner FROM updraft.leases ORDER BY owner LIMIT 1) UNION ALL "
    "SELECT (SELECT owner FROM updraft.leases WHERE owner > owners.owner ORDER BY owner LIMIT 1) "
    "FROM owners WHERE owner IS NOT NULL) SELECT found.campaign FROM owners, LATERAL (SELECT "
    "campaign FROM updraft.leases WHERE leases.owner = owners.owner LIMIT $1::int8) AS found WHERE "
    "owner NOT IN (SELECT name FROM updraft.nodes WHERE until > clock_timestamp()) AND (SELECT "
    "max(version) FROM updraft.store) <= $2::int8 LIMIT $1::int8";
constexpr const char* kOthers =
    "SELECT name, address FROM updraft.nodes WHERE until > clock_timestamp() AND name <> $1 ORDER "
    "BY "
    "name";
constexpr const char* kGiveFree = "UPDATE updraft.leases SET owner = '' WHERE owner = $1";
constexpr const char* kGiveUp =
    "UPDATE updraft.leases SET owner = '' WHERE campaign = $1::int8 AND owner = $2";
constexpr const char* kSignOff =
    "DELETE FROM updraft.nodes WHERE name = $1 AND run = $2::int8 "
    "RETURNING run";

}  // namespace

template <typename Call>
auto PostgresLeases::with_connection(Call call) {
  const std::lock_guard lock(claiming_);
  if (claims_ == nullptr || !claims_->usable()) {
    claims_.reset();
    claims_ = std::make_unique<PqConnection>(url_);
  }
  return call(*claims_);
}

PostgresLeases::PostgresLeases(std::string url, StoreNode node, Log log)
    : url_(std::move(url)), node_(std::move(node)), log_(std::move(log)) {
  if (node_.name.empty()) return;
  register_node();
  beating_ = std::jthread([this](std::stop_token stop) { beat(std::move(stop)); });
}

PostgresLeases::~PostgresLeases() {
  if (node_.name.empty()) return;
  beating_.request_stop();
  beating_.join();
  try {
    with_connection([&](PqConnection& connection) {
      // Not if a later run has the name.
      if (connection.run(kSignOff, PqParams().add(node_.name).add(run_)).size() > 0) {
        connection.run(kGiveFree, PqParams().add(node_.name));
      }
    });
  } catch (const StoreError&) {  // others wait until the lease is over
  }
}

void PostgresLeases::register_node() {
  const Clock::time_point begin = Clock::now();
  with_connection([&](PqConnection& connection) {
    run_ = connection.run("SELECT nextval('updraft.runs')").number(0, 0);
    start_node(connection, [&] {
      connection.commit(kRegister, PqParams()
                                       .add(node_.name)
                                       .add(node_.address)
                                       .add(run_)
                                       .add(std::int64_t{node_.lease.count()}));
    });
  });
  renewed(begin, true);
}

void PostgresLeases::renewed(Clock::time_point sent, bool had_lapsed) {
  const std::lock_guard lock(mutex_);
  last_beat_ = sent;
  if (!had_lapsed) return;
  lapse_seen_ = Clock::now();
  for (auto& [campaign, lease] : leases_) lease.firm = false;
}

bool PostgresLeases::holds(std::int64_t campaign) const {
  const std::lock_guard lock(mutex_);
  const auto found = leases_.find(campaign);
  return found != leases_.end() && found->second.firm && Clock::now() - last_beat_ <= node_.lease;
}

void PostgresLeases::beat(std::stop_token stop) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  std::unique_ptr<PqConnection> connection;
  bool told = false;
  while (!wake.wait_for(lock, stop, node_.lease / kBeatsInALease,
                        [&] { return stop.stop_requested(); })) {
    try {
      if (connection == nullptr || !connection->usable()) {
        connection.reset();
        // Nothing is lost if it is, and it must not wait for a standby.
        connection = std::make_unique<PqConnection>(
            url_, PqConnection::Options{.patience = node_.lease, .keeps_commits = false});
      }
      const Clock::time_point begin = Clock::now();
      const PqRows beat = connection->run(
          kBeat, PqParams().add(node_.name).add(run_).add(std::int64_t{node_.lease.count()}));
      if (beat.size() > 0) {
        renewed(begin, beat.number(0, 0) == 0);
      } else {
        const PqRows other = connection->run("SELECT run FROM updraft.nodes WHERE name = $1",
                                             PqParams().add(node_.name));
        if (other.size() == 0) {  // somebody cleaned up
          forget_all();
          register_node();
        } else if (!told && log_) {
          log_(fmt::format("another program has taken the name of node {}: give each its own",
                           node_.name));
          told = true;
        }
      }
    } catch (const StoreError& error) {
      if (log_) log_(fmt::format("node {} cannot renew its lease: {}", node_.name, error.what()));
    }
  }
}

void PostgresLeases::claim(const StoredCampaign& campaign) {
  forget(campaign.id);
  try {
    add(campaign.id, claimed(campaign));
  } catch (const StoreError& error) {
    if (error.kind() != StoreError::Kind::kInDoubt) throw;
    // Perhaps the connection had been broken for long; to claim twice does no harm.
    add(campaign.id, claimed(campaign));
  }
}

void PostgresLeases::give_up(const StoredCampaign& campaign) {
  forget(campaign.id);
  with_connection([&](PqConnection& connection) {
    connection.run(kGiveUp, PqParams().add(campaign.id).add(node_.name));
  });
}

PostgresLeases::Lease PostgresLeases::claimed(const StoredCampaign& campaign) {
  const Clock::time_point begin = Clock::now();
  return with_connection([&](PqConnection& connection) -> Lease {
    const PqRows rows = connection.commit_prepared(
        kClaim, PqParams().add(campaign.id).add(node_.name).add(postgres_version()));
    if (rows.size() > 0) {
      return {rows.number(0, 0),
              {static_cast<std::uint64_t>(rows.number(0, 1)), rows.number(0, 2)},
              begin};
    }
    const PqRows owner = connection.run(kOwner, PqParams().add(campaign.id));
    if (owner.size() == 0) {
      throw CampaignGone(fmt::format("campaign {} was deleted", campaign.name));
    }
    if (owner.number(0, 2) == 0 && owner.number(0, 3) > postgres_version()) {
      throw TablesAreNewer(
          fmt::format("the store in PostgreSQL has version {} by now, newer than {}: this node "
                      "takes no campaigns over any more; restart it with a newer updraft",
                      owner.number(0, 3), postgres_version()));
    }
    throw CampaignElsewhere(campaign.name, std::string(owner.bytes(0, 0)),
                            std::string(owner.bytes(0, 1)));
  });
}

std::optional<PostgresLeases::Lease> PostgresLeases::find(std::int64_t campaign) const {
  const std::lock_guard lock(mutex_);
  const auto found = leases_.find(campaign);
  return found == leases_.end() ? std::nullopt : std::optional(found->second);
}

void PostgresLeases::advance(std::int64_t campaign, std::int64_t epoch, const StoreHead& head) {
  const std::lock_guard lock(mutex_);
  const auto found = leases_.find(campaign);
  if (found == leases_.end() || found->second.epoch != epoch) return;
  found->second.head = head;
}

void PostgresLeases::add(std::int64_t campaign, Lease lease) {
  const std::lock_guard lock(mutex_);
  lease.firm = lease.sent > lapse_seen_ && Clock::now() - last_beat_ <= node_.lease;
  leases_[campaign] = lease;
}

void PostgresLeases::forget(std::int64_t campaign) {
  const std::lock_guard lock(mutex_);
  leases_.erase(campaign);
}

void PostgresLeases::forget_all() {
  const std::lock_guard lock(mutex_);
  leases_.clear();
}

std::vector<std::int64_t> PostgresLeases::orphans(std::int64_t most) {
  return with_connection([&](PqConnection& connection) {
    const PqRows rows = connection.run(kOrphans, PqParams().add(most).add(postgres_version()));
    std::vector<std::int64_t> out;
    for (int row = 0; row < rows.size(); ++row) out.push_back(rows.number(row, 0));
    return out;
  });
}

std::vector<std::pair<std::string, std::string>> PostgresLeases::others() {
  return with_connection([&](PqConnection& connection) {
    const PqRows rows = connection.run(kOthers, PqParams().add(node_.name));
    std::vector<std::pair<std::string, std::string>> out;
    for (int row = 0; row < rows.size(); ++row) {
      out.emplace_back(rows.bytes(row, 0), rows.bytes(row, 1));
    }
    return out;
  });
}

}  // namespace updraft

#include "store/postgres_schema.h"

#include <fmt/format.h>

#include <iterator>
#include <string>

namespace updraft {
namespace {

/// Each brings the tables from one version to the next; version 0 has none. Texts from outside are
/// bytea, as they may be any bytes.
constexpr const char* kTableMigrations[] = {
    R"(CREATE TABLE updraft.campaigns (
         id int8 PRIMARY KEY, name text NOT NULL UNIQUE, definition bytea NOT NULL,
         checksum int8 NOT NULL, created_ms int8 NOT NULL, created_by bytea NOT NULL);
       CREATE TABLE updraft.nodes (
         name text PRIMARY KEY, address text NOT NULL, run int8 NOT NULL,
         until timestamptz NOT NULL);
       CREATE TABLE updraft.leases (
         campaign int8 PRIMARY KEY, epoch int8 NOT NULL, owner text NOT NULL, number int8 NOT NULL,
         chain int8 NOT NULL) WITH (fillfactor = 50);
       CREATE INDEX leases_of_owner ON updraft.leases (owner);
       CREATE TABLE updraft.events (
         campaign int8 NOT NULL, number int8 NOT NULL, kind int8 NOT NULL, decision bytea NOT NULL,
         time_ms int8 NOT NULL, body bytea NOT NULL, checksum int8 NOT NULL,
         done_by bytea NOT NULL, PRIMARY KEY (campaign, number));
       CREATE INDEX events_of_decision ON updraft.events (campaign, decision)
         WHERE decision <> ''::bytea;
       CREATE TABLE updraft.snapshots (
         campaign int8 NOT NULL, number int8 NOT NULL, body bytea NOT NULL, checksum int8 NOT NULL,
         chain int8 NOT NULL, parts int8 NOT NULL, PRIMARY KEY (campaign, number));
       CREATE TABLE updraft.snapshot_parts (
         campaign int8 NOT NULL, number int8 NOT NULL, part int8 NOT NULL, body bytea NOT NULL,
         PRIMARY KEY (campaign, number, part));
       CREATE TABLE updraft.cuts (
         campaign int8 NOT NULL, number int8 NOT NULL, chain int8 NOT NULL, time_ms int8 NOT NULL,
         made int8 NOT NULL, purged int8 NOT NULL, dropped int8 NOT NULL,
         dropped_sum int8 NOT NULL, checksum int8 NOT NULL, PRIMARY KEY (campaign, number));
       CREATE TABLE updraft.settled (
         campaign int8 NOT NULL, decision bytea NOT NULL, PRIMARY KEY (campaign, decision));
       CREATE TABLE updraft.archives (
         campaign int8 PRIMARY KEY, time_ms int8 NOT NULL, done_by bytea NOT NULL,
         brief bytea NOT NULL, summary bytea NOT NULL, has_events int8 NOT NULL,
         checksum int8 NOT NULL);
       CREATE TABLE updraft.deleted (
         campaign int8 PRIMARY KEY, name text NOT NULL, time_ms int8 NOT NULL,
         done_by bytea NOT NULL, number int8 NOT NULL, chain int8 NOT NULL);
       CREATE TABLE updraft.dropped (campaign int8 PRIMARY KEY);
       CREATE SEQUENCE updraft.campaign_ids;
       CREATE SEQUENCE updraft.runs;)",
};
constexpr std::int64_t kTablesVersion = std::size(kTableMigrations);
/// Of the lock that lets one program at a time make tables: "Updr".
constexpr const char* kTablesLock = "SELECT pg_advisory_xact_lock(1433429106)";
/// Not by to_regclass() and to_regnamespace(): after kTablesLock they may give what was so before.
constexpr const char* kFindStoreTable =
    "SELECT 1 FROM pg_catalog.pg_class AS found JOIN pg_catalog.pg_namespace AS schema ON "
    "schema.oid = found.relnamespace WHERE schema.nspname = 'updraft' AND found.relname = "
    "'store'";
constexpr const char* kFindSchema =
    "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = 'updraft'";
/// Shared by nodes that start, held alone while a copy is made and verified.
constexpr const char* kKeepNodesOut = "SELECT pg_try_advisory_lock(1433429107)::int::int8";
constexpr const char* kNodeStarts = "SELECT pg_try_advisory_lock_shared(1433429107)::int::int8";
constexpr const char* kNodeHasStarted = "SELECT pg_advisory_unlock_shared(1433429107)";

/// 0 if there are no tables.
std::int64_t version_of(PqConnection& connection) {
  if (connection.run(kFindStoreTable).size() == 0) return 0;
  const PqRows rows = connection.run("SELECT version FROM updraft.store");
  return rows.size() == 0 ? 0 : rows.number(0, 0);
}

void refuse_newer(std::int64_t version) {
  if (version <= kTablesVersion) return;
  throw TablesAreNewer(
      fmt::format("the store in PostgreSQL has version {}, newer than {}: use a newer updraft",
                  version, kTablesVersion));
}

}  // namespace

std::int64_t postgres_version() { return kTablesVersion; }

bool keep_nodes_out(PqConnection& connection) {
  return connection.run(kKeepNodesOut).number(0, 0) == 1;
}

void start_node(PqConnection& connection, const std::function<void()>& enter) {
  if (connection.run(kNodeStarts).number(0, 0) == 0) {
    throw StoreError(
        "a copy to this store in PostgreSQL is being made and verified (updraft store migrate): "
        "start again when it has ended",
        StoreError::Kind::kOther);
  }
  enter();
  connection.run(kNodeHasStarted);
}

void prepare_tables(PqConnection& connection) {
  // A role that may only read and write rows can start once the tables are there.
  const std::int64_t found = version_of(connection);
  refuse_newer(found);
  if (found == kTablesVersion) return;
  connection.run("BEGIN");
  connection.run(kTablesLock);
  const std::int64_t version = version_of(connection);
  refuse_newer(version);
  if (version == 0) {
    if (connection.run(kFindSchema).size() == 0) connection.run("CREATE SCHEMA updraft");
    connection.execute(
        "CREATE TABLE updraft.store (version int8 NOT NULL);"
        "INSERT INTO updraft.store VALUES (0)");
  }
  for (std::int64_t from = version; from < kTablesVersion; ++from)
    connection.execute(kTableMigrations[from]);
  connection.run("UPDATE updraft.store SET version = $1::int8", PqParams().add(kTablesVersion));
  connection.commit("COMMIT");
}

void check_tables(PqConnection& connection) {
  const std::int64_t version = version_of(connection);
  refuse_newer(version);
  if (version == kTablesVersion) return;
  throw StoreError(
      version == 0 ? "there is no store in this database of PostgreSQL"
                   : fmt::format("the store in PostgreSQL has version {}, not {}; updraft serve "
                                 "brings older ones up to it",
                                 version, kTablesVersion),
      StoreError::Kind::kOther);
}

}  // namespace updraft

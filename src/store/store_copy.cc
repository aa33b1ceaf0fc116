#include "store/store_copy.h"

#include <fmt/format.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "store/campaign_store.h"
#include "store/postgres_schema.h"
#include "store/postgres_store.h"
#include "store/store_schema.h"

namespace updraft {
namespace {

constexpr std::size_t kCopiedRows = 1000;
constexpr std::size_t kCopiedBytes = 4 << 20;

/// A table as both engines have it. Types of columns: n for numbers, b for bytes, t for texts,
/// which are text in PostgreSQL.
struct CopiedTable {
  const char* types;
  const char* from_sqlite;
  const char* to_sqlite;
  const char* from_postgres;
  const char* to_postgres;  ///< the part after INSERT INTO; columns of `copied` are c1, c2, ...
};

constexpr CopiedTable kTables[] = {
    {"ntbnnb", "SELECT id, name, definition, checksum, created_ms, created_by FROM campaigns",
     "INSERT INTO campaigns VALUES (?, ?, ?, ?, ?, ?)",
     "SELECT id, name, definition, checksum, created_ms, created_by FROM updraft.campaigns",
     "campaigns SELECT c1, convert_from(c2, 'UTF8'), c3, c4, c5, c6"},
    {"nnn", "SELECT campaign, number, chain FROM heads WHERE campaign > 0",
     "INSERT INTO heads VALUES (?, ?, ?)", "SELECT campaign, number, chain FROM updraft.leases",
     "leases SELECT c1, 1, '', c2, c3"},
    {"nnnbnbnb",
     "SELECT campaign, key % 1099511627776, kind, decision, time_ms, body, checksum, done_by FROM "
     "events ORDER BY key",
     "INSERT INTO events (campaign, key, kind, decision, time_ms, body, checksum, done_by) VALUES "
     "(?1, ?1 * 1099511627776 + ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
     "SELECT campaign, number, kind, decision, time_ms, body, checksum, done_by FROM "
     "updraft.events "
     "ORDER BY campaign, number",
     "events SELECT c1, c2, c3, c4, c5, c6, c7, c8"},
    {"nnbnnn", "SELECT campaign, number, body, checksum, chain, parts FROM snapshots",
     "INSERT INTO snapshots (campaign, number, body, checksum, chain, parts) VALUES (?, ?, ?, ?, "
     "?, "
     "?)",
     "SELECT campaign, number, body, checksum, chain, parts FROM updraft.snapshots",
     "snapshots SELECT c1, c2, c3, c4, c5, c6"},
    {"nnnb", "SELECT campaign, number, part, body FROM snapshot_parts",
     "INSERT INTO snapshot_parts VALUES (?, ?, ?, ?)",
     "SELECT campaign, number, part, body FROM updraft.snapshot_parts",
     "snapshot_parts SELECT c1, c2, c3, c4"},
    {"nnnnnnnnn",
     "SELECT campaign, number, chain, time_ms, made, purged, dropped, dropped_sum, checksum FROM "
     "cuts",
     "INSERT INTO cuts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
     "SELECT campaign, number, chain, time_ms, made, purged, dropped, dropped_sum, checksum FROM "
     "updraft.cuts",
     "cuts SELECT c1, c2, c3, c4, c5, c6, c7, c8, c9"},
    {"nb", "SELECT campaign, decision FROM settled", "INSERT INTO settled VALUES (?, ?)",
     "SELECT campaign, decision FROM updraft.settled", "settled SELECT c1, c2"},
    {"nnbbbnn",
     "SELECT campaign, time_ms, done_by, brief, summary, has_events, checksum FROM archives",
     "INSERT INTO archives VALUES (?, ?, ?, ?, ?, ?, ?)",
     "SELECT campaign, time_ms, done_by, brief, summary, has_events, checksum FROM "
     "updraft.archives",
     "archives SELECT c1, c2, c3, c4, c5, c6, c7"},
    {"ntnbnn", "SELECT campaign, name, time_ms, done_by, number, chain FROM deleted",
     "INSERT INTO deleted VALUES (?, ?, ?, ?, ?, ?)",
     "SELECT campaign, name, time_ms, done_by, number, chain FROM updraft.deleted",
     "deleted SELECT c1, convert_from(c2, 'UTF8'), c3, c4, c5, c6"},
    {"n", "SELECT campaign FROM dropped", "INSERT INTO dropped VALUES (?)",
     "SELECT campaign FROM updraft.dropped", "dropped SELECT c1"},
};
/// In SQLite, the columns of type b that are blobs there; the others are texts.
bool is_blob(const CopiedTable& table, std::size_t column) {
  const std::string_view sql = table.from_postgres;
  std::string_view list = sql.substr(7, sql.find(" FROM") - 7);
  for (std::size_t i = 0; i < column; ++i) list.remove_prefix(list.find(", ") + 2);
  return list.substr(0, list.find(',')) == "body";
}

/// Some rows of a table, by column.
struct Columns {
  explicit Columns(const CopiedTable& table) : numbers(size(table)), texts(size(table)) {}
  static std::size_t size(const CopiedTable& table) { return std::string_view(table.types).size(); }

  std::vector<std::vector<std::int64_t>> numbers;
  std::vector<std::vector<std::string>> texts;
  std::size_t rows = 0;
  std::size_t bytes = 0;
};

/// Calls visit(columns) with some rows after the other.
void read_sqlite(Connection& from, const CopiedTable& table,
                 const std::function<void(const Columns&)>& visit) {
  Statement rows = from.prepare(table.from_sqlite);
  Columns some(table);
  while (rows.step()) {
    for (std::size_t i = 0; i < Columns::size(table); ++i) {
      const int column = static_cast<int>(i);
      if (table.types[i] == 'n') {
        some.numbers[i].push_back(rows.number(column));
      } else {
        const std::string_view bytes = is_blob(table, i) ? rows.blob(column) : rows.text(column);
        some.texts[i].emplace_back(bytes);
        some.bytes += bytes.size();
      }
    }
    if (++some.rows < kCopiedRows && some.bytes < kCopiedBytes) continue;
    visit(some);
    some = Columns(table);
  }
  if (some.rows > 0) visit(some);
}

void read_postgres(PqConnection& from, const CopiedTable& table,
                   const std::function<void(const Columns&)>& visit) {
  from.run(fmt::format("DECLARE copied NO SCROLL CURSOR FOR {}", table.from_postgres).c_str());
  while (true) {
    const PqRows rows = from.run("FETCH 100 FROM copied");
    if (rows.size() == 0) break;
    Columns some(table);
    some.rows = static_cast<std::size_t>(rows.size());
    for (int row = 0; row < rows.size(); ++row) {
      for (std::size_t i = 0; i < Columns::size(table); ++i) {
        const int column = static_cast<int>(i);
        if (table.types[i] == 'n') {
          some.numbers[i].push_back(rows.number(row, column));
        } else {
          some.texts[i].emplace_back(rows.bytes(row, column));
        }
      }
    }
    visit(some);
  }
  from.run("CLOSE copied");
}

void write_postgres(PqConnection& to, const CopiedTable& table, const Columns& some) {
  PqParams params;
  std::string unnested;
  std::string names;
  for (std::size_t i = 0; i < Columns::size(table); ++i) {
    const bool is_number = table.types[i] == 'n';
    unnested += fmt::format("{}${}::{}[]", i > 0 ? ", " : "", i + 1, is_number ? "int8" : "bytea");
    names += fmt::format("{}c{}", i > 0 ? ", " : "", i + 1);
    if (is_number) {
      params.add(some.numbers[i]);
    } else {
      params.add_blobs(std::vector<std::string_view>(some.texts[i].begin(), some.texts[i].end()));
    }
  }
  to.run(fmt::format("INSERT INTO updraft.{} FROM unnest({}) AS copied ({})", table.to_postgres,
                     unnested, names)
             .c_str(),
         params);
}

void write_sqlite(Connection& to, const CopiedTable& table, const Columns& some) {
  Statement insert = to.prepare(table.to_sqlite);
  for (std::size_t row = 0; row < some.rows; ++row) {
    for (std::size_t i = 0; i < Columns::size(table); ++i) {
      const int parameter = static_cast<int>(i) + 1;
      if (table.types[i] == 'n') {
        insert.bind(parameter, some.numbers[i][row]);
      } else if (is_blob(table, i)) {
        insert.bind_blob(parameter, some.texts[i][row]);
      } else {
        insert.bind(parameter, std::string_view(some.texts[i][row]));
      }
    }
    insert.run();
  }
}

[[noreturn]] void refuse(const std::string& store, const std::string& why) {
  throw StoreError(fmt::format("{} {}", shown_store(store), why), StoreError::Kind::kOther);
}

void refuse_nodes(PqConnection& connection, const std::string& store) {
  const PqRows nodes = connection.run(
      "SELECT name FROM updraft.nodes WHERE until > clock_timestamp() ORDER BY name LIMIT 1");
  if (nodes.size() > 0) refuse(store, fmt::format("is in use by node {}", nodes.bytes(0, 0)));
}

/// In a transaction; the rows are locked against services that start meanwhile.
void begin_reading(PqConnection& from, const std::string& store) {
  check_tables(from);
  from.run("BEGIN ISOLATION LEVEL REPEATABLE READ");
  from.run("LOCK TABLE updraft.leases, updraft.campaigns IN SHARE MODE");
  refuse_nodes(from, store);
}

void begin_writing(PqConnection& to, const std::string& store) {
  prepare_tables(to);
  if (!keep_nodes_out(to)) refuse(store, "is in use: a node starts, or another copy is made");
  refuse_nodes(to, store);
  to.run("BEGIN");
  to.run("LOCK TABLE updraft.leases, updraft.campaigns IN EXCLUSIVE MODE");
  const PqRows found = to.run(
      "SELECT id FROM updraft.campaigns UNION ALL SELECT campaign FROM updraft.deleted LIMIT 1");
  if (found.size() > 0) refuse(store, "has campaigns already");
}

void end_writing(PqConnection& to) {
  to.run(
      "SELECT setval('updraft.campaign_ids', max(id)) FROM (SELECT id FROM updraft.campaigns UNION "
      "ALL SELECT campaign FROM updraft.deleted) AS known HAVING max(id) > 0");
  to.commit("COMMIT");
}

std::shared_ptr<void> copy_to_postgres(const std::string& from, const std::string& to) {
  const CampaignStore held(from, CampaignStore::Mode::kWrite);  // nobody else writes meanwhile
  Connection source(from, Connection::Mode::kReadOnly);
  auto target = std::make_shared<PqConnection>(to);
  begin_writing(*target, to);
  for (const CopiedTable& table : kTables) {
    read_sqlite(source, table, [&](const Columns& some) { write_postgres(*target, table, some); });
  }
  end_writing(*target);
  return target;  // whose session keeps nodes out
}

void copy_to_sqlite(const std::string& from, const std::string& to) {
  if (std::filesystem::exists(to)) refuse(to, "exists");
  const std::filesystem::path partial = to + "-migrating";
  std::filesystem::remove(partial);
  PqConnection source(from);
  begin_reading(source, from);
  make_store(partial);
  {
    Connection target(partial, Connection::Mode::kReadWrite);
    target.execute("PRAGMA synchronous = FULL");
    target.execute("BEGIN IMMEDIATE");
    for (const CopiedTable& table : kTables) {
      read_postgres(source, table, [&](const Columns& some) { write_sqlite(target, table, some); });
    }
    target.execute("COMMIT");
  }
  source.run("ROLLBACK");
  std::filesystem::rename(partial, to);
}

}  // namespace

std::shared_ptr<void> copy_store(const std::string& from, const std::string& to) {
  if (is_postgres(from) == is_postgres(to)) {
    throw StoreError(
        "a store is migrated from a file to PostgreSQL, or from PostgreSQL to a file; updraft "
        "store "
        "backup copies files, and pg_dump databases",
        StoreError::Kind::kOther);
  }
  if (!is_postgres(from) && !std::filesystem::exists(from)) refuse(from, "does not exist");
  if (!is_postgres(from)) return copy_to_postgres(from, to);
  copy_to_sqlite(from, to);
  return nullptr;
}

void remove_copy(const std::string& to) {
  if (is_postgres(to)) {
    PqConnection connection(to);
    connection.run("BEGIN");
    connection.run("LOCK TABLE updraft.nodes IN EXCLUSIVE MODE");  // no node starts meanwhile
    refuse_nodes(connection, to);
    connection.run(
        "TRUNCATE updraft.campaigns, updraft.leases, updraft.events, updraft.snapshots, "
        "updraft.snapshot_parts, updraft.cuts, updraft.settled, updraft.archives, updraft.deleted, "
        "updraft.dropped");
    connection.commit("COMMIT");
  } else {
    std::filesystem::remove(to);
  }
}

}  // namespace updraft

#include "store/sqlite.h"

#include <fmt/format.h>
#include <sqlite3.h>

namespace updraft {
namespace {

constexpr int kBusyMilliseconds = 10'000;

[[noreturn]] void fail(sqlite3* connection, int code) {
  using Kind = StoreError::Kind;
  const int primary = code & 0xff;
  const bool damaged = primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB;
  const bool unknown = code == SQLITE_IOERR_FSYNC || code == SQLITE_IOERR_DIR_FSYNC;
  const Kind kind = primary == SQLITE_FULL ? Kind::kDiskFull
                    : damaged              ? Kind::kDamaged
                    : unknown              ? Kind::kUnknown
                                           : Kind::kOther;
  throw StoreError(connection != nullptr ? sqlite3_errmsg(connection) : sqlite3_errstr(code), kind);
}

}  // namespace

void Connection::Close::operator()(sqlite3* handle) const { sqlite3_close(handle); }

Connection::Connection(const std::filesystem::path& path, Mode mode) {
  const int flags =
      mode == Mode::kReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &handle, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  handle_.reset(handle);
  if (code != SQLITE_OK) fail(handle, code);
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, kBusyMilliseconds);
}

void Connection::execute(const char* sql) {
  const int code = sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(handle_.get(), code);
}

Statement Connection::prepare(const char* sql) { return {handle_.get(), sql}; }

std::int64_t Connection::number(const char* sql) {
  Statement statement = prepare(sql);
  return statement.step() ? statement.number(0) : 0;
}

void Connection::copy_to(Connection& target) {
  sqlite3* const other = target.handle_.get();
  sqlite3_backup* const backup = sqlite3_backup_init(other, "main", handle_.get(), "main");
  if (backup == nullptr) fail(other, sqlite3_errcode(other));
  const int code = sqlite3_backup_step(backup, -1);
  sqlite3_backup_finish(backup);
  if (code != SQLITE_DONE) fail(other, code);
}

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Statement::Statement(sqlite3* connection, const char* sql) : connection_(connection) {
  sqlite3_stmt* statement = nullptr;
  const int code =
      sqlite3_prepare_v3(connection, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  statement_.reset(statement);
  if (code != SQLITE_OK) fail(connection, code);
}

Statement& Statement::bind(int parameter, std::int64_t value) {
  const int code = sqlite3_bind_int64(statement_.get(), parameter, value);
  if (code != SQLITE_OK) fail(connection_, code);
  return *this;
}

Statement& Statement::bind(int parameter, std::string_view text) {
  const int code = sqlite3_bind_text64(statement_.get(), parameter, text.data(), text.size(),
                                       SQLITE_STATIC, SQLITE_UTF8);
  if (code != SQLITE_OK) fail(connection_, code);
  return *this;
}

Statement& Statement::bind_blob(int parameter, std::string_view bytes) {
  const char* data = bytes.empty() ? "" : bytes.data();  // a null pointer would be NULL
  const int code =
      sqlite3_bind_blob64(statement_.get(), parameter, data, bytes.size(), SQLITE_STATIC);
  if (code != SQLITE_OK) fail(connection_, code);
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) fail(connection_, code);
  return false;
}

void Statement::run() { run_for_number(); }

std::int64_t Statement::run_for_number() {
  std::int64_t first = 0;
  try {
    bool row = step();
    if (row) first = number(0);
    while (row) row = step();
  } catch (...) {
    reset();
    throw;
  }
  reset();
  return first;
}

void Statement::reset() { sqlite3_reset(statement_.get()); }

std::int64_t Statement::number(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

std::string_view Statement::text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  return {text != nullptr ? text : "",
          static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

std::string_view Statement::blob(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_.get(), column));
  return {bytes != nullptr ? bytes : "",
          static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

}  // namespace updraft

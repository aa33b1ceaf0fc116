#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace updraft {

/// What SQLite says went wrong.
class StoreError : public std::runtime_error {
 public:
  enum class Kind { kDiskFull, kDamaged, kOther };

  StoreError(const std::string& what, Kind kind) : std::runtime_error(what), kind_(kind) {}
  Kind kind() const { return kind_; }

 private:
  Kind kind_;
};

class Statement;

/// A connection to a database. For use by one thread at a time.
class Connection {
 public:
  enum class Mode { kReadOnly, kReadWrite };  ///< the latter makes the file where there is none

  Connection(const std::filesystem::path& path, Mode mode);

  /// Statements without parameters and rows.
  void execute(const char* sql);
  Statement prepare(const char* sql);

  /// The number that `sql` gives, as of a PRAGMA.
  std::int64_t number(const char* sql);

  /// Rows that the last statement changed.
  std::int64_t changes() const;

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  std::unique_ptr<sqlite3, Close> handle_;
};

/// A prepared statement. Parameters count from 1, columns from 0. Texts and blobs must outlive the
/// steps that use them; those of columns are valid until the next step.
class Statement {
 public:
  Statement(sqlite3* connection, const char* sql);

  Statement& bind(int parameter, std::int64_t value);
  Statement& bind(int parameter, std::string_view text);
  Statement& bind_blob(int parameter, std::string_view bytes);

  /// Whether there is a (next) row.
  bool step();
  /// Runs to the end and makes it ready to be bound again, also where it throws.
  void run();
  void reset();

  std::int64_t number(int column) const;
  std::string_view text(int column) const;
  std::string_view blob(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  sqlite3* connection_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

}  // namespace updraft

#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>

#include "store/store_error.h"

struct sqlite3;
struct sqlite3_stmt;

namespace updraft {

class Statement;

/// A connection to a database; what goes wrong is a StoreError. For use by one thread at a time.
class Connection {
 public:
  enum class Mode { kReadOnly, kReadWrite };  ///< the latter makes the file where there is none

  Connection(const std::filesystem::path& path, Mode mode);

  /// Statements without parameters and rows.
  void execute(const char* sql);
  Statement prepare(const char* sql);

  /// The number that `sql` gives, as of a PRAGMA.
  std::int64_t number(const char* sql);

  /// All of the database, as of one moment, in place of what `target` holds. Others may write
  /// meanwhile.
  void copy_to(Connection& target);

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
  /// The number that the first row begins with, 0 where there is none; otherwise as run().
  std::int64_t run_for_number();
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

/// Resets a statement that is kept, however its use ends.
class ResetAtEnd {
 public:
  explicit ResetAtEnd(Statement& statement) : statement_(statement) {}
  ~ResetAtEnd() { statement_.reset(); }
  ResetAtEnd(const ResetAtEnd&) = delete;
  ResetAtEnd& operator=(const ResetAtEnd&) = delete;

 private:
  Statement& statement_;
};

}  // namespace updraft

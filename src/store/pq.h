#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "store/store_error.h"

struct pg_conn;
struct pg_result;

namespace updraft {

/// The parameters of a statement, $1 first, in PostgreSQL's binary format.
class PqParams {
 public:
  PqParams& add(std::int64_t value);
  /// For text and bytea, which look the same.
  PqParams& add(std::string_view bytes);
  PqParams& add(std::span<const std::int64_t> values);            ///< int8[]
  PqParams& add_blobs(std::span<const std::string_view> values);  ///< bytea[]

  std::size_t size() const { return values_.size(); }
  const std::string& operator[](std::size_t i) const { return values_[i]; }

 private:
  std::vector<std::string> values_;
};

/// What a statement gave. Columns and rows count from 0.
class PqRows {
 public:
  explicit PqRows(pg_result* result) : result_(result) {}

  int size() const;
  /// Of an int8.
  std::int64_t number(int row, int column) const;
  /// Of text or bytea; valid as long as this.
  std::string_view bytes(int row, int column) const;

 private:
  struct Clear {
    void operator()(pg_result* result) const;
  };
  std::unique_ptr<pg_result, Clear> result_;
};

/// A connection to PostgreSQL, for use by one thread at a time. It loads libpq when the first one
/// is made, so a program that makes none does not need it.
///
/// All throw StoreError. Its kind is kInDoubt if the connection was lost: what was asked may be
/// done later, or not. Then, and after any other trouble that leaves the session in an unknown
/// state, the connection is of no use any more. With any other kind the server has refused the
/// statement, and nothing of it was done.
class PqConnection {
 public:
  struct Options {
    std::chrono::milliseconds patience{15'000};  ///< for an answer; then the connection is lost
    /// Whether commits must be kept, by standbys too; else a server that does not is fine.
    bool keeps_commits = true;
  };

  /// False in a program that was built without PostgreSQL: then the next throws.
  static bool is_built_in();

  /// `url`: as libpq takes it. Refuses a server that does not keep what it has committed.
  PqConnection(const std::string& url, Options options);
  explicit PqConnection(const std::string& url) : PqConnection(url, Options()) {}
  ~PqConnection();

  PqRows run(const char* sql, const PqParams& params = {});
  /// The same of a statement that is used again and again; `sql` must be there as long as this.
  PqRows run_prepared(const char* sql, const PqParams& params);
  /// As run(), of what must be kept: a warning at the commit, such as that no standby has it,
  /// counts as a connection that was lost.
  PqRows commit(const char* sql, const PqParams& params = {});
  PqRows commit_prepared(const char* sql, const PqParams& params);
  /// Gives the rows of a `COPY ... TO STDOUT` in the format text, one at a time, as they come.
  void copy_out(const char* sql, const std::function<void(std::string_view)>& visit);
  /// Several statements without parameters.
  void execute(const char* script);

  /// False once the connection was lost.
  bool usable() const { return !lost_; }

 private:
  struct Close {
    void operator()(pg_conn* connection) const;
  };

  static void on_notice(void* self, const pg_result* notice);
  void prepare(const char* sql);
  PqRows result();
  /// Until the server says something or takes what is sent to it.
  void wait_for_server(bool sends, std::chrono::steady_clock::time_point until);
  /// The next one, null at the end; waits for it.
  pg_result* next(std::chrono::steady_clock::time_point until);
  [[noreturn]] void fail(const pg_result* result);
  [[noreturn]] void lose(const std::string& why);

  Options options_;
  std::unique_ptr<pg_conn, Close> connection_;
  std::set<const char*> prepared_;
  std::string warning_;
  bool lost_ = false;
};

/// The fields of a row of copy_out(); nothing in place of NULL.
std::vector<std::optional<std::string>> copied_fields(std::string_view row);

}  // namespace updraft

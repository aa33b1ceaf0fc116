#pragma once

#include <string>

#include "support/folder.h"

namespace updraft::testing {

/// A port of the loopback that nobody listens on.
int free_port();

/// Why there is no PostgreSQL for tests: it is not installed, or updraft was built without it.
/// Empty if there is.
std::string no_postgres();

/// A server of PostgreSQL in a temporary folder, on a socket there and a free port of the loopback.
/// As root, it runs as the user postgres. Stopped, and gone, with the object.
class Postgres {
 public:
  struct Options {
    std::string settings = {};          ///< lines of postgresql.conf
    const Postgres* copy_of = nullptr;  ///< of which it is a standby, by the name `name`
    std::string name = "primary";
    int port = 0;      ///< any that is free unless given
    bool tls = false;  ///< with a certificate for 127.0.0.1 by an authority of its own
  };

  Postgres() : Postgres(Options()) {}
  explicit Postgres(const Options& options);
  ~Postgres();
  Postgres(const Postgres&) = delete;
  Postgres& operator=(const Postgres&) = delete;

  int port() const { return port_; }

  /// The address of a database.
  std::string url(const std::string& database = "postgres") const;
  /// Makes a database that is empty, and returns its address.
  std::string new_database();
  /// The certificate of the authority, with Options::tls.
  std::string authority() const { return folder_.path("ca.pem"); }
  /// What psql prints; throws if it fails.
  std::string sql(const std::string& text, const std::string& database = "postgres") const;

  /// A schema of a database, by pg_dump, into another one.
  void dump(const std::string& from_url, const std::string& to_url,
            const std::string& schema) const;

  /// kill -9 of the server; its other processes end with it. Then it is gone for good.
  void kill();
  void start();
  void promote();

  /// One for all tests of the program that need nothing special; null if there is none.
  static Postgres* shared();

 private:
  void control(const std::string& command) const;
  void make_certificates(const std::string& log) const;

  TemporaryFolder folder_;
  int port_ = 0;
  int databases_ = 0;
};

}  // namespace updraft::testing

/// Ends a test that needs PostgreSQL if there is none.
#define SKIP_WITHOUT_POSTGRES() \
  if (const std::string why = updraft::testing::no_postgres(); !why.empty()) GTEST_SKIP() << why

#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "serve/server.h"
#include "support/folder.h"
#include "support/postgres.h"
#include "support/proxy.h"

namespace updraft::service_test {

/// A primary of PostgreSQL with a synchronous standby, which takes its place when it is killed.
class ReplicatedPostgres {
 public:
  ReplicatedPostgres();

  /// Of a database of its own; names both servers.
  std::string url() const;
  /// kill -9 of the primary; the standby is promoted, and gets a new standby.
  void fail_over();
  testing::Postgres& primary() { return *primary_; }

 private:
  void make_standby(int port);

  std::unique_ptr<testing::Postgres> primary_;
  std::unique_ptr<testing::Postgres> standby_;
  int ports_[2] = {};
};

/// Nodes of updraft serve on one store, each through a proxy of its own to the database if asked.
class Cluster {
 public:
  struct Options {
    std::size_t nodes = 3;
    std::vector<std::string> further = {};  ///< command line options of all
    int proxied_port = 0;                   ///< of the database; 0: no proxies
    int lease_seconds = 1;
    bool same_ports = false;  ///< after each start of a node
  };

  Cluster(const std::string& store, const Options& options);

  std::size_t size() const { return nodes_.size(); }
  Server& node(std::size_t i) { return *nodes_[i]; }
  testing::Proxy& proxy(std::size_t i) { return *proxies_[i]; }

 private:
  testing::TemporaryFolder folder_;
  std::vector<std::unique_ptr<testing::Proxy>> proxies_;
  std::vector<std::unique_ptr<Server>> nodes_;
};

/// HAProxy in front of a cluster with the same ports, as docs/many-nodes.md configures it.
class LoadBalancer {
 public:
  static bool is_installed();

  explicit LoadBalancer(Cluster& cluster);
  ~LoadBalancer();
  LoadBalancer(const LoadBalancer&) = delete;
  LoadBalancer& operator=(const LoadBalancer&) = delete;

  int port() const { return port_; }

 private:
  testing::TemporaryFolder folder_;
  int port_ = 0;
  int process_ = -1;
};

}  // namespace updraft::service_test

#include "nodes/cluster.h"

namespace updraft::service_test {
namespace {

constexpr const char* kDatabase = "updraft";
constexpr const char* kSynchronous = "synchronous_standby_names = 'ANY 1 (*)'";

/// The address with another port.
std::string with_port(const std::string& url, int port) {
  const std::size_t begin = url.rfind(':') + 1;
  return url.substr(0, begin) + std::to_string(port) + url.substr(url.find('/', begin));
}

}  // namespace

ReplicatedPostgres::ReplicatedPostgres() : primary_(std::make_unique<testing::Postgres>()) {
  primary_->sql(std::string("CREATE DATABASE ") + kDatabase);
  ports_[0] = primary_->port();
  make_standby(0);
  ports_[1] = standby_->port();
  primary_->sql("ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (*)'");
  primary_->sql("SELECT pg_reload_conf()");
}

void ReplicatedPostgres::make_standby(int port) {
  standby_.reset();
  standby_ = std::make_unique<testing::Postgres>(testing::Postgres::Options{
      .settings = kSynchronous, .copy_of = primary_.get(), .name = "standby", .port = port});
}

std::string ReplicatedPostgres::url() const {
  return "postgresql://updraft@127.0.0.1:" + std::to_string(ports_[0]) +
         ",127.0.0.1:" + std::to_string(ports_[1]) + "/" + kDatabase;
}

void ReplicatedPostgres::fail_over() {
  const int port = primary_->port();
  primary_->kill();
  standby_->promote();
  primary_ = std::move(standby_);
  make_standby(port);
}

Cluster::Cluster(const std::string& store, const Options& options) {
  const std::string secret = folder_.write("secret", "a-secret-of-all-nodes\n");
  for (std::size_t i = 0; i < options.nodes; ++i) {
    std::string address = store;
    if (options.proxied_port != 0) {
      proxies_.push_back(std::make_unique<testing::Proxy>(options.proxied_port));
      address = with_port(store, proxies_.back()->port());
    }
    std::vector<std::string> words = {"--node", "node-" + std::to_string(i), "--node-lease",
                                      "1",      "--node-secret-file",        secret};
    words.insert(words.end(), options.further.begin(), options.further.end());
    nodes_.push_back(std::make_unique<Server>(Server::Options{.store = address, .further = words}));
  }
}

}  // namespace updraft::service_test

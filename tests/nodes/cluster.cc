#include "nodes/cluster.h"

#include <fcntl.h>
#include <httplib.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>

namespace updraft::service_test {
namespace {

constexpr const char* kSynchronous = "synchronous_standby_names = 'ANY 1 (*)'";

/// The address with another port.
std::string with_port(const std::string& url, int port) {
  const std::size_t begin = url.rfind(':') + 1;
  return url.substr(0, begin) + std::to_string(port) + url.substr(url.find('/', begin));
}

}  // namespace

ReplicatedPostgres::ReplicatedPostgres() : primary_(std::make_unique<testing::Postgres>()) {
  primary_->sql("CREATE DATABASE updraft");
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
         ",127.0.0.1:" + std::to_string(ports_[1]) + "/updraft";
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
    std::vector<std::string> words = {"--node",
                                      "node-" + std::to_string(i),
                                      "--node-lease",
                                      std::to_string(options.lease_seconds),
                                      "--node-secret-file",
                                      secret};
    words.insert(words.end(), options.further.begin(), options.further.end());
    nodes_.push_back(std::make_unique<Server>(
        Server::Options{.store = address,
                        .further = words,
                        .port = options.same_ports ? testing::free_port() : 0}));
  }
}

namespace {

constexpr const char* kHaproxy = "/usr/sbin/haproxy";

}  // namespace

bool LoadBalancer::is_installed() { return ::access(kHaproxy, X_OK) == 0; }

LoadBalancer::LoadBalancer(Cluster& cluster) : port_(testing::free_port()) {
  std::string text =
      "defaults\n mode http\n timeout connect 2s\n timeout client 60s\n timeout server 60s\n"
      " timeout check 10s\n"
      "frontend clients\n bind 127.0.0.1:" +
      std::to_string(port_) +
      "\n default_backend updraft\n"
      "backend updraft\n balance uri depth 3\n hash-type consistent\n option redispatch\n"
      " option httpchk GET /readyz\n";
  for (std::size_t i = 0; i < cluster.size(); ++i) {
    text += " server n" + std::to_string(i) +
            " 127.0.0.1:" + std::to_string(cluster.node(i).port()) +
            " check inter 100ms fall 1 rise 1\n";
  }
  const std::string file = folder_.write("haproxy.cfg", text);
  const std::string log = folder_.path("log");
  process_ = ::fork();
  if (process_ == 0) {
    const int out = ::open(log.c_str(), O_WRONLY | O_CREAT, 0600);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(out, STDERR_FILENO);
    ::execl(kHaproxy, kHaproxy, "-db", "-f", file.c_str(), nullptr);
    ::_exit(127);
  }
  if (!eventually([&] {
        httplib::Client client("127.0.0.1", port_);
        const auto answer = client.Get("/readyz");
        return answer && answer->status == 200;
      })) {
    throw std::runtime_error("HAProxy does not answer");
  }
}

LoadBalancer::~LoadBalancer() {
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

}  // namespace updraft::service_test

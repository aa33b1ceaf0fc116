#include "support/postgres.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pwd.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "store/pq.h"
#include "support/eventually.h"

namespace updraft::testing {
namespace {

constexpr const char* kPrograms = "/usr/lib/postgresql/15/bin/";
constexpr const char* kPgDump = "/usr/lib/postgresql/15/bin/pg_dump";
constexpr const char* kInitdb = "/usr/lib/postgresql/15/bin/initdb";

/// The user that the server runs as; null unless this is root.
const passwd* server_user() {
  if (::geteuid() != 0) return nullptr;
  const passwd* user = ::getpwnam("postgres");
  return user != nullptr ? user : ::getpwnam("nobody");
}

/// Runs a program as that user and returns what it prints. A server that it starts keeps nothing of
/// this process open.
std::string run(const std::vector<std::string>& words, const std::string& log) {
  int out[2];
  if (::pipe2(out, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  // All that needs memory is done before: other threads may hold its lock at the fork.
  const passwd* const user = server_user();
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    if (user != nullptr && (::setgid(user->pw_gid) != 0 || ::setuid(user->pw_uid) != 0)) {
      ::_exit(126);
    }
    if (::chdir("/") != 0) ::_exit(126);
    const int err = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    ::dup2(out[1], STDOUT_FILENO);
    ::dup2(err, STDERR_FILENO);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  ::close(out[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t got = 0; (got = ::read(out[0], buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(got));
  }
  ::close(out[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (status != 0) {
    std::ifstream said(log);
    throw std::runtime_error(words[0] +
                             " failed: " + std::string{std::istreambuf_iterator<char>(said), {}});
  }
  return text;
}

}  // namespace

int free_port() {
  const int file = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ::bind(file, reinterpret_cast<const sockaddr*>(&address), size);
  ::getsockname(file, reinterpret_cast<sockaddr*>(&address), &size);
  ::close(file);
  return ntohs(address.sin_port);
}

std::string no_postgres() {
  if (!PqConnection::is_built_in()) return "updraft was built without PostgreSQL";
  return ::access(kInitdb, X_OK) == 0 ? "" : "PostgreSQL 15 is not installed";
}

Postgres::Postgres(const Options& options) : port_(options.port != 0 ? options.port : free_port()) {
  const std::string data = folder_.path("data");
  const std::string log = folder_.path("programs");
  if (const passwd* user = server_user()) {
    if (::chown(folder_.path().c_str(), user->pw_uid, user->pw_gid) != 0) {
      throw std::runtime_error("cannot give the folder to another user");
    }
  }
  if (options.copy_of != nullptr) {
    run({std::string(kPrograms) + "pg_basebackup", "-R", "-c", "fast", "-D", data, "-d",
         options.copy_of->url() + "?application_name=" + options.name},
        log);
  } else {
    run({std::string(kPrograms) + "initdb", "-D", data, "-U", "updraft", "--auth=trust",
         "--no-sync", "-E", "UTF8", "--locale=C.UTF-8"},
        log);
  }
  std::ofstream(data + "/postgresql.conf", std::ios::app)
      << "listen_addresses = '127.0.0.1'\nport = " << port_ << "\nunix_socket_directories = '"
      << folder_.path().string() << "'\nmax_connections = 200\nshared_buffers = 32MB\n"
      << "autovacuum_naptime = 10\nlog_checkpoints = off\n"
      << options.settings << "\n";
  if (options.tls) make_certificates(log);
  start();
}

void Postgres::make_certificates(const std::string& log) const {
  const auto openssl = [&](const std::string& name, const std::string& subject,
                           const std::vector<std::string>& further) {
    std::vector<std::string> words = {"/usr/bin/openssl",
                                      "req",
                                      "-x509",
                                      "-newkey",
                                      "ec",
                                      "-pkeyopt",
                                      "ec_paramgen_curve:prime256v1",
                                      "-nodes",
                                      "-days",
                                      "1",
                                      "-subj",
                                      subject,
                                      "-keyout",
                                      folder_.path(name + ".key"),
                                      "-out",
                                      folder_.path(name + ".pem")};
    words.insert(words.end(), further.begin(), further.end());
    run(words, log);
  };
  openssl("ca", "/CN=an authority", {});
  openssl("server", "/CN=127.0.0.1",
          {"-addext", "subjectAltName=IP:127.0.0.1", "-CA", folder_.path("ca.pem"), "-CAkey",
           folder_.path("ca.key")});
  std::ofstream(folder_.path("data/postgresql.conf"), std::ios::app)
      << "ssl = on\nssl_cert_file = '" << folder_.path("server.pem") << "'\nssl_key_file = '"
      << folder_.path("server.key") << "'\n";
}

Postgres::~Postgres() {
  try {
    control("stop -m immediate");
  } catch (const std::exception&) {  // it was killed
  }
}

void Postgres::control(const std::string& command) const {
  std::vector<std::string> words = {std::string(kPrograms) + "pg_ctl",
                                    "-D",
                                    folder_.path("data"),
                                    "-w",
                                    "-l",
                                    folder_.path("server"),
                                    "-t",
                                    "60"};
  std::string word;
  for (const char c : command + " ") {
    if (c != ' ') {
      word += c;
    } else {
      words.push_back(std::exchange(word, {}));
    }
  }
  run(words, folder_.path("programs"));
}

void Postgres::start() { control("start"); }

void Postgres::promote() { control("promote"); }

void Postgres::kill() {
  std::ifstream file(folder_.path("data/postmaster.pid"));
  pid_t postmaster = 0;
  if (!(file >> postmaster)) return;
  // Its other processes see that it is gone and end; they hold the memory that a new one needs.
  ::kill(postmaster, SIGKILL);
  eventually([&] { return ::kill(postmaster, 0) != 0; });
}

std::string Postgres::url(const std::string& database) const {
  return "postgresql://updraft@127.0.0.1:" + std::to_string(port_) + "/" + database;
}

std::string Postgres::sql(const std::string& text, const std::string& database) const {
  return run({std::string(kPrograms) + "psql", "-X", "-q", "-At", "-v", "ON_ERROR_STOP=1", "-d",
              url(database), "-c", text},
             folder_.path("programs"));
}

void Postgres::dump(const std::string& from_url, const std::string& to_url,
                    const std::string& schema) const {
  const std::string file = folder_.path("dump.sql");
  run({kPgDump, "--schema=" + schema, "-f", file, "-d", from_url}, folder_.path("programs"));
  run({std::string(kPrograms) + "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", to_url, "-f",
       file},
      folder_.path("programs"));
}

std::string Postgres::new_database() {
  const std::string name =
      "test_" + std::to_string(::getpid()) + "_" + std::to_string(++databases_);
  sql("CREATE DATABASE " + name);
  return url(name);
}

Postgres* Postgres::shared() {
  if (!no_postgres().empty()) return nullptr;
  static Postgres server;
  return &server;
}

}  // namespace updraft::testing

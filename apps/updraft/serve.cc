#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "add_option.h"
#include "command.h"
#include "demo_campaign.h"
#include "interrupt.h"
#include "options.h"
#include "output.h"
#include "service/http_server.h"
#include "service/node_relay.h"
#include "service/webhook.h"
#include "settings.h"
#include "store/postgres_store.h"
#include "updraft/error.h"

namespace updraft::cli {
namespace {

using Type = SettingInfo::Type;

constexpr const char* kHelp =
    "Serves campaigns over HTTP: makes decisions, records them, and loses no payoff.\n"
    "A campaign is a policy that lives in the store. Ask it for a decision, act on it, and send\n"
    "the payoffs when you have them, in any order. What a response confirms is on disk.";

constexpr const char* kFooter =
    "Output: one line on standard output, `listening on http://HOST:PORT`, and one line of JSON\n"
    "per request on standard error. GET /readyz answers 200 once all campaigns are rebuilt from\n"
    "the store. Ctrl-C or SIGTERM stops the service within 5 seconds. Nothing is lost if it is\n"
    "killed. SIGHUP reads the tokens, the certificate and its key again.\n"
    "\n"
    "Without --token-file, the service accepts requests only from this machine. The file lists\n"
    "the accepted tokens, one per line, each with at least 16 characters; clients send\n"
    "`Authorization: Bearer TOKEN`. If others can listen on the network, also give --tls-cert\n"
    "and --tls-key.\n"
    "\n"
    "Every option is also a key of the TOML file of --config, such as `body-limit = 8`, and a\n"
    "variable of the environment, such as UPDRAFT_BODY_LIMIT. The command line wins over the\n"
    "environment, and the environment over the file.\n"
    "\n"
    "Examples:\n"
    "  updraft serve --store campaigns.db\n"
    "  updraft serve --store demo.db --demo --listen 127.0.0.1:0\n"
    "  updraft serve --store campaigns.db --listen 0.0.0.0:8443 --token-file tokens \\\n"
    "                --tls-cert cert.pem --tls-key key.pem\n"
    "  updraft serve --config updraft.toml --show-config\n"
    "\n"
    "docs/service.md describes the requests and responses.";

constexpr std::uint64_t kMostMebibytes = 1024;
/// Read for damage before the first answer; larger ones meanwhile.
constexpr std::uintmax_t kSmallStore = std::uintmax_t{256} << 20;
constexpr const char* kDiskFailed =
    "the disk failed to keep a commit, so this process no longer knows what the store holds; check "
    "the disk and start the service again";
constexpr std::uint64_t kMostSeconds = 1'000'000'000;
constexpr std::uint64_t kMostLease = 3600;  // seconds
constexpr std::uint64_t kMostDays = 100'000;
constexpr std::int64_t kDay = 86'400'000;  // milliseconds
constexpr std::uint64_t kMostMemory = 1 << 24;
constexpr std::uint64_t kMostConnections = 1'000'000;
constexpr std::chrono::seconds kBetweenNotices{5};
constexpr std::size_t kFilesOfItsOwn = 64;
constexpr std::chrono::seconds kTimeToEnd{5};
constexpr std::chrono::seconds kBeyondALease{5};
constexpr std::uint64_t kMostSnapshotEvents = 1'000'000'000;

constexpr SettingInfo kSettings[] = {
    {"store", Type::kText, "FILE", "",
     "The file that keeps the campaigns; created if missing. Or postgresql://...", shown_store},
    {"node", Type::kText, "NAME", "",
     "Store in PostgreSQL: the name of this node, by default HOST:PORT of --listen"},
    {"node-address", Type::kText, "URL", "",
     "Store in PostgreSQL: where other nodes reach this one, by default as it listens"},
    {"node-secret-file", Type::kText, "FILE", "",
     "Store in PostgreSQL: what all nodes know to pass requests on to each other, on one line"},
    {"node-lease", Type::kCount, "SECONDS", "10",
     "Store in PostgreSQL: how long other nodes wait for this one if it is silent"},
    {"listen", Type::kText, "HOST:PORT", "127.0.0.1:8080",
     "Address to listen on; port 0: any free port"},
    {"threads", Type::kCount, "N", "64", "Requests worked on at the same time"},
    {"connections", Type::kCount, "N", "16384",
     "Connections at the same time; beyond, those that wait longest are closed"},
    {"connections-per-address", Type::kCount, "N", "4096",
     "Connections of one address at the same time; others are closed at once"},
    {"token-file", Type::kText, "FILE", "", "The accepted tokens, one per line"},
    {"tls-cert", Type::kText, "FILE", "", "Serve HTTPS with this certificate"},
    {"tls-key", Type::kText, "FILE", "", "The key of the certificate"},
    {"body-limit", Type::kCount, "MIB", "64", "Largest body of a request"},
    {"memory", Type::kCount, "MIB", "8192",
     "Memory of all campaigns together, as estimated from their definitions"},
    {"no-group-commit", Type::kSwitch, "", "false",
     "Commit every write on its own, for comparison"},
    {"snapshot-every", Type::kCount, "N", "10000",
     "Events of a campaign between two snapshots of its state"},
    {"webhook", Type::kText, "URL", "",
     "Post stops, quarantines, new warnings, settled campaigns and broken guardrails here"},
    {"webhook-secret-file", Type::kText, "FILE", "",
     "What such posts are signed with, on one line"},
    {"drop-events-after", Type::kCount, "DAYS", "0",
     "Days after which the events of an archived campaign are dropped; 0: never"},
    {"compact-after", Type::kCount, "DAYS", "0",
     "Days after which the events of complete decisions before a snapshot are dropped; 0: never"},
    {"scrub-every", Type::kCount, "N", "3600",
     "Seconds between two readings of the whole store for damage; 0: never"},
    {"demo", Type::kSwitch, "", "false", "Add a campaign that a simulator plays"},
    {"log-level", Type::kText, "LEVEL", "info", "debug, info, warn, error or off"},
};

std::uint64_t count_of(const Settings& settings, std::string_view name, CountRange range) {
  return parse_count(fmt::format("--{}", name), settings.text(name), range);
}

AccessTokens tokens_of(const Settings& settings) {
  const std::string& file = settings.text("token-file");
  return file.empty() ? AccessTokens() : AccessTokens::load(file);
}

/// Where other nodes reach this one; empty if it is not said.
std::string node_address_of(const Settings& settings) {
  const std::string& address = settings.text("node-address");
  const std::size_t host = address.starts_with("https://") ? 8 : 7;
  if (address.empty() || ((host == 8 || address.starts_with("http://")) && address.size() > host &&
                          address.find_first_of("/?# ", host) == std::string::npos)) {
    return address;
  }
  throw InvalidInput("--node-address", address,
                     "must be http://HOST:PORT or https://HOST:PORT, without a path");
}

std::string host_name() {
  char name[256] = {};
  ::gethostname(name, sizeof name - 1);
  return name;
}

/// Leaves `secret` empty unless a file is given.
void read_node_secret(const Settings& settings, std::string& secret) {
  const std::string& file = settings.text("node-secret-file");
  if (file.empty()) return;
  std::ifstream in(file);
  if (!std::getline(in, secret)) throw InvalidInput("--node-secret-file", file, "cannot be read");
  constexpr std::size_t kShortestSecret = 16;
  const bool visible =
      std::all_of(secret.begin(), secret.end(), [](char c) { return c > ' ' && c < '\x7f'; });
  if (secret.size() < kShortestSecret || !visible) {
    throw InvalidInput(
        "--node-secret-file",
        fmt::format("must have a line of at least {} visible ASCII characters", kShortestSecret));
  }
}

HttpServerOptions server_options(const Settings& settings) {
  HttpServerOptions server;
  server.listen = ListenAddress::parse(settings.text("listen"));
  server.threads = count_of(settings, "threads", {1, kMostThreads});
  server.limits.connections = count_of(settings, "connections", {1, kMostConnections});
  server.limits.connections_per_client =
      count_of(settings, "connections-per-address", {1, kMostConnections});
  server.tokens = tokens_of(settings);
  read_node_secret(settings, server.node_secret);
  server.tls_certificate = settings.text("tls-cert");
  server.tls_key = settings.text("tls-key");
  server.limits.body_bytes = count_of(settings, "body-limit", {1, kMostMebibytes}) << 20;
  return server;
}

ServiceOptions service_options(const Settings& settings) {
  ServiceOptions service;
  service.store = settings.text("store");
  service.node.name = settings.text("node");
  if (service.node.name.empty()) service.node.name = host_name() + "/" + settings.text("listen");
  service.node.address = node_address_of(settings);
  service.node.lease = std::chrono::seconds(count_of(settings, "node-lease", {1, kMostLease}));
  service.group_commits = !settings.is_on("no-group-commit");
  service.most_bytes = count_of(settings, "memory", {1, kMostMemory}) << 20;
  service.snapshot_every = count_of(settings, "snapshot-every", {1, kMostSnapshotEvents});
  const std::uint64_t days = count_of(settings, "drop-events-after", {0, kMostDays});
  if (days > 0) service.keep_events_ms = static_cast<std::int64_t>(days) * kDay;
  const std::uint64_t compact = count_of(settings, "compact-after", {0, kMostDays});
  if (compact > 0) service.compact_after_ms = static_cast<std::int64_t>(compact) * kDay;
  return service;
}

/// Calls `work` every `period` until asked to stop. Logs what it throws, and continues.
template <typename Work>
std::jthread repeat(std::chrono::milliseconds period, ServiceLog& log, Work work) {
  return std::jthread([period, &log, work](const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    while (!stop.stop_requested()) {
      try {
        if constexpr (std::is_invocable_v<Work, const std::stop_token&>) {
          work(stop);
        } else {
          work();
        }
      } catch (const std::exception& error) {
        log.error(error.what());
      }
      wake.wait_for(lock, stop, period, [] { return false; });
    }
  });
}

/// As many files as the system lets this process have open.
std::size_t raise_file_limit() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return kFilesOfItsOwn;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  getrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_cur;
}

/// Connections that leave files for the store.
void fit_connections(ConnectionLimits& limits, ServiceLog& log) {
  const std::size_t files = raise_file_limit();
  const std::size_t room = files > 2 * kFilesOfItsOwn ? files - kFilesOfItsOwn : kFilesOfItsOwn;
  if (limits.connections <= room) return;
  log.info(fmt::format("{} files may be open, so there can be {} connections, not {}", files, room,
                       limits.connections));
  limits.connections = room;
}

/// Ends the process if it does not end in time once it was asked to. Nothing that was acknowledged
/// is lost: the same as after kill -9.
std::jthread end_in_time(const std::stop_token& asked, ServiceLog& log) {
  return std::jthread([asked, &log](const std::stop_token& ended) {
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    const std::stop_callback on_asked(asked, [&] {
      const std::lock_guard both(mutex);
      wake.notify_all();
    });
    if (!wake.wait(lock, ended, [&] { return asked.stop_requested(); })) return;
    wake.wait_for(lock, ended, kTimeToEnd, [] { return false; });
    if (ended.stop_requested()) return;
    log.error("some requests did not end in time and are cut off; they were not acknowledged");
    log.flush();
    _exit(0);
  });
}

/// What a running service takes in again on SIGHUP.
void reload(const Settings& settings, HttpServer& server, ServiceLog& log) {
  try {
    server.reload(tokens_of(settings));
    log.info("tokens, certificate and key were read again");
  } catch (const std::exception& error) {
    log.error(fmt::format("tokens, certificate and key stay as they were: {}", error.what()));
  }
}

/// What wakes the main thread.
struct Signals {
  std::mutex mutex;
  std::condition_variable_any wake;
  bool ended = false;   ///< the server
  bool hangup = false;  ///< SIGHUP came
  bool failed = false;  ///< the disk

  void set(bool Signals::*what) {
    const std::lock_guard lock(mutex);
    this->*what = true;
    wake.notify_all();
  }

  /// Until the process is to stop; calls `on_hangup` after each SIGHUP. Throws if the server ends
  /// or the disk fails.
  template <typename Call>
  void wait(const std::stop_token& stop, Call on_hangup) {
    std::unique_lock lock(mutex);
    while (wake.wait(lock, stop, [&] { return ended || hangup || failed; })) {
      if (failed) throw std::runtime_error(kDiskFailed);
      if (ended) throw std::runtime_error("the service can no longer listen; start it again");
      hangup = false;
      on_hangup();
    }
  }
};

/// With the demo if it was asked for, and if the store has no other campaign of its name.
std::jthread start_demo(const Settings& settings, Service& service, const HttpServer& server,
                        ServiceLog& log) {
  if (!settings.is_on("demo")) return {};
  auto demo = DemoCampaign::start(service);
  if (!demo) {
    write_note("the store already has another campaign named demo; it is left unchanged");
    return {};
  }
  write_output(fmt::format("the campaign demo plays by itself: {}/v1/campaigns/demo/report\n",
                           server.url()));
  return repeat(std::chrono::milliseconds(50), log, [demo] { demo->play(); });
}

/// Nothing unless a URL is given.
std::optional<WebhookOptions> webhook_options(const Settings& settings) {
  const std::string& file = settings.text("webhook-secret-file");
  WebhookOptions webhook;
  webhook.url = settings.text("webhook");
  if (webhook.url.empty() != file.empty()) {
    throw InvalidInput(file.empty() ? "--webhook-secret-file" : "--webhook",
                       "must be given: the address and the secret are needed together");
  }
  if (file.empty()) return std::nullopt;
  std::ifstream in(file);
  if (!std::getline(in, webhook.secret)) {
    throw InvalidInput("--webhook-secret-file", file, "cannot be read");
  }
  Webhook::check(webhook);
  return webhook;
}

/// All that the settings say, checked.
struct Checked {
  explicit Checked(const Settings& settings)
      : service(service_options(settings)),
        scrub_every(count_of(settings, "scrub-every", {0, kMostSeconds})),
        server(server_options(settings)),
        webhook(webhook_options(settings)) {
    HttpServer::check(server);
    ServiceLog::check_level(settings.text("log-level"));
  }

  ServiceOptions service;
  std::chrono::seconds scrub_every;
  HttpServerOptions server;
  std::optional<WebhookOptions> webhook;
};

void serve(const Settings& settings, Checked checked) {
  if (checked.service.store.empty())
    throw InvalidInput("--store", "must be given: the file that keeps the campaigns");
  Signals signals;
  const Interrupt interrupt([&] { signals.set(&Signals::hangup); });
  ServiceLog log(settings.text("log-level"));
  fit_connections(checked.server.limits, log);
  const std::jthread ending = end_in_time(interrupt.token(), log);

  checked.service.log = [&](const std::string& what) { log.error(what); };
  HttpApi api(checked.service.log);
  api.metrics().set_log_dropped([&] { return log.dropped(); });
  std::optional<NodeRelay> relay;
  if (!checked.server.node_secret.empty()) {
    relay.emplace(
        checked.server.node_secret, std::max<std::size_t>(1, checked.server.threads / 2),
        std::chrono::ceil<std::chrono::seconds>(checked.service.node.lease) + kBeyondALease);
    api.set_relay(&*relay);
  }
  HttpServer server(std::move(checked.server), api, log);
  if (checked.service.node.address.empty()) checked.service.node.address = server.url();
  std::optional<Webhook> webhook;
  if (checked.webhook) {
    webhook.emplace(*checked.webhook, checked.service.log);
    api.metrics().set_webhook([&] { return webhook->counts(); });
  }
  write_output(fmt::format("listening on {}\n", server.url()));
  std::optional<Service> service;
  std::exception_ptr failure;
  std::thread serving([&] {
    server.run();
    signals.set(&Signals::ended);
  });
  try {
    service.emplace(checked.service);
    const bool scrubs = checked.scrub_every.count() > 0;
    const bool in_postgres = is_postgres(checked.service.store);
    if (scrubs && !in_postgres &&
        std::filesystem::file_size(checked.service.store) <= kSmallStore) {
      service->scrub();
    }
    api.set_service(&*service);
    log.info("ready");
    const std::jthread sweeping = repeat(std::chrono::milliseconds(100), log, [&] {
      if (!service->trusts_store()) signals.set(&Signals::failed);
      service->sweep();
    });
    const std::jthread tending = repeat(std::chrono::seconds(1), log,
                                        [&](const std::stop_token& stop) { service->tend(stop); });
    std::jthread adopting;
    if (in_postgres) {
      adopting = repeat(std::chrono::seconds(1), log, [&] { service->adopt(); });
    }
    std::jthread scrubbing;
    if (scrubs) scrubbing = repeat(checked.scrub_every, log, [&] { service->scrub(); });
    NoticeFinder notices(*service);
    std::jthread noticing;
    if (webhook) {
      noticing = repeat(kBetweenNotices, log, [&] {
        for (const Notice& notice : notices.look()) webhook->send(notice);
      });
    }
    const std::jthread playing = start_demo(settings, *service, server, log);
    signals.wait(interrupt.token(), [&] { reload(settings, server, log); });
  } catch (...) {
    failure = std::current_exception();
  }
  server.stop();
  serving.join();
  if (service && !service->trusts_store()) {
    // To close the store in order would write to it, and say that it is whole.
    log.error(kDiskFailed);
    log.flush();
    _exit(1);
  }
  if (failure) std::rethrow_exception(failure);
}

void run(Settings& settings, bool show) {
  try {
    settings.resolve(environ);
    Checked checked(settings);
    if (show) return write_output(settings.shown());
    serve(settings, std::move(checked));
  } catch (const InvalidInput& error) {
    throw settings.placed(error);
  }
}

}  // namespace

Command add_serve_command(CLI::App& program) {
  CLI::App* command = add_command(program, "serve", kHelp, kFooter);
  auto settings = std::make_shared<Settings>(kSettings, *command);
  auto show = std::make_shared<bool>(false);
  add_flag(*command, "--show-config", *show, "Print all settings with their places, and end");
  return {command, [settings, show] { run(*settings, *show); }};
}

}  // namespace updraft::cli

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "command.h"
#include "demo_campaign.h"
#include "interrupt.h"
#include "options.h"
#include "output.h"
#include "service/http_server.h"
#include "updraft/error.h"

namespace updraft::cli {
namespace {

constexpr const char* kHelp =
    "Serves campaigns over HTTP: makes decisions, records them, and loses no payoff.\n"
    "A campaign is a policy that lives in the store. Ask it for a decision, act on it, and send\n"
    "the payoffs when you have them, in any order. What a response confirms is on disk.";

constexpr const char* kFooter =
    "Output: one line on standard output, `listening on http://HOST:PORT`, and one line of JSON\n"
    "per request on standard error. GET /healthz answers 200 once all campaigns are rebuilt from\n"
    "the store. Ctrl-C or SIGTERM stops the service. Nothing is lost if it is killed.\n"
    "\n"
    "Without --token-file, the service accepts requests only from this machine. The file lists\n"
    "the accepted tokens, one per line, each with at least 16 characters; clients send\n"
    "`Authorization: Bearer TOKEN`. If others can listen on the network, also give --tls-cert\n"
    "and --tls-key.\n"
    "\n"
    "Examples:\n"
    "  updraft serve --store campaigns.db\n"
    "  updraft serve --store demo.db --demo --listen 127.0.0.1:0\n"
    "  updraft serve --store campaigns.db --listen 0.0.0.0:8443 --token-file tokens \\\n"
    "                --tls-cert cert.pem --tls-key key.pem\n"
    "\n"
    "docs/service.md describes the requests and responses.";

constexpr std::uint64_t kMostMebibytes = 1024;
constexpr std::uint64_t kMostSnapshotEvents = 1'000'000'000;

struct Options {
  std::string store;
  std::string listen = "127.0.0.1:8080";
  std::string threads = "64";
  std::string token_file;
  std::string tls_certificate;
  std::string tls_key;
  std::string body_limit = "64";
  std::string snapshot_every = "10000";
  std::string log_level = "info";
  bool no_group_commit = false;
  bool demo = false;
};

HttpServerOptions server_options(const Options& options) {
  HttpServerOptions server;
  server.listen = ListenAddress::parse(options.listen);
  server.threads = parse_count("--threads", options.threads, {1, kMostThreads});
  if (!options.token_file.empty()) server.tokens = AccessTokens::load(options.token_file);
  server.tls_certificate = options.tls_certificate;
  server.tls_key = options.tls_key;
  server.body_limit = parse_count("--body-limit", options.body_limit, {1, kMostMebibytes}) << 20;
  return server;
}

ServiceOptions service_options(const Options& options) {
  ServiceOptions service;
  service.store = options.store;
  service.group_commits = !options.no_group_commit;
  service.snapshot_every =
      parse_count("--snapshot-every", options.snapshot_every, {1, kMostSnapshotEvents});
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
        work();
      } catch (const std::exception& error) {
        log.error(error.what());
      }
      wake.wait_for(lock, stop, period, [] { return false; });
    }
  });
}

void run(const Options& options) {
  if (options.store.empty())
    throw InvalidInput("--store", "must be given: the file that keeps the campaigns");
  const ServiceOptions with_store = service_options(options);
  HttpServerOptions with_server = server_options(options);
  ServiceLog log(options.log_level);
  const Interrupt interrupt;

  HttpApi api([&](const std::string& what) { log.error(what); });
  HttpServer server(std::move(with_server), api, log);
  write_output(fmt::format("listening on {}\n", server.url()));
  std::optional<Service> service;
  std::exception_ptr failure;
  std::mutex mutex;
  std::condition_variable_any wake;
  bool ended = false;
  std::thread serving([&] {
    server.run();
    const std::lock_guard lock(mutex);
    ended = true;
    wake.notify_all();
  });
  try {
    service.emplace(with_store);
    api.set_service(&*service);
    log.info("ready");
    const std::jthread sweeping =
        repeat(std::chrono::milliseconds(100), log, [&] { service->sweep(); });
    std::jthread playing;
    if (options.demo) {
      if (auto demo = DemoCampaign::start(*service)) {
        write_output(fmt::format("the campaign demo plays by itself: {}/v1/campaigns/demo/report\n",
                                 server.url()));
        playing = repeat(std::chrono::milliseconds(50), log, [demo] { demo->play(); });
      } else {
        write_note("the store already has another campaign named demo; it is left unchanged");
      }
    }
    std::unique_lock lock(mutex);
    if (wake.wait(lock, interrupt.token(), [&] { return ended; })) {
      throw std::runtime_error("the service can no longer listen; start it again");
    }
  } catch (...) {
    failure = std::current_exception();
  }
  server.stop();
  serving.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

Command add_serve_command(CLI::App& program) {
  auto options = std::make_shared<Options>();
  CLI::App* command = program.add_subcommand("serve", kHelp);
  command
      ->add_option("--store", options->store,
                   "The file that keeps the campaigns; created if missing")
      ->type_name("FILE");
  command->add_option("--listen", options->listen, "Address to listen on; port 0: any free port")
      ->type_name("HOST:PORT")
      ->capture_default_str();
  command->add_option("--threads", options->threads, "Connections served at the same time")
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--token-file", options->token_file, "The accepted tokens, one per line")
      ->type_name("FILE");
  command->add_option("--tls-cert", options->tls_certificate, "Serve HTTPS with this certificate")
      ->type_name("FILE");
  command->add_option("--tls-key", options->tls_key, "The key of the certificate")
      ->type_name("FILE");
  command->add_option("--body-limit", options->body_limit, "Largest body of a request")
      ->type_name("MIB")
      ->capture_default_str();
  command->add_flag("--no-group-commit", options->no_group_commit,
                    "Commit every write on its own, for comparison");
  command
      ->add_option("--snapshot-every", options->snapshot_every,
                   "Events of a campaign between two snapshots of its state")
      ->type_name("N")
      ->capture_default_str();
  command->add_flag("--demo", options->demo, "Add a campaign that a simulator plays");
  command->add_option("--log-level", options->log_level, "debug, info, warn, error or off")
      ->type_name("LEVEL")
      ->capture_default_str();
  command->footer(kFooter);
  return {command, [options] { run(*options); }};
}

}  // namespace updraft::cli

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
    "Serves campaigns over HTTP: decides, remembers, and loses no payoff.\n"
    "A campaign is a policy that lives in the store. Ask it for a decision, do that, and bring "
    "the\n"
    "payoffs when they are there, in any order; what an answer says was done is on disk.";

constexpr const char* kFooter =
    "What comes out: one line on standard output, `listening on http://HOST:PORT`, and a line of\n"
    "JSON per request on standard error. GET /healthz answers 200 once all campaigns are rebuilt\n"
    "from the store. Ctrl-C or SIGTERM ends it; nothing is lost by a harder end either.\n"
    "\n"
    "Only this machine can ask, unless --token-file names who may: one token per line, of at "
    "least\n"
    "16 characters, which requests bring as `Authorization: Bearer TOKEN`. With others listening "
    "on\n"
    "the network, give --tls-cert and --tls-key too.\n"
    "\n"
    "Examples:\n"
    "  updraft serve --store campaigns.db\n"
    "  updraft serve --store demo.db --demo --listen 127.0.0.1:0\n"
    "  updraft serve --store campaigns.db --listen 0.0.0.0:8443 --token-file tokens \\\n"
    "                --tls-cert cert.pem --tls-key key.pem\n"
    "\n"
    "docs/service.md has the requests and answers.";

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

/// Calls `work` every `period` until asked to stop; what it throws is logged, and it goes on.
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
  if (options.store.empty()) throw InvalidInput("--store", "must be given: the file to keep it in");
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
        write_note("the store has another campaign of the name demo, which is left alone");
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
  command->add_option("--store", options->store, "The file that keeps the campaigns; made if new")
      ->type_name("FILE");
  command->add_option("--listen", options->listen, "Where to listen; port 0: any that is free")
      ->type_name("HOST:PORT")
      ->capture_default_str();
  command->add_option("--threads", options->threads, "Connections that are served at once")
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--token-file", options->token_file, "Who may ask: one token per line")
      ->type_name("FILE");
  command->add_option("--tls-cert", options->tls_certificate, "Serve HTTPS with this certificate")
      ->type_name("FILE");
  command->add_option("--tls-key", options->tls_key, "The key of the certificate")
      ->type_name("FILE");
  command->add_option("--body-limit", options->body_limit, "Largest request")
      ->type_name("MIB")
      ->capture_default_str();
  command->add_flag("--no-group-commit", options->no_group_commit,
                    "A commit for every write, for comparison");
  command
      ->add_option("--snapshot-every", options->snapshot_every,
                   "Events of a campaign between two snapshots of its state")
      ->type_name("N")
      ->capture_default_str();
  command->add_flag("--demo", options->demo, "With a campaign that a simulator plays");
  command->add_option("--log-level", options->log_level, "debug, info, warn, error or off")
      ->type_name("LEVEL")
      ->capture_default_str();
  command->footer(kFooter);
  return {command, [options] { run(*options); }};
}

}  // namespace updraft::cli

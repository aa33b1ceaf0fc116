// Load on a running `updraft serve`: connections that each send one request after the other.
//   service_load --port N --mode MODE [--connections C] [--seconds S] [--requests N] [--before N]
//                [--seed S] [--from R]
// Modes:
//   decisions     POST of decisions, K = 10, m = 100
//   payoffs       PUT of 100 dense payoffs, for decisions that were made before
//   large-dense   PUT of 100,000 dense payoffs
//   large-sparse  PUT of 100 payoffs of 100,000 by number
//   rounds        decisions, each followed by its payoffs: m = 10, two of them by number
// Runs for S seconds, or until N requests (rounds) are done, and at most for the decisions that
// were made before, of which --before gives the number, of all connections. Ids count from R, so
// that a run with the seed of an earlier one can go on in its campaign. Prints JSON: requests a
// second, p50, p99 and largest latency in milliseconds, errors.

#include <fmt/format.h>
#include <httplib.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  int port = 0;
  std::string mode;
  std::size_t connections = 8;
  double seconds = 5.0;
  std::uint64_t requests = 0;         ///< 0: as many as fit into `seconds`
  std::optional<std::size_t> before;  ///< in place of what the mode has
  std::uint64_t seed = 1;
  std::uint64_t from = 0;  ///< the first round of each connection
};

struct Mode {
  std::size_t actions = 10;
  std::size_t variables = 100;
  bool dense = true;
  bool times_decisions = false;
  bool times_payoffs = true;
  std::size_t decided_before = 0;  ///< decisions that are made before the clock runs
};

const std::map<std::string, Mode>& modes() {
  static const std::map<std::string, Mode> table = {
      {"decisions", {.times_decisions = true, .times_payoffs = false}},
      {"payoffs", {.decided_before = 20'000}},
      {"large-dense", {.variables = 100'000, .decided_before = 1000}},
      {"large-sparse", {.variables = 100'000, .dense = false, .decided_before = 20'000}},
      {"rounds", {.variables = 10, .dense = false, .times_decisions = true}},
  };
  return table;
}

Options read_options(int count, char** words) {
  Options options;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string name = words[i];
    const char* value = words[i + 1];
    if (name == "--port") options.port = std::atoi(value);
    if (name == "--mode") options.mode = value;
    if (name == "--connections") options.connections = std::strtoull(value, nullptr, 10);
    if (name == "--seconds") options.seconds = std::atof(value);
    if (name == "--requests") options.requests = std::strtoull(value, nullptr, 10);
    if (name == "--before") options.before = std::strtoull(value, nullptr, 10);
    if (name == "--seed") options.seed = std::strtoull(value, nullptr, 10);
    if (name == "--from") options.from = std::strtoull(value, nullptr, 10);
  }
  if (options.port == 0 || options.connections == 0 || modes().count(options.mode) == 0) {
    throw std::runtime_error("usage: service_load --port N --mode MODE; see the head of its file");
  }
  return options;
}

/// A campaign of `mode`, where every action affects its share of the variables.
std::string definition(const std::string& name, const Mode& mode) {
  std::string affected;
  const std::size_t share = mode.variables / mode.actions;
  for (std::size_t a = 0; a < mode.actions; ++a) {
    affected += a == 0 ? "[" : ",[";
    for (std::size_t i = a * share; i < (a + 1) * share; ++i) {
      affected += fmt::format("{}{}", i == a * share ? "" : ",", i);
    }
    affected += "]";
  }
  return fmt::format(
      R"json({{"name":"{}","policy":"up_ucb(alpha=1)","actions":{},"variables":{},)json"
      R"json("knowledge":{{"affected":[{}]}}}})json",
      name, mode.actions, mode.variables, affected);
}

/// Bodies that the connections send in turn; making them is not part of the time.
std::vector<std::string> payoff_bodies(const Mode& mode, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  const auto value = [&] { return static_cast<double>(generator() % 1000) / 100.0; };
  const std::size_t paying = std::min<std::size_t>(100, mode.variables / 5);
  std::vector<std::string> bodies;
  for (int body = 0; body < 8; ++body) {
    std::string values;
    std::string indices;
    const std::size_t count = mode.dense ? mode.variables : paying;
    const std::size_t stride = mode.variables / count;
    for (std::size_t j = 0; j < count; ++j) {
      values += fmt::format("{}{}", j == 0 ? "" : ",", value());
      if (!mode.dense) {
        indices += fmt::format("{}{}", j == 0 ? "" : ",", j * stride + generator() % stride);
      }
    }
    bodies.push_back(mode.dense
                         ? fmt::format("{{\"payoffs\":[{}]}}", values)
                         : fmt::format("{{\"indices\":[{}],\"values\":[{}]}}", indices, values));
  }
  return bodies;
}

/// What one connection measured.
struct Measured {
  std::vector<double> milliseconds;
  std::uint64_t errors = 0;
  std::string first_error;
};

class Connection {
 public:
  Connection(int port, std::string campaign, std::size_t number)
      : client_("127.0.0.1", port),
        decisions_("/v1/campaigns/" + campaign + "/decisions"),
        number_(number) {
    client_.set_keep_alive(true);
    client_.set_tcp_nodelay(true);
    client_.set_read_timeout(60);
  }

  std::string id(std::uint64_t round) const { return fmt::format("c{}-{}", number_, round); }

  void decide(std::uint64_t round, Measured* measured) {
    const std::string body = fmt::format("{{\"decision\":\"{}\"}}", id(round));
    timed(measured, [&] { return client_.Post(decisions_, body, "application/json"); });
  }

  void pay(std::uint64_t round, const std::string& body, Measured* measured) {
    const std::string path = decisions_ + "/" + id(round) + "/payoffs";
    timed(measured, [&] { return client_.Put(path, body, "application/json"); });
  }

 private:
  void timed(Measured* measured, const std::function<httplib::Result()>& send) {
    const auto begin = Clock::now();
    const httplib::Result result = send();
    const std::chrono::duration<double, std::milli> took = Clock::now() - begin;
    const bool good = result && result->status >= 200 && result->status < 300;
    if (measured == nullptr) {
      if (!good) throw std::runtime_error("before the clock ran: " + words(result));
      return;
    }
    measured->milliseconds.push_back(took.count());
    if (good) return;
    if (measured->errors++ == 0) measured->first_error = words(result);
  }

  static std::string words(const httplib::Result& result) {
    return result ? fmt::format("status {}: {}", result->status, result->body.substr(0, 200))
                  : httplib::to_string(result.error());
  }

  httplib::Client client_;
  std::string decisions_;
  std::size_t number_;
};

/// The answer in `sorted` that a share `p` of all is below.
double quantile(const std::vector<double>& sorted, double p) {
  if (sorted.empty()) return 0.0;
  const auto at = static_cast<std::size_t>(p * static_cast<double>(sorted.size()));
  return sorted[std::min(at, sorted.size() - 1)];
}

void in_threads(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < count; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
}

void run(const Options& options) {
  const Mode& mode = modes().at(options.mode);
  const std::string campaign = fmt::format("load-{}-{}", options.mode, options.seed);
  httplib::Client maker("127.0.0.1", options.port);
  maker.set_read_timeout(60);
  const httplib::Result made =
      maker.Post("/v1/campaigns", definition(campaign, mode), "application/json");
  if (!made || made->status >= 300) {
    throw std::runtime_error(made ? "cannot make the campaign: " + made->body : "no server");
  }
  const std::vector<std::string> bodies = payoff_bodies(mode, options.seed);
  std::vector<std::unique_ptr<Connection>> connections;
  for (std::size_t i = 0; i < options.connections; ++i) {
    connections.push_back(std::make_unique<Connection>(options.port, campaign, i));
  }
  std::vector<Measured> measured(options.connections);
  std::size_t decided = 0;  // of each connection
  if (mode.decided_before > 0) {
    decided = options.before.value_or(mode.decided_before) / options.connections + 1;
  }
  std::atomic<bool> unprepared = false;
  in_threads(options.connections, [&](std::size_t i) {
    try {
      for (std::size_t round = 0; round < decided; ++round) {
        connections[i]->decide(options.from + round, nullptr);
      }
    } catch (const std::exception& error) {
      measured[i].first_error = error.what();
      unprepared = true;
    }
  });
  for (const Measured& one : measured) {
    if (unprepared && !one.first_error.empty()) throw std::runtime_error(one.first_error);
  }

  const auto begin = Clock::now();
  const auto end = begin + std::chrono::duration<double>(options.seconds);
  std::atomic<std::uint64_t> taken = 0;
  in_threads(options.connections, [&](std::size_t i) {
    for (std::uint64_t round = 0;; ++round) {
      if (options.requests > 0 ? taken++ >= options.requests : Clock::now() >= end) break;
      if (decided > 0 && round == decided) break;
      const std::uint64_t id = options.from + round;
      if (mode.times_decisions) connections[i]->decide(id, &measured[i]);
      if (mode.times_payoffs) connections[i]->pay(id, bodies[round % bodies.size()], &measured[i]);
    }
  });
  const std::chrono::duration<double> took = Clock::now() - begin;

  std::vector<double> all;
  std::uint64_t errors = 0;
  std::string first_error;
  for (const Measured& one : measured) {
    all.insert(all.end(), one.milliseconds.begin(), one.milliseconds.end());
    errors += one.errors;
    if (first_error.empty()) first_error = one.first_error;
  }
  std::sort(all.begin(), all.end());
  if (errors > 0) std::cerr << "service_load: " << first_error << '\n';
  std::cout << fmt::format(
      R"({{"mode":"{}","connections":{},"requests":{},"seconds":{:.4f},"per_second":{:.2f},)"
      R"("p50_ms":{:.4f},"p99_ms":{:.4f},"max_ms":{:.4f},"errors":{}}})"
      "\n",
      options.mode, options.connections, all.size(), took.count(),
      static_cast<double>(all.size()) / took.count(), quantile(all, 0.5), quantile(all, 0.99),
      all.empty() ? 0.0 : all.back(), errors);
}

}  // namespace

int main(int count, char** words) {
  std::signal(SIGPIPE, SIG_IGN);
  try {
    run(read_options(count, words));
  } catch (const std::exception& error) {
    std::cerr << "service_load: " << error.what() << '\n';
    return 1;
  }
  return 0;
}

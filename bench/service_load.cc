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

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <httplib.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
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

std::string words_of_errno(const char* what) {
  return fmt::format("{}: {}", what, std::strerror(errno));
}

/// A connection that sends one request after the other, without ever waiting: it takes as little of
/// the machine from the service as it can.
class Wire {
 public:
  /// Of request number 0, 1, 2, ...; nothing once there are no more.
  using Next = std::function<std::optional<std::string>(std::uint64_t number)>;

  explicit Wire(int port) : file_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int on = 1;
    ::setsockopt(file_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (::connect(file_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
        ::fcntl(file_, F_SETFL, O_NONBLOCK) != 0) {
      throw std::runtime_error(words_of_errno("no connection"));
    }
  }
  ~Wire() { ::close(file_); }
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  int file() const { return file_; }
  bool sends() const { return sent_ < out_.size(); }
  bool over() const { return over_; }

  void begin(Next next, Measured* measured) {
    next_ = std::move(next);
    measured_ = measured;
    number_ = 0;
    over_ = false;
    send_next();
  }

  /// As far as it goes now.
  void go_on() {
    if (sends()) send_some();
    while (!over_ && receive_some()) {
    }
  }

 private:
  void send_next() {
    std::optional<std::string> request = next_(number_++);
    over_ = !request;
    if (over_) return;
    out_ = std::move(*request);
    sent_ = 0;
    in_.clear();
    begin_ = Clock::now();
    send_some();
  }

  void send_some() {
    while (sends()) {
      const ssize_t count = ::send(file_, out_.data() + sent_, out_.size() - sent_, MSG_NOSIGNAL);
      if (count < 0 && errno == EAGAIN) return;
      if (count < 0) return fail(words_of_errno("cannot send"));
      sent_ += static_cast<std::size_t>(count);
    }
  }

  /// False if there is nothing now.
  bool receive_some() {
    char piece[4096];
    const ssize_t count = ::recv(file_, piece, sizeof piece, 0);
    if (count < 0 && errno == EAGAIN) return false;
    if (count <= 0) {
      fail(count == 0 ? "the connection was closed" : words_of_errno("cannot receive"));
      return false;
    }
    in_.append(piece, static_cast<std::size_t>(count));
    const std::size_t head = in_.find("\r\n\r\n");
    if (head == in_.npos) return true;
    constexpr std::string_view kLength = "Content-Length: ";
    const std::size_t length = in_.find(kLength);
    if (length > head) {
      fail("an answer without a length");
      return false;
    }
    const std::size_t body = std::strtoull(in_.data() + length + kLength.size(), nullptr, 10);
    if (in_.size() < head + 4 + body) return true;
    answered(head);
    return false;
  }

  void answered(std::size_t head) {
    const std::chrono::duration<double, std::milli> took = Clock::now() - begin_;
    if (measured_ != nullptr) measured_->milliseconds.push_back(took.count());
    if (!in_.starts_with("HTTP/1.1 2")) {
      const std::string text =
          fmt::format("status {}: {}", in_.substr(9, 3), in_.substr(head + 4, 200));
      if (measured_ == nullptr) throw std::runtime_error("before the clock ran: " + text);
      if (measured_->errors++ == 0) measured_->first_error = text;
    }
    send_next();
  }

  void fail(const std::string& why) {
    if (measured_ == nullptr) throw std::runtime_error("before the clock ran: " + why);
    if (measured_->errors++ == 0) measured_->first_error = why;
    out_.clear();
    sent_ = 0;
    over_ = true;
  }

  int file_;
  Next next_;
  Measured* measured_ = nullptr;
  std::uint64_t number_ = 0;
  bool over_ = true;
  std::string out_;
  std::size_t sent_ = 0;
  std::string in_;
  Clock::time_point begin_;
};

/// Until all are over, in this thread.
void drive(const std::vector<Wire*>& wires) {
  std::vector<pollfd> files;
  for (;;) {
    files.clear();
    for (const Wire* wire : wires) {
      if (wire->over()) continue;
      const short events = static_cast<short>(POLLIN | (wire->sends() ? POLLOUT : 0));
      files.push_back({.fd = wire->file(), .events = events, .revents = 0});
    }
    if (files.empty()) return;
    if (::poll(files.data(), files.size(), 60'000) == 0) {
      throw std::runtime_error("no answer within a minute");
    }
    std::size_t at = 0;
    for (Wire* wire : wires) {
      if (wire->over()) continue;
      if (files[at++].revents != 0) wire->go_on();
    }
  }
}

/// The requests of one connection.
class Requests {
 public:
  Requests(const std::string& campaign, std::size_t number)
      : decisions_("/v1/campaigns/" + campaign + "/decisions"), number_(number) {}

  std::string decide(std::uint64_t round) const {
    return request("POST", decisions_, fmt::format("{{\"decision\":\"{}\"}}", id(round)));
  }
  std::string pay(std::uint64_t round, const std::string& body) const {
    return request("PUT", decisions_ + "/" + id(round) + "/payoffs", body);
  }

 private:
  std::string id(std::uint64_t round) const { return fmt::format("c{}-{}", number_, round); }

  static std::string request(std::string_view method, std::string_view path,
                             const std::string& body) {
    return fmt::format(
        "{} {} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        "Content-Length: {}\r\n\r\n{}",
        method, path, body.size(), body);
  }

  std::string decisions_;
  std::size_t number_;
};

/// The answer in `sorted` that a share `p` of all is below.
double quantile(const std::vector<double>& sorted, double p) {
  if (sorted.empty()) return 0.0;
  const auto at = static_cast<std::size_t>(p * static_cast<double>(sorted.size()));
  return sorted[std::min(at, sorted.size() - 1)];
}

/// Drives `wires` in a few threads, as pgbench does; throws what the first of them threw.
void in_threads(const std::vector<std::unique_ptr<Wire>>& wires) {
  const std::size_t count = std::min<std::size_t>(wires.size(), 4);
  std::vector<std::exception_ptr> thrown(count);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < count; ++t) {
    threads.emplace_back([&, t] {
      try {
        std::vector<Wire*> mine;
        for (std::size_t i = t; i < wires.size(); i += count) mine.push_back(wires[i].get());
        drive(mine);
      } catch (...) {
        thrown[t] = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& one : thrown) {
    if (one) std::rethrow_exception(one);
  }
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
  std::vector<std::unique_ptr<Wire>> wires;
  std::vector<Requests> requests;
  for (std::size_t i = 0; i < options.connections; ++i) {
    wires.push_back(std::make_unique<Wire>(options.port));
    requests.emplace_back(campaign, i);
  }
  std::size_t decided = 0;  // of each connection
  if (mode.decided_before > 0) {
    decided = options.before.value_or(mode.decided_before) / options.connections + 1;
  }
  const auto before = [&](std::size_t i) {
    return [&, i](std::uint64_t number) {
      return number < decided ? std::optional(requests[i].decide(options.from + number))
                              : std::nullopt;
    };
  };
  for (std::size_t i = 0; i < wires.size(); ++i) wires[i]->begin(before(i), nullptr);
  in_threads(wires);

  std::vector<Measured> measured(options.connections);
  const auto begin = Clock::now();
  const auto end = begin + std::chrono::duration<double>(options.seconds);
  std::atomic<std::uint64_t> taken = 0;
  const bool both = mode.times_decisions && mode.times_payoffs;
  const auto timed = [&](std::size_t i) {
    return [&, i](std::uint64_t number) -> std::optional<std::string> {
      const std::uint64_t round = both ? number / 2 : number;
      const bool decides = mode.times_decisions && (!both || number % 2 == 0);
      if (decides || !both) {  // a round is begun
        if (options.requests > 0 ? taken++ >= options.requests : Clock::now() >= end) {
          return std::nullopt;
        }
        if (decided > 0 && round == decided) return std::nullopt;
      }
      const std::uint64_t id = options.from + round;
      return decides ? requests[i].decide(id) : requests[i].pay(id, bodies[round % bodies.size()]);
    };
  };
  for (std::size_t i = 0; i < wires.size(); ++i) wires[i]->begin(timed(i), &measured[i]);
  in_threads(wires);
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

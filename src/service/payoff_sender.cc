#include "service/payoff_sender.h"

#include <fmt/format.h>
#include <httplib.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <thread>

#include "service/node_relay.h"

namespace updraft {
namespace {

using nlohmann::json;

constexpr std::size_t kAtOnce = 8;
constexpr std::size_t kRefusedListed = 10;
constexpr std::chrono::seconds kPatience{60};
constexpr std::chrono::milliseconds kBeforeAgain{100};

std::optional<std::uint64_t> number_in(const std::string& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// The answer, once there is one that is not a reason to try again.
httplib::Response put_until_answered(httplib::Client& client, const std::string& path,
                                     const httplib::Headers& headers, const std::string& body) {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  std::string last;
  while (std::chrono::steady_clock::now() < until) {
    const httplib::Result result = client.Put(path, headers, body, "application/json");
    const int status = result ? result->status : 0;
    if (status != 0 && status != 429 && (status < 500 || status == 500)) return *result;
    last = result ? result->body : httplib::to_string(result.error());
    std::this_thread::sleep_for(kBeforeAgain);
  }
  throw std::runtime_error(fmt::format("no answer for a minute: {}", last));
}

/// The message in an answer that is an error.
std::string message_in(const httplib::Response& response) {
  const json body = json::parse(response.body, nullptr, false);
  if (!body.is_object() || !body.contains("error")) return response.body;
  return body["error"].value("message", response.body);
}

}  // namespace

std::string PayoffSender::body_of(const DecisionPayoffs& one) const {
  json body = {{"part", options_.part}, {"complete", options_.complete}};
  std::vector<std::pair<std::uint64_t, double>> numbered;
  for (const auto& [variable, payoff] : one.payoffs) {
    if (const auto number = number_in(variable)) numbered.emplace_back(*number, payoff);
  }
  if (numbered.size() == one.payoffs.size()) {
    std::sort(numbered.begin(), numbered.end());
    body["indices"] = json::array();
    body["values"] = json::array();
    for (const auto& [number, payoff] : numbered) {
      body["indices"].push_back(number);
      body["values"].push_back(payoff);
    }
  } else {
    for (const auto& [variable, payoff] : one.payoffs) body["payoffs"][variable] = payoff;
  }
  return body.dump();
}

void PayoffSender::send(const std::vector<DecisionPayoffs>& some) {
  httplib::Headers headers;
  if (!options_.token.empty()) headers.emplace("Authorization", "Bearer " + options_.token);
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::string failed;
  const auto work = [&] {
    httplib::Client client(options_.service);
    client.set_keep_alive(true);
    client.set_read_timeout(kPatience);
    for (std::size_t i = next++; i < some.size(); i = next++) {
      const std::string path = target_of(
          fmt::format("/v1/campaigns/{}/decisions/{}/payoffs", options_.campaign, some[i].decision),
          {});
      const httplib::Response answer = put_until_answered(client, path, headers, body_of(some[i]));
      const std::lock_guard lock(mutex);
      if (answer.status == 200) {
        ++paid_;
      } else if (answer.status == 404 || answer.status == 409) {
        ++refused_;
        if (first_refused_.size() < kRefusedListed) {
          first_refused_.push_back({some[i].decision, message_in(answer)});
        }
      } else {
        throw std::runtime_error(fmt::format("decision {}: status {}: {}", some[i].decision,
                                             answer.status, message_in(answer)));
      }
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < std::min(kAtOnce, some.size()); ++i) {
    threads.emplace_back([&] {
      try {
        work();
      } catch (const std::exception& error) {
        next = some.size();
        const std::lock_guard lock(mutex);
        failed = error.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (!failed.empty()) throw std::runtime_error(failed);
}

}  // namespace updraft

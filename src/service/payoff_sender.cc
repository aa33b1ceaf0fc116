#include "service/payoff_sender.h"

#include <fmt/format.h>
#include <httplib.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <functional>
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
httplib::Response answered(const std::function<httplib::Result()>& ask) {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  std::string last;
  while (std::chrono::steady_clock::now() < until) {
    const httplib::Result result = ask();
    const int status = result ? result->status : 0;
    if (status != 0 && status != 429 && (status < 500 || status == 500)) return *result;
    last = result ? result->body : httplib::to_string(result.error());
    std::this_thread::sleep_for(kBeforeAgain);
  }
  throw std::runtime_error(fmt::format("no answer for a minute: {}", last));
}

httplib::Headers headers_of(const PayoffSender::Options& options) {
  httplib::Headers headers;
  if (!options.token.empty()) headers.emplace("Authorization", "Bearer " + options.token);
  return headers;
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
    const auto number = has_names_ ? std::nullopt : number_in(variable);
    if (number) numbered.emplace_back(*number, payoff);
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

/// Names may be made of digits, and are not numbers then.
void PayoffSender::ask_for_names() {
  const httplib::Headers headers = headers_of(options_);
  httplib::Client client(options_.service);
  client.set_read_timeout(kPatience);
  const httplib::Response answer = answered([&] {
    return client.Get(target_of(fmt::format("/v1/campaigns/{}", options_.campaign), {}), headers);
  });
  if (answer.status == 403) {
    throw std::runtime_error(
        "the token needs the role read: variables that are numbers may be names in this campaign");
  }
  if (answer.status != 200) {
    throw std::runtime_error(fmt::format("campaign {}: status {}: {}", options_.campaign,
                                         answer.status, message_in(answer)));
  }
  const json campaign = json::parse(answer.body, nullptr, false);
  has_names_ = campaign.is_object() && campaign.contains("definition") &&
               campaign["definition"].contains("variables") &&
               campaign["definition"]["variables"].is_array();
  asked_ = true;
}

void PayoffSender::send(const std::vector<DecisionPayoffs>& some) {
  const httplib::Headers headers = headers_of(options_);
  const auto is_number = [](const auto& payoff) { return number_in(payoff.first).has_value(); };
  if (!asked_ && std::any_of(some.begin(), some.end(), [&](const DecisionPayoffs& one) {
        return std::any_of(one.payoffs.begin(), one.payoffs.end(), is_number);
      })) {
    ask_for_names();
  }
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
      const std::string body = body_of(some[i]);
      const httplib::Response answer =
          answered([&] { return client.Put(path, headers, body, "application/json"); });
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

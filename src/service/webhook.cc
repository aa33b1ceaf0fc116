#include "service/webhook.h"

#include <fmt/format.h>
#include <httplib.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "updraft/error.h"

namespace updraft {
namespace {

constexpr std::size_t kShortestSecret = 16;
constexpr int kSeconds = 10;  // to connect, to write and to read

std::int64_t system_ms() {
  using std::chrono::system_clock;
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             system_clock::now().time_since_epoch())
      .count();
}

struct Address {
  std::string host;  ///< with the scheme and the port
  std::string path;
};

Address address_in(const std::string& url) {
  const std::size_t begin = url.starts_with("https://")  ? 8
                            : url.starts_with("http://") ? 7
                                                         : url.npos;
  const std::size_t slash =
      begin == url.npos ? url.npos : std::min(url.find('/', begin), url.size());
  const bool visible =
      std::all_of(url.begin(), url.end(), [](char c) { return c > ' ' && c < '\x7f'; });
  if (begin == url.npos || slash == begin || !visible || url.find('@') != url.npos) {
    throw InvalidInput("--webhook", url, "must be http://HOST/PATH or https://HOST/PATH");
  }
  return {url.substr(0, slash), slash == url.size() ? "/" : url.substr(slash)};
}

}  // namespace

std::string webhook_signature(std::string_view secret, std::string_view time,
                              std::string_view body) {
  const std::string text = fmt::format("{}.{}", time, body);
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest, &size);
  std::string out;
  for (unsigned int i = 0; i < size; ++i) out += fmt::format("{:02x}", digest[i]);
  return out;
}

void Webhook::check(const WebhookOptions& options) {
  address_in(options.url);
  if (options.secret.size() < kShortestSecret) {
    throw InvalidInput("--webhook-secret-file",
                       fmt::format("must have a line of at least {} characters", kShortestSecret));
  }
}

Webhook::Webhook(WebhookOptions options, Log log)
    : options_((check(options), std::move(options))),
      log_(std::move(log)),
      started_(system_ms()),
      thread_([this] { run(); }) {}

Webhook::~Webhook() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    if (active_ != nullptr) active_->stop();
  }
  changed_.notify_all();
  thread_.join();
}

void Webhook::send(const Notice& notice) {
  {
    const std::lock_guard lock(mutex_);
    const nlohmann::json body = {{"id", fmt::format("{}-{}", started_, ++last_id_)},
                                 {"kind", notice.kind},
                                 {"campaign", notice.campaign},
                                 {"message", notice.message},
                                 {"time_ms", notice.time_ms}};
    if (waiting_.size() == options_.most_waiting) {
      waiting_.pop_front();
      ++dropped_;
    }
    waiting_.push_back(body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  }
  changed_.notify_all();
}

void Webhook::run() {
  while (true) {
    std::string body;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return ending_ || !waiting_.empty(); });
      if (ending_) return;
      body = std::move(waiting_.front());
      waiting_.pop_front();
    }
    if (!deliver(body)) return;
  }
}

bool Webhook::deliver(const std::string& body) {
  std::chrono::milliseconds rest = options_.first_pause;
  std::string problem;
  for (int i = 0; i < options_.tries; ++i) {
    if (post(body, problem)) {
      ++sent_;
      return true;
    }
    ++failed_;
    if (i + 1 == options_.tries) break;
    if (!pause(rest)) return false;
    rest = std::min(2 * rest, options_.longest_pause);
  }
  ++dropped_;
  log_(fmt::format("a notice was given up after {} tries: {}", options_.tries, problem));
  return true;
}

bool Webhook::pause(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  return !changed_.wait_for(lock, time, [&] { return ending_; });
}

bool Webhook::post(const std::string& body, std::string& problem) {
  const Address address = address_in(options_.url);
  httplib::Client client(address.host);
  client.set_connection_timeout(kSeconds);
  client.set_read_timeout(kSeconds);
  client.set_write_timeout(kSeconds);
  const std::string time = std::to_string(system_ms() / 1000);
  const httplib::Headers headers = {
      {"X-Updraft-Time", time},
      {"X-Updraft-Signature", "sha256=" + webhook_signature(options_.secret, time, body)}};
  const auto set_active = [&](httplib::Client* active) {
    const std::lock_guard lock(mutex_);
    active_ = active;
    return !ending_;
  };
  if (!set_active(&client)) return false;
  const httplib::Result result = client.Post(address.path, headers, body, "application/json");
  set_active(nullptr);
  if (!result) {
    problem = httplib::to_string(result.error());
    return false;
  }
  problem = fmt::format("status {}", result->status);
  return result->status >= 200 && result->status < 300;
}

}  // namespace updraft

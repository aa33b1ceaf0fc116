#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "service/notice.h"
#include "service/webhook_counts.h"

namespace httplib {
class Client;
}

namespace updraft {

struct WebhookOptions {
  std::string url;     ///< http://HOST[:PORT]/PATH or https://...
  std::string secret;  ///< of the signature
  std::chrono::milliseconds first_pause{
      1000};  ///< after a failure; the next ones are twice as long
  std::chrono::milliseconds longest_pause{300'000};
  int tries = 12;  ///< then a notice is given up
  std::size_t most_waiting = 1000;
};

/// Posts notices to a URL, one after the other, in a thread of its own: nobody waits for it. A
/// notice is repeated, with the same id, until the answer is 2xx. docs/operations.md, 'Webhooks'.
class Webhook {
 public:
  using Log = std::function<void(const std::string&)>;

  /// Throws InvalidInput if the URL is none, or the secret is shorter than 16 characters.
  Webhook(WebhookOptions options, Log log);
  /// Ends at once; what waits is lost.
  ~Webhook();
  Webhook(const Webhook&) = delete;
  Webhook& operator=(const Webhook&) = delete;

  /// Throws what the constructor would.
  static void check(const WebhookOptions& options);

  /// Never waits. If too many wait already, the oldest is dropped.
  void send(const Notice& notice);

  WebhookCounts counts() const { return {sent_, failed_, dropped_}; }

 private:
  void run();
  /// Whether the answer was 2xx; otherwise `problem` says what came instead.
  bool post(const std::string& body, std::string& problem);
  /// False if it is to end.
  bool pause(std::chrono::milliseconds time);
  bool deliver(const std::string& body);

  const WebhookOptions options_;
  const Log log_;
  std::atomic<std::uint64_t> sent_ = 0;
  std::atomic<std::uint64_t> failed_ = 0;
  std::atomic<std::uint64_t> dropped_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> waiting_;  // bodies
  bool ending_ = false;
  httplib::Client* active_ = nullptr;  // the one that waits for an answer
  std::uint64_t last_id_ = 0;
  const std::int64_t started_;
  std::thread thread_;
};

/// HMAC-SHA256 of `time.body`, in hexadecimal digits.
std::string webhook_signature(std::string_view secret, std::string_view time,
                              std::string_view body);

}  // namespace updraft

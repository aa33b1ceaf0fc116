#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "api.h"
#include "campaign_case.h"

namespace updraft::service_test {

/// A request, and what it was answered once it was.
struct Exchange {
  Json body;
  std::optional<Json> answer;
};

/// A decision and the payoffs that are meant for it.
struct Round {
  std::string id;
  Exchange decision;
  std::vector<Exchange> parts;  ///< all that will ever be sent
  bool ends = false;            ///< whether the last part completes it

  bool complete() const { return ends && !parts.empty() && parts.back().answer.has_value(); }
};

/// Requests at random: the same seed makes the same. std::mt19937_64 is the same everywhere; the
/// library's distributions are not.
class RequestMaker {
 public:
  RequestMaker(const CampaignCase& campaign, std::uint64_t seed)
      : campaign_(campaign), generator_(seed) {}

  std::size_t below(std::size_t bound) { return generator_() % bound; }
  bool one_in(std::size_t times) { return below(times) == 0; }

  Json decision(const std::string& id);

  /// The payoffs of `round`, which was answered: dense, by number, by name, or in two parts, of
  /// which the second may never come; or none at all.
  void add_payoffs(Round& round);

 private:
  double payoff();
  /// The baseline and the affected sets of a context.
  void add_knowledge(Json& body);
  double coarse_payoff();
  /// Some variables, increasing.
  std::vector<std::size_t> some_variables();
  Json by_number(const std::vector<std::size_t>& ids, bool coarse);

  const CampaignCase& campaign_;
  std::mt19937_64 generator_;
};

/// Where the server is now; 0 while it is down.
struct Whereabouts {
  std::atomic<int> port = 0;
  std::atomic<bool> over = false;           ///< no new decisions
  std::atomic<std::uint64_t> answered = 0;  ///< requests of all visitors
  std::atomic<std::uint64_t> in_doubt = 0;  ///< requests that were sent and not answered
  std::atomic<std::uint64_t> refused = 0;   ///< times that the server could not write
};

/// One client of a service that may vanish at any time: sends what was not answered again, with the
/// same id and body, until it is. For a thread of its own.
class Visitor {
 public:
  Visitor(const CampaignCase& campaign, Whereabouts& server, std::size_t number);

  /// Decisions and payoffs until it is over, then the payoffs that are still due.
  void play();

  /// Asks for everything once more. Throws where an answer is another than before, or a decision
  /// does not have its status.
  void ask_again();

  const std::vector<Round>& rounds() const { return rounds_; }

 private:
  /// Throws std::runtime_error where the request is refused, or is not answered for a minute.
  Json ask(const std::string& method, const std::string& path, const std::string& body);
  void exchange(const std::string& method, const std::string& path, Exchange& with);
  void expect_same(const std::string& method, const std::string& path, const Exchange& with);
  void pay(Round& round);

  const CampaignCase& campaign_;
  Whereabouts& server_;
  std::size_t number_;
  RequestMaker maker_;
  int port_ = 0;
  std::unique_ptr<Api> api_;
  std::vector<Round> rounds_;
  std::vector<std::size_t> late_;  ///< rounds whose payoffs are still to be sent
};

}  // namespace updraft::service_test

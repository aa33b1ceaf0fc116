#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace updraft {

/// Payoffs of one decision, to be sent as one part.
struct DecisionPayoffs {
  std::string decision;
  std::vector<std::pair<std::string, double>> payoffs;  ///< variables by name, or by number
};

/// Sends payoffs to a service. What is sent again is not counted again: a part has an id.
class PayoffSender {
 public:
  struct Options {
    std::string service;     ///< http[s]://HOST:PORT
    std::string token = {};  ///< empty: none
    std::string campaign;
    std::string part = "rows";  ///< the id of the parts
    bool complete = true;       ///< whether they complete their decisions
  };

  explicit PayoffSender(Options options) : options_(std::move(options)) {}

  /// Sends all of them, several at a time, again and again until they are answered. Throws
  /// std::runtime_error if there is no answer for a minute, or a request is invalid.
  void send(const std::vector<DecisionPayoffs>& some);

  struct Refused {
    std::string decision;
    std::string why;
  };
  std::uint64_t paid() const { return paid_; }
  std::uint64_t refused() const { return refused_; }
  /// The first of those that the service does not take: another part has come, or there is no such
  /// decision.
  const std::vector<Refused>& first_refused() const { return first_refused_; }

 private:
  std::string body_of(const DecisionPayoffs& one) const;
  void ask_for_names();

  Options options_;
  bool asked_ = false;
  bool has_names_ = false;  // of the campaign's variables; known if asked_
  std::uint64_t paid_ = 0;
  std::uint64_t refused_ = 0;
  std::vector<Refused> first_refused_;
};

}  // namespace updraft

#include "traffic.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>

namespace updraft::service_test {
namespace {

constexpr std::chrono::seconds kPatience(60);

}  // namespace

Json RequestMaker::decision(const std::string& id) {
  Json body = {{"decision", id}};
  if (campaign_.rows == 0) return body;
  Json rows = Json::array();
  for (std::size_t row = 0; row < campaign_.rows; ++row) {
    Json features = Json::array();
    for (std::size_t j = 0; j < campaign_.features(); ++j) features.push_back(payoff());
    rows.push_back(features);
  }
  body[campaign_.targeted() ? "pool" : "context"] = rows;
  if (campaign_.contexts) add_knowledge(body);
  return body;
}

void RequestMaker::add_knowledge(Json& body) {
  body["baseline"] = Json::array();
  for (std::size_t row = 0; row < campaign_.rows; ++row) body["baseline"].push_back(payoff());
  body["affected"] = Json::array();
  for (std::size_t a = 0; a < campaign_.contexts->actions; ++a) {
    body["affected"].push_back(some_variables());
  }
}

double RequestMaker::payoff() { return static_cast<double>(below(1'000'000)) / 999'983.0; }

/// Sums of a few are exact, so that they are the same in whatever order they are added.
double RequestMaker::coarse_payoff() { return static_cast<double>(below(9)) / 4.0; }

std::vector<std::size_t> RequestMaker::some_variables() {
  std::vector<std::size_t> ids;
  for (std::size_t i = 0; i < campaign_.payoffs(); ++i) {
    if (one_in(4)) ids.push_back(i);
  }
  return ids;
}

Json RequestMaker::by_number(const std::vector<std::size_t>& ids, bool coarse) {
  Json values = Json::array();
  for (std::size_t i = 0; i < ids.size(); ++i)
    values.push_back(coarse ? coarse_payoff() : payoff());
  return {{"indices", ids}, {"values", values}};
}

void RequestMaker::add_payoffs(Round& round) {
  round.ends = true;
  switch (below(campaign_.variable_names.empty() ? 6 : 8)) {
    case 0:  // never
      round.ends = false;
      break;
    case 1:
    case 2: {
      Json dense = Json::array();
      for (std::size_t i = 0; i < campaign_.payoffs(); ++i) dense.push_back(payoff());
      round.parts.push_back({.body = {{"payoffs", dense}}, .answer = {}});
      break;
    }
    case 3:
      round.parts.push_back({.body = by_number(some_variables(), false), .answer = {}});
      break;
    case 4:
    case 5: {
      const std::vector<std::size_t> ids = some_variables();
      const auto middle = ids.begin() + static_cast<std::ptrdiff_t>(ids.size() / 2);
      Json first = by_number({ids.begin(), middle}, true);
      first["part"] = "first";
      first["complete"] = false;
      round.parts.push_back({.body = first, .answer = {}});
      Json second = by_number({middle, ids.end()}, true);
      second["part"] = "second";
      round.ends = !one_in(4);
      if (round.ends) round.parts.push_back({.body = second, .answer = {}});
      break;
    }
    default: {
      Json named = Json::object();
      for (const std::size_t id : some_variables()) named[campaign_.variable_names[id]] = payoff();
      round.parts.push_back({.body = {{"payoffs", named}}, .answer = {}});
      break;
    }
  }
}

Visitor::Visitor(const CampaignCase& campaign, Whereabouts& server, std::size_t number)
    : campaign_(campaign), server_(server), number_(number), maker_(campaign, 1000 + number) {}

Json Visitor::ask(const std::string& method, const std::string& path, const std::string& body) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (std::chrono::steady_clock::now() < deadline) {
    const int port = server_.port;
    if (port == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      continue;
    }
    if (port != port_) {
      api_ = std::make_unique<Api>(port);
      port_ = port;
    }
    const std::optional<Answer> answer = api_->send(method, path, body);
    if (!answer) {
      ++server_.in_doubt;
      port_ = 0;
      continue;
    }
    if (answer->status == 503 || answer->status == 507) continue;
    if (answer->status == 502 || answer->status == 504) {  // of a load balancer
      ++server_.in_doubt;
      continue;
    }
    if (!answer->ok()) {
      throw std::runtime_error(method + " " + path + " " + body + ": status " +
                               std::to_string(answer->status) + " " + answer->text);
    }
    ++server_.answered;
    return Json::parse(answer->text);
  }
  throw std::runtime_error("no answer for a minute: " + method + " " + path);
}

void Visitor::exchange(const std::string& method, const std::string& path, Exchange& with) {
  with.answer = ask(method, path, with.body.dump());
  if (maker_.one_in(4)) expect_same(method, path, with);
}

void Visitor::expect_same(const std::string& method, const std::string& path,
                          const Exchange& with) {
  const Json again = ask(method, path, with.body.dump());
  if (again != with.answer) {
    throw std::runtime_error(method + " " + path + " was answered " + with.answer->dump() +
                             " and then " + again.dump());
  }
}

void Visitor::pay(Round& round) {
  for (Exchange& part : round.parts) {
    exchange("PUT", payoffs_path(campaign_.name, round.id), part);
  }
}

void Visitor::play() {
  while (!server_.over) {
    Round round;
    round.id = "visitor-" + std::to_string(number_) + ":" + std::to_string(rounds_.size());
    round.decision.body = maker_.decision(round.id);
    exchange("POST", decisions_path(campaign_.name), round.decision);
    maker_.add_payoffs(round);
    rounds_.push_back(std::move(round));
    if (maker_.one_in(3)) {
      late_.push_back(rounds_.size() - 1);
    } else {
      pay(rounds_.back());
    }
    if (late_.size() > 10) {
      std::swap(late_[maker_.below(late_.size())], late_.back());
      pay(rounds_[late_.back()]);
      late_.pop_back();
    }
  }
  std::reverse(late_.begin(), late_.end());
  for (const std::size_t round : late_) pay(rounds_[round]);
}

void Visitor::ask_again() {
  for (const Round& round : rounds_) {
    expect_same("POST", decisions_path(campaign_.name), round.decision);
    for (const Exchange& part : round.parts) {
      expect_same("PUT", payoffs_path(campaign_.name, round.id), part);
    }
    const Json shown = ask("GET", decision_path(campaign_.name, round.id), "");
    if (shown.at("status") != (round.complete() ? "complete" : "outstanding")) {
      throw std::runtime_error(round.id + " is " + shown.dump());
    }
  }
}

}  // namespace updraft::service_test

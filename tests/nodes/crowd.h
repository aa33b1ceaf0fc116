#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>

#include "nodes/cluster.h"
#include "serve/verdict.h"

namespace updraft::service_test {

/// Clients of all nodes of a cluster, for each node some, who play in one campaign.
class Crowd {
 public:
  Crowd(const CampaignCase& campaign, Cluster& cluster);

  Whereabouts& at(std::size_t node) { return nodes_[node]; }
  std::deque<Visitor>& visitors() { return visitors_; }

  /// Until some request was answered after now.
  void wait_for_traffic();
  std::uint64_t in_doubt() const;

  /// Plays while `disturb` runs. Returns what was thrown, in words.
  std::string play(const std::function<void()>& disturb);

 private:
  std::uint64_t answered() const;
  void end();

  std::deque<Whereabouts> nodes_;
  std::deque<Visitor> visitors_;
};

/// The campaign of all tests of nodes.
const CampaignCase& a_campaign();

/// A node that has lost the campaign knows it, and asks the one that has it.
void expect_same_reports(Cluster& cluster);

/// What a query says of a database of Postgres::shared(), without the end of the line.
std::string asked(const std::string& store, const std::string& query);
/// Which node has the campaign, by the database.
std::size_t owner_in(const std::string& store);

}  // namespace updraft::service_test

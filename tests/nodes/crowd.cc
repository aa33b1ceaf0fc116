#include "nodes/crowd.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "serve/api.h"

namespace updraft::service_test {
namespace {

constexpr std::size_t kVisitors = 6;

}  // namespace

Crowd::Crowd(const CampaignCase& campaign, Cluster& cluster) : nodes_(cluster.size()) {
  for (std::size_t i = 0; i < nodes_.size(); ++i) nodes_[i].port = cluster.node(i).port();
  for (std::size_t i = 0; i < kVisitors; ++i) {
    visitors_.emplace_back(campaign, nodes_[i % nodes_.size()], i);
  }
}

void Crowd::wait_for_traffic() {
  const std::uint64_t before = answered();
  if (!eventually([&] { return answered() > before; })) throw std::runtime_error("no traffic");
}

std::uint64_t Crowd::in_doubt() const {
  std::uint64_t sum = 0;
  for (const Whereabouts& node : nodes_) sum += node.in_doubt;
  return sum;
}

std::string Crowd::play(const std::function<void()>& disturb) {
  return in_threads(
      visitors_, [](Visitor& visitor) { visitor.play(); },
      [&] {
        try {
          disturb();
        } catch (...) {
          end();
          throw;
        }
        end();
      });
}

std::uint64_t Crowd::answered() const {
  std::uint64_t sum = 0;
  for (const Whereabouts& node : nodes_) sum += node.answered;
  return sum;
}

void Crowd::end() {
  for (Whereabouts& node : nodes_) node.over = true;
}

const CampaignCase& a_campaign() {
  static const CampaignCase kCampaign = case_with_known_sets("up_ts");
  return kCampaign;
}

void expect_same_reports(Cluster& cluster) {
  Json first;
  for (std::size_t i = 0; i < cluster.size(); ++i) {
    Json report;
    ASSERT_TRUE(eventually([&] {
      const Answer answer =
          Api(cluster.node(i).port()).get(campaign_path(a_campaign().name) + "/report");
      report = answer.json();
      return answer.ok();
    }));
    report.erase("now_ms");
    if (i == 0) first = report;
    EXPECT_EQ(report, first) << "node " << i;
  }
}

std::string asked(const std::string& store, const std::string& query) {
  std::string said = testing::Postgres::shared()->sql(query, store.substr(store.rfind('/') + 1));
  said.pop_back();
  return said;
}

std::size_t owner_in(const std::string& store) {
  return static_cast<std::size_t>(asked(store, "SELECT max(owner) FROM updraft.leases").back() -
                                  '0');
}

}  // namespace updraft::service_test

// Bits of a store that change by themselves: the service refuses, or answers as before.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>

#include "on_server.h"
#include "support/folder.h"

namespace updraft::service_test {
namespace {

/// How many; ./dev chaos sets another number.
int trials() {
  const char* wanted = std::getenv("UPDRAFT_KILLS");
  return wanted == nullptr ? 25 : std::atoi(wanted);
}

void flip_bit(const std::string& path, std::uint64_t bit) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekg(static_cast<std::streamoff>(bit / 8));
  const auto byte = static_cast<unsigned char>(file.get());
  file.seekp(static_cast<std::streamoff>(bit / 8));
  file.put(static_cast<char>(byte ^ (1u << (bit % 8))));
  ASSERT_TRUE(file.flush());
}

/// What anybody can ask of the campaigns, without the time.
std::map<std::string, std::string> answers(Api& api) {
  std::map<std::string, std::string> out;
  const auto ask = [&](const std::string& path) {
    const Answer answer = api.get(path);
    EXPECT_TRUE(answer.status == 200 || answer.status == 503) << path << " " << answer.text;
    if (answer.status != 200) return;
    Json body = answer.json();
    body.erase("now_ms");
    out[path] = body.dump();
  };
  for (const std::string name : {"spring", "autumn"}) {
    ask(campaign_path(name) + "/report");
    ask(campaign_path(name) + "/history");
    ask(campaign_path(name) + "/events?count=1000");
    for (int i = 0; i < 40; ++i) ask(decision_path(name, "a" + std::to_string(i)));
  }
  ask(campaign_path("winter") + "/report");
  return out;
}

TEST(Damage, NeverGivesAWrongAnswer) {
  testing::TemporaryFolder folder;
  Server server({.store = "", .further = {"--snapshot-every", "30"}});
  Api api(server.port());
  for (const std::string name : {"spring", "autumn", "winter"}) {
    api.create(shop(name));
    for (int i = 0; i < 40; ++i) {
      const std::string id = "a" + std::to_string(i);
      api.decide(name, {{"decision", id}});
      if (i % 3 != 0) api.pay(name, id, {{"payoffs", {0.5 * i, 1, 0, i % 7}}});
    }
  }
  ASSERT_TRUE(api.post(campaign_path("winter") + "/archive").ok());
  const std::map<std::string, std::string> right = answers(api);
  ASSERT_EQ(right.size(), 87u);
  ASSERT_EQ(server.terminate().exit_code, 0);
  const std::uint64_t bits = 8 * std::filesystem::file_size(server.store());
  std::mt19937_64 generator(7);
  int refused = 0;
  int quarantined = 0;
  for (int trial = 0; trial < trials(); ++trial) {
    const std::string copy = folder.path("copy-" + std::to_string(trial) + ".db");
    std::filesystem::copy_file(server.store(), copy);
    const std::uint64_t bit = generator() % bits;
    flip_bit(copy, bit);
    try {
      Server damaged({.store = copy, .further = {}});
      Api asked(damaged.port());
      for (const auto& [path, answer] : answers(asked)) {
        EXPECT_EQ(answer, right.at(path)) << "bit " << bit;
      }
      quarantined += asked.get("/healthz").json().at("status") == "degraded" ? 1 : 0;
    } catch (const std::runtime_error&) {  // it does not start
      ++refused;
    }
    std::filesystem::remove(copy);
  }
  EXPECT_GT(refused + quarantined, 0) << "no bit was in use";
  RecordProperty("refused", refused);
  RecordProperty("quarantined", quarantined);
}

}  // namespace
}  // namespace updraft::service_test

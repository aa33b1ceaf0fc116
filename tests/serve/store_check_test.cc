// `updraft store check` on decisions that the policy would make otherwise now: docs/service.md,
// 'What is kept'.

#include <fstream>

#include "on_server.h"
#include "support/folder.h"

namespace updraft::service_test {
namespace {

/// A store whose second decision was made by another revision: the policy offers action 1 second.
std::string store_of_another_revision(const testing::TemporaryFolder& folder) {
  const std::string log = (folder.path() / "spring.jsonl").string();
  const auto decided = [](int event, const char* id) {
    return Json{{"event", event}, {"kind", "decided"}, {"time_ms", 5},  {"decision", id},
                {"action", 0},    {"index", nullptr},  {"revision", 7}, {"probability", 1.0}}
        .dump();
  };
  std::ofstream(log)
      << Json{{"format", "updraft-campaign-log/1"}, {"definition", shop("spring")}}.dump() << "\n"
      << decided(1, "a") << "\n"
      << decided(2, "b") << "\n"
      << R"({"events": 2, "state": ""})"
      << "\n";
  const std::string store = (folder.path() / "campaigns.db").string();
  const cli_test::Outcome imported =
      run_to_end({"store", "import", "--store", store, "--file", log});
  EXPECT_EQ(imported.exit_code, 0) << imported.err;
  return store;
}

TEST(StoreCheckCommand, SaysWhatIsDecidedOtherwiseNow) {
  const testing::TemporaryFolder folder;
  const std::string store = store_of_another_revision(folder);
  const cli_test::Outcome text = run_to_end({"store", "check", "--store", store});
  EXPECT_EQ(text.exit_code, 1);
  EXPECT_NE(text.out.find("decided otherwise: campaign spring, event 2, decision b: recorded "
                          "action 0 with probability 1, now action 1 with probability 1; made by "
                          "revision 7; now 1\n"),
            std::string::npos)
      << text.out;
  EXPECT_NE(text.err.find("the policy would now make some decisions otherwise"), std::string::npos)
      << text.err;

  const cli_test::Outcome json = run_to_end({"store", "check", "--store", store, "--json"});
  EXPECT_EQ(json.exit_code, 1);
  const Json found = Json::parse(json.out);
  EXPECT_EQ(found.at("defects"), Json::array());
  const Json& campaign = found.at("campaigns").at(0);
  EXPECT_EQ(campaign.at("decided_otherwise"), 1);
  EXPECT_EQ(campaign.at("first_otherwise"),
            Json::array({{{"event", 2},
                          {"decision", "b"},
                          {"recorded", {{"action", 0}, {"probability", 1.0}, {"revision", 7}}},
                          {"now", {{"action", 1}, {"probability", 1.0}, {"revision", 1}}}}}));
}

TEST(StoreCheckCommand, SuchStoresAreServed) {
  const testing::TemporaryFolder folder;
  Server server({.store = store_of_another_revision(folder), .further = {}});
  Api api(server.port());
  EXPECT_EQ(api.decide("spring", {{"decision", "b"}}).at("action"), 0);
  EXPECT_EQ(api.decide("spring", {{"decision", "c"}}).at("action"), 1);
}

}  // namespace
}  // namespace updraft::service_test

// A disk that fails to keep what was written, under a running service.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "on_server.h"
#include "support/folder.h"

namespace updraft::service_test {
namespace {

TEST(FailingDisk, EndsTheProcessAndTheNextOneReadsWhatIsThere) {
  testing::TemporaryFolder folder;
  const std::string sign = folder.path("fails");
  setenv("FAILING_SYNCS", sign.c_str(), 1);
  setenv("LD_PRELOAD", UPDRAFT_FAILING_SYNC, 1);
  Server server;
  unsetenv("LD_PRELOAD");
  unsetenv("FAILING_SYNCS");
  Api api(server.port());
  api.create(shop("spring"));
  const Json before = api.decide("spring", {{"decision", "before"}});
  folder.write("fails", "");
  const Answer refused = api.post(decisions_path("spring"), Json({{"decision", "during"}}).dump());
  EXPECT_EQ(refused.status, 503) << refused.text;
  EXPECT_NE(refused.text.find("ask again with the same id"), refused.text.npos) << refused.text;
  // By itself: nobody asks it to, and although the disk works again.
  std::filesystem::remove(sign);
  const cli_test::Outcome ended = server.wait();
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_NE(server.log().find("a commit failed: "), std::string::npos) << server.log();
  EXPECT_NE(server.log().find("the disk failed to keep a commit"), std::string::npos);

  server.start();
  Api again(server.port());
  EXPECT_EQ(again.decide("spring", {{"decision", "before"}}), before);
  EXPECT_TRUE(again.post(decisions_path("spring"), Json({{"decision", "during"}}).dump()).ok());
  EXPECT_EQ(again.report("spring").at("state_version"), 2) << "each once";
  EXPECT_EQ(server.terminate().exit_code, 0);
  EXPECT_EQ(run_to_end({"store", "check", "--store", server.store()}).exit_code, 0);
}

}  // namespace
}  // namespace updraft::service_test

// Whether what is acknowledged was handed to the disk. SIGKILL cannot show that, as the system
// keeps what it has not written yet; so the calls that write it are counted, and made to fail. In
// this program, as they are replaced for all of it.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "service/service.h"
#include "store/campaign_store.h"
#include "support/folder.h"

namespace {

std::atomic<int> syncs = 0;
std::atomic<bool> syncs_fail = false;

int counted(long call, int file) {
  ++syncs;
  if (syncs_fail) {
    errno = EIO;
    return -1;
  }
  return static_cast<int>(syscall(call, file));
}

}  // namespace

extern "C" int fsync(int file) { return counted(SYS_fsync, file); }
extern "C" int fdatasync(int file) { return counted(SYS_fdatasync, file); }

namespace updraft {
namespace {

const char* const kShop =
    R"json({"name": "c", "policy": "up_ucb(alpha=1)", "actions": 2, "variables": 3,
            "knowledge": {"affected": [[0], [1, 2]]}})json";

DecisionRequest asked(std::string id) {
  return {.id = std::move(id), .features = {}, .baseline = {}};
}

/// How often `work` had something written to disk.
template <typename Work>
int syncs_of(Work work) {
  const int before = syncs;
  work();
  return syncs - before;
}

TEST(Syncs, EveryAcknowledgedWriteHasOne) {
  const testing::TemporaryFolder folder;
  Service service({.store = folder.path() / "campaigns.db"});
  EXPECT_GE(syncs_of([&] { service.create(parse_definition(kShop)); }), 1);
  for (int j = 0; j < 20; ++j) {
    const std::string id = "d" + std::to_string(j);
    EXPECT_GE(syncs_of([&] { service.decide("c", asked(id)); }), 1);
    EXPECT_GE(syncs_of([&] { service.pay("c", id, {"", true, true, {}, {1.0, 2.0, 3.0}}); }), 1);
    EXPECT_EQ(syncs_of([&] { service.decide("c", asked(id)); }), 0) << "nothing new";
  }
  EXPECT_GE(syncs_of([&] { service.stop("c"); }), 1);
}

TEST(Syncs, OneThatFailsEndsTheTrustInTheFile) {
  const testing::TemporaryFolder folder;
  const std::filesystem::path store = folder.path() / "campaigns.db";
  std::string logged;
  {
    ServiceOptions options = {.store = store};
    options.log = [&](const std::string& text) { logged += text + "\n"; };
    Service service(options);
    service.create(parse_definition(kShop));
    service.decide("c", asked("before"));
    EXPECT_TRUE(service.trusts_store());
    syncs_fail = true;
    try {
      service.decide("c", asked("during"));
      ADD_FAILURE() << "must fail";
    } catch (const Unavailable& error) {
      EXPECT_NE(std::string(error.what())
                    .find("unknown whether this was kept: ask again with the "
                          "same id"),
                std::string::npos)
          << error.what();
    }
    syncs_fail = false;
    EXPECT_FALSE(service.trusts_store());
    EXPECT_THROW(service.decide("c", asked("after")), Unavailable) << "although the disk works";
  }
  EXPECT_NE(logged.find("a commit failed: "), logged.npos) << logged;
  Service service({.store = store});
  EXPECT_EQ(service.decide("c", asked("before")).state_version, 0u);
  service.decide("c", asked("during"));  // once, whether it had been kept or not
  const auto counts = service.gauges().campaigns.at(0);
  EXPECT_EQ(counts.decided, 2u);
}

}  // namespace
}  // namespace updraft

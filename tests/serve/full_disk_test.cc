// A file system that is really full: what was acknowledged is there once, what was not is not, and
// the service goes on when there is space again. Needs the right to mount one.

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>

#include <cerrno>
#include <cstring>
#include <map>

#include "on_server.h"
#include "support/folder.h"

namespace updraft::service_test {
namespace {

/// A file system of its own in memory, which nobody else sees. Its processes must be gone before
/// it.
class SmallDisk {
 public:
  /// ready() is false if this process may not mount anything.
  explicit SmallDisk(const std::string& size) {
    ready_ = unshare(CLONE_NEWNS) == 0 &&
             mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
             mount("tmpfs", folder_.path().c_str(), "tmpfs", 0, ("size=" + size).c_str()) == 0;
    if (!ready_) why_not_ = std::strerror(errno);
  }
  ~SmallDisk() {
    if (ready_) umount2(folder_.path().c_str(), MNT_DETACH);
  }

  bool ready() const { return ready_; }
  const std::string& why_not() const { return why_not_; }
  std::string path(const std::string& name) const { return folder_.path(name); }
  void resize(const std::string& size) {
    ASSERT_EQ(mount(nullptr, folder_.path().c_str(), nullptr, MS_REMOUNT, ("size=" + size).c_str()),
              0);
  }

 private:
  testing::TemporaryFolder folder_;
  bool ready_ = false;
  std::string why_not_;
};

/// Decisions and payoffs, each acknowledged or not.
class Writer {
 public:
  /// Until a write is not acknowledged; the answer to that one. Every third decision waits for its
  /// payoffs.
  Answer write_until_refused(Api& api) {
    for (int next = static_cast<int>(acknowledged_.size()); next < 10'000; ++next) {
      const bool pays = next % 3 == 2;
      const std::string id = "d" + std::to_string(pays ? next - 1 : next);
      const std::string method = pays ? "PUT" : "POST";
      const std::string path = pays ? payoffs_path("spring", id) : decisions_path("spring");
      const Json body = pays ? Json({{"payoffs", {1, 0, next, 0}}}) : Json({{"decision", id}});
      const Answer answer = api.send(method, path, body.dump()).value_or(Answer());
      last_ = {method, path, body.dump(), ""};
      if (!answer.ok()) return answer;
      acknowledged_.push_back({method, path, body.dump(), answer.text});
    }
    return {};
  }

  /// All that was acknowledged is answered as before, once the service tries the disk again.
  void expect_kept(Api& api) const {
    for (const Exchange& one : acknowledged_) {
      Answer again;
      eventually([&] {
        again = api.send(one.method, one.path, one.body).value_or(Answer());
        return again.status != 507;
      });
      EXPECT_EQ(again.text, one.answer) << again.status << " " << one.path;
    }
  }

  /// What was refused; whether it is taken now.
  bool retry(Api& api) {
    const Answer answer = api.send(last_.method, last_.path, last_.body).value_or(Answer());
    if (!answer.ok()) return false;
    last_.answer = answer.text;
    acknowledged_.push_back(last_);
    return true;
  }

  std::size_t count() const { return acknowledged_.size(); }

 private:
  struct Exchange {
    std::string method;
    std::string path;
    std::string body;
    std::string answer;
  };
  std::vector<Exchange> acknowledged_;
  Exchange last_;
};

TEST(FullDisk, LosesAndDoublesNothing) {
  SmallDisk disk("1m");
  if (!disk.ready()) GTEST_SKIP() << "no file system can be mounted here: " << disk.why_not();
  Server server({.store = disk.path("campaigns.db"), .further = {}});
  Api(server.port()).create(shop("spring"));
  Writer writer;
  // Full, more space, full again, with the process that met it and with one that was killed.
  for (const char* size : {"2m", "4m"}) {
    Api api(server.port());
    const Answer refused = writer.write_until_refused(api);
    EXPECT_EQ(refused.status, 507) << refused.text;
    EXPECT_NE(refused.text.find("the disk is full: nothing was changed"), refused.text.npos);
    EXPECT_EQ(api.report("spring").at("state_version"), writer.count());
    writer.expect_kept(api);
    EXPECT_NE(api.get("/metrics").text.find("\nupdraft_failed_commits_total "), std::string::npos);
    if (std::string(size) == "4m") server.kill();
    disk.resize(size);
    if (std::string(size) == "4m") server.start();
    Api later(server.port());
    EXPECT_TRUE(eventually([&] { return writer.retry(later); }));
    EXPECT_EQ(later.report("spring").at("state_version"), writer.count());
    writer.expect_kept(later);
  }
  EXPECT_GT(writer.count(), 50u);
  const Json before = Api(server.port()).report("spring");
  server.start();
  Api api(server.port());
  EXPECT_EQ(api.report("spring"), before);
  writer.expect_kept(api);
  EXPECT_EQ(server.terminate().exit_code, 0);
  const cli_test::Outcome checked = run_to_end({"store", "check", "--store", server.store()});
  EXPECT_EQ(checked.exit_code, 0) << checked.out << checked.err;
}

}  // namespace
}  // namespace updraft::service_test

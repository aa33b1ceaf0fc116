// The process in the hands of an operator: signals, too few files, a log that nobody reads.

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "on_server.h"
#include "service/content_encoding.h"
#include "store/sqlite.h"
#include "support/folder.h"

namespace updraft::service_test {
namespace {

int connect_to(int port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in server = {};
  server.sin_family = AF_INET;
  server.sin_port = htons(static_cast<std::uint16_t>(port));
  server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(connect(socket, reinterpret_cast<sockaddr*>(&server), sizeof(server)), 0);
  return socket;
}

std::string text_from(int socket) {
  std::string text;
  char buffer[4096];
  for (ssize_t got; (got = recv(socket, buffer, sizeof(buffer), 0)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(got));
  }
  return text;
}

void send_text(int socket, const std::string& text) {
  EXPECT_EQ(send(socket, text.data(), text.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(text.size()));
}

TEST(Operations, SigtermBetweenHeadAndBodyNeverCallsAPayoffInvalid) {
  Server server;
  Api(server.port()).create(shop("spring"));
  Api(server.port()).decide("spring", {{"decision", "a"}});
  const std::string body = R"({"payoffs": [1, 0, 0, 0]})";
  const int socket = connect_to(server.port());
  send_text(socket, "PUT " + payoffs_path("spring", "a") +
                        " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
                        std::to_string(body.size()) + "\r\n\r\n" + body.substr(0, 5));
  ASSERT_EQ(Api(server.port()).get("/healthz").status, 200);  // by now it was read
  EXPECT_EQ(server.terminate().exit_code, 0);
  const std::string answer = text_from(socket);
  EXPECT_TRUE(answer.empty() || answer.starts_with("HTTP/1.1 503 ")) << answer;
  close(socket);
  server.start();
  EXPECT_EQ(Api(server.port()).decision("spring", "a").at("status"), "outstanding");
}

TEST(Operations, SighupReadsTheTokensAgain) {
  testing::TemporaryFolder folder;
  const std::string file = folder.write("tokens", "first-token-0123456789\n");
  Server server({.store = "", .further = {"--token-file", file}});
  const auto status = [&](const std::string& token) {
    Api api(server.port());
    api.set_token(token);
    return api.get("/v1/campaigns").status;
  };
  EXPECT_EQ(status("first-token-0123456789"), 200);
  folder.write("tokens", "second-token-0123456789\n");
  server.signal(SIGHUP);
  EXPECT_TRUE(eventually([&] { return status("second-token-0123456789") == 200; }));
  EXPECT_EQ(status("first-token-0123456789"), 401);
  // A file that is no list of tokens changes nothing.
  folder.write("tokens", "short\n");
  server.signal(SIGHUP);
  EXPECT_TRUE(
      eventually([&] { return server.log().find("stay as they were") != std::string::npos; }));
  EXPECT_EQ(status("second-token-0123456789"), 200);
}

TEST(Operations, SighupReadsTheCertificateAgain) {
  testing::TemporaryFolder folder;
  const std::string key = folder.path("key.pem");
  const std::string certificate = folder.path("certificate.pem");
  const auto make = [&] {
    const std::string command =
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 "
        "-subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 -keyout " +
        key + " -out " + certificate + " >/dev/null 2>&1";
    return std::system(command.c_str()) == 0;
  };
  if (!make()) GTEST_SKIP() << "no openssl command to make a certificate";
  Server server({.store = "", .further = {"--tls-cert", certificate, "--tls-key", key}});
  const std::string old = folder.path("old.pem");
  std::filesystem::copy_file(certificate, old);
  EXPECT_EQ(Api(server.port(), old).get("/healthz").status, 200);
  ASSERT_TRUE(make());
  server.signal(SIGHUP);
  EXPECT_TRUE(
      eventually([&] { return Api(server.port(), certificate).get("/healthz").status == 200; }));
  EXPECT_EQ(Api(server.port(), old).get("/healthz").status, 0) << "still the old certificate";
}

TEST(Operations, SurvivesThatNoConnectionCanBeAccepted) {
  Server server;
  Api(server.port()).create(shop("spring"));
  // As many files as are open now, and a few.
  rlimit limit = {};
  ASSERT_EQ(prlimit(server.process(), RLIMIT_NOFILE, nullptr, &limit), 0);
  const std::filesystem::path open_files = "/proc/" + std::to_string(server.process()) + "/fd";
  const auto files = std::distance(std::filesystem::directory_iterator(open_files), {});
  limit.rlim_cur = static_cast<rlim_t>(files) + 5;
  ASSERT_EQ(prlimit(server.process(), RLIMIT_NOFILE, &limit, nullptr), 0);
  std::vector<int> sockets;
  for (int i = 0; i < 50; ++i) sockets.push_back(connect_to(server.port()));
  EXPECT_TRUE(eventually([&] { return Api(server.port()).get("/healthz").status == 200; }));
  EXPECT_TRUE(
      eventually([&] { return server.log().find("cannot be accepted") != std::string::npos; }));
  for (const int socket : sockets) close(socket);
  EXPECT_TRUE(eventually([&] { return Api(server.port()).post(decisions_path("spring")).ok(); }));
  EXPECT_EQ(server.terminate().exit_code, 0);
}

TEST(Operations, ALogThatNobodyReadsHoldsNobodyUp) {
  testing::TemporaryFolder folder;
  const std::string pipe = folder.path("log");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const int reader = open(pipe.c_str(), O_RDWR);  // keeps it open, and reads nothing
  ASSERT_GE(reader, 0);
  {
    Server server({.store = "", .further = {}, .err = pipe});
    Api api(server.port());
    api.create(shop("spring"));
    // A pipe takes 64 KiB, and the log has a hundred bytes per request.
    for (int i = 0; i < 10'000; ++i) ASSERT_EQ(api.get("/healthz").status, 200) << i;
    EXPECT_TRUE(api.post(decisions_path("spring")).ok());
    const std::string metrics = api.get("/metrics").text;
    const std::string name = "\nupdraft_log_lines_dropped_total ";
    const std::size_t at = metrics.find(name);
    ASSERT_NE(at, metrics.npos) << metrics;
    EXPECT_GT(std::stoull(metrics.substr(at + name.size())), 0u);
    EXPECT_EQ(server.terminate().exit_code, 0);
  }
  close(reader);
}

TEST(Operations, SigtermEndsRequestsThatDoNotEnd) {
  Server server;
  Api(server.port()).create(shop("spring"));
  Connection other(server.store(), Connection::Mode::kReadWrite);
  other.execute("BEGIN IMMEDIATE");  // so that no commit comes about
  Answer answer;
  std::thread asking([&] { answer = Api(server.port()).post(decisions_path("spring")); });
  EXPECT_TRUE(eventually([&] {
    return Api(server.port()).get("/metrics").text.find("updraft_queued_writes 1") !=
           std::string::npos;
  }));
  EXPECT_EQ(server.terminate().exit_code, 0);
  asking.join();
  EXPECT_FALSE(answer.ok()) << answer.text;
  EXPECT_NE(server.log().find("are cut off"), std::string::npos) << server.log();
  other.execute("ROLLBACK");
  server.start();
  EXPECT_EQ(Api(server.port()).report("spring").at("state_version"), 0);
}

/// The most memory that a process has had, in MiB.
std::size_t peak_memory(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/status");
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const std::size_t at = text.find("VmHWM:");
  return at == text.npos ? 0 : std::stoull(text.substr(at + 6)) / 1024;
}

// Each takes a few kilobytes until it is unpacked, so the limit of bodies does not see them.
TEST(Operations, LargeBodiesAreUnpackedOneAtATime) {
  Server server;
  Api(server.port()).create(shop("spring"));
  Api(server.port()).decide("spring", {{"decision", "a"}});
  constexpr std::size_t kSize = std::size_t{48} << 20;
  const std::string body = to_gzip(R"({"payoffs": [1, 0, 0)" + std::string(kSize, ' ') + "]}", 9);
  ASSERT_LT(body.size(), 64u * 1024);
  const std::size_t before = peak_memory(server.process());
  std::vector<int> sockets;
  for (int i = 0; i < 40; ++i) {
    sockets.push_back(connect_to(server.port()));
    send_text(sockets.back(), "PUT " + payoffs_path("spring", "a") +
                                  " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                                  "Content-Encoding: gzip\r\nContent-Length: " +
                                  std::to_string(body.size()) + "\r\n\r\n" + body);
  }
  for (const int socket : sockets) {
    EXPECT_TRUE(text_from(socket).starts_with("HTTP/1.1 400 "));
    close(socket);
  }
  EXPECT_LT(peak_memory(server.process()), before + 20 * (kSize >> 20));
}

void damage(const std::string& store) {
  Connection(store, Connection::Mode::kReadWrite)
      .execute("UPDATE events SET time_ms = time_ms + 1 WHERE campaign = 1");
}

TEST(Operations, QuarantineIsShownAndOthersServe) {
  Server server;
  Api(server.port()).create(shop("spring"));
  Api(server.port()).create(shop("autumn"));
  Api(server.port()).decide("spring", {{"decision", "a"}});
  ASSERT_EQ(server.terminate().exit_code, 0);
  damage(server.store());
  server.start();
  Api api(server.port());
  EXPECT_EQ(api.get("/healthz").json(), Json({{"status", "degraded"}, {"quarantined", 1}}));
  EXPECT_NE(api.get("/metrics").text.find("\nupdraft_campaigns_quarantined 1\n"),
            std::string::npos);
  const Answer refused = api.post(decisions_path("spring"));
  EXPECT_EQ(refused.status, 503);
  EXPECT_NE(refused.text.find("event 1 of campaign spring"), std::string::npos) << refused.text;
  const Json list = api.get("/v1/campaigns").json().at("campaigns");
  EXPECT_FALSE(list.at(0).contains("quarantined"));
  EXPECT_TRUE(list.at(1).contains("quarantined")) << list;
  EXPECT_TRUE(api.post(decisions_path("autumn")).ok());
}

TEST(Operations, ABackupOfAServiceInUseCanBeRestored) {
  testing::TemporaryFolder folder;
  Server server;
  Api(server.port()).create(shop("spring"));
  for (int i = 0; i < 20; ++i) Api(server.port()).decide("spring");
  const std::string backup = folder.path("backup.db");
  const std::vector<std::string> command = {"store",        "backup", "--store",
                                            server.store(), "--file", backup};
  const cli_test::Outcome made = run_to_end(command);
  EXPECT_EQ(made.exit_code, 0) << made.err;
  EXPECT_NE(run_to_end(command).exit_code, 0) << "must not overwrite";
  Api(server.port()).decide("spring");
  EXPECT_EQ(run_to_end({"store", "check", "--store", backup}).exit_code, 0);
  Server restored({.store = backup, .further = {}});
  EXPECT_EQ(Api(restored.port()).report("spring").at("state_version"), 20);
  EXPECT_TRUE(Api(restored.port()).post(decisions_path("spring")).ok());
}

TEST(Operations, DamageFailsChecksAndBackups) {
  testing::TemporaryFolder folder;
  Server server;
  Api(server.port()).create(shop("spring"));
  Api(server.port()).decide("spring", {{"decision", "a"}});
  ASSERT_EQ(server.terminate().exit_code, 0);
  EXPECT_EQ(run_to_end({"store", "check", "--store", server.store()}).exit_code, 0);
  damage(server.store());
  const cli_test::Outcome checked = run_to_end({"store", "check", "--store", server.store()});
  EXPECT_EQ(checked.exit_code, 1);
  EXPECT_NE(checked.out.find("wrong: campaign spring: "), std::string::npos) << checked.out;
  const std::string backup = folder.path("backup.db");
  EXPECT_EQ(run_to_end({"store", "backup", "--store", server.store(), "--file", backup}).exit_code,
            1);
  EXPECT_FALSE(std::filesystem::exists(backup));
}

}  // namespace
}  // namespace updraft::service_test

// Settings of `updraft serve`: the file, the environment and the command line.

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <sstream>

#include "api.h"
#include "on_server.h"
#include "server.h"
#include "store/sqlite.h"
#include "support/folder.h"

namespace updraft::service_test {
namespace {

/// A variable of the environment while the object lives.
class Variable {
 public:
  Variable(std::string name, const std::string& value) : name_(std::move(name)) {
    setenv(name_.c_str(), value.c_str(), 1);
  }
  ~Variable() { unsetenv(name_.c_str()); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  std::string name_;
};

/// The value and the place of each setting.
std::map<std::string, std::pair<std::string, std::string>> shown(std::vector<std::string> options) {
  options.insert(options.begin(), {"serve", "--show-config"});
  const cli_test::Outcome outcome = run_to_end(options);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  std::map<std::string, std::pair<std::string, std::string>> out;
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t equals = line.find(" = ");
    const std::size_t comment = line.find("  # ");
    if (equals == line.npos || comment == line.npos) continue;
    const std::size_t end = line.find_last_not_of(' ', comment);
    out[line.substr(0, equals)] = {line.substr(equals + 3, end - equals - 2),
                                   line.substr(comment + 4)};
  }
  return out;
}

using Shown = std::pair<std::string, std::string>;

/// The whole message of a refusal.
std::string refusal(std::vector<std::string> options) {
  options.insert(options.begin(), {"serve", "--show-config"});
  const cli_test::Outcome outcome = run_to_end(options);
  EXPECT_EQ(outcome.exit_code, 2) << outcome.out;
  EXPECT_EQ(outcome.out, "");
  return outcome.err;
}

TEST(Settings, TheLastOfDefaultFileEnvironmentAndFlagWins) {
  const testing::TemporaryFolder folder;
  const std::string file = folder.write("mine.toml",
                                        "# a comment\n"
                                        "threads = 2\n"
                                        "connections = 20\n"
                                        "store = \"of \\\"file\\\".db\"\n"
                                        "memory = 200\n"
                                        "demo = true\n");
  const Variable connections("UPDRAFT_CONNECTIONS", "30");
  const Variable memory("UPDRAFT_MEMORY", "300");
  const auto seen = shown({"--config", file, "--memory", "400"});
  EXPECT_EQ(seen.at("body-limit"), Shown("64", "default"));
  EXPECT_EQ(seen.at("threads"), Shown("2", file + ":2: threads"));
  EXPECT_EQ(seen.at("store"), Shown(R"("of \"file\".db")", file + ":4: store"));
  EXPECT_EQ(seen.at("demo"), Shown("true", file + ":6: demo"));
  EXPECT_EQ(seen.at("connections"), Shown("30", "UPDRAFT_CONNECTIONS"));
  EXPECT_EQ(seen.at("memory"), Shown("400", "--memory"));
  EXPECT_EQ(shown({"--config", file, "--demo=false"}).at("demo"), Shown("false", "--demo"));
}

TEST(Settings, WhatIsShownIsAFileThatSetsTheSame) {
  const testing::TemporaryFolder folder;
  const cli_test::Outcome first =
      run_to_end({"serve", "--show-config", "--store", "a b\\c.db", "--threads", "3", "--demo"});
  ASSERT_EQ(first.exit_code, 0) << first.err;
  const std::string file = folder.write("shown.toml", first.out);
  const auto again = shown({"--config", file});
  for (const auto& [name, value] : again) {
    EXPECT_EQ(value.second.rfind(file, 0), 0u) << name << " comes from " << value.second;
  }
  EXPECT_EQ(again.at("store").first, R"("a b\\c.db")");
  EXPECT_EQ(again.at("threads").first, "3");
  EXPECT_EQ(again.at("demo").first, "true");
  EXPECT_EQ(again.size(), shown({}).size());
}

TEST(Settings, ThePasswordOfADatabaseIsNotShown) {
  const auto seen = shown({"--store", "postgresql://me:secret@db:5433/updraft?password=hidden"});
  EXPECT_EQ(seen.at("store").first, R"("postgresql://db:5433/updraft")");
}

TEST(Settings, TheEnvironmentNamesTheFile) {
  const testing::TemporaryFolder folder;
  const std::string file = folder.write("mine.toml", "threads = 2\n");
  const std::string other = folder.write("other.toml", "threads = 5\n");
  const Variable variable("UPDRAFT_CONFIG", file);
  EXPECT_EQ(shown({}).at("threads").first, "2");
  EXPECT_EQ(shown({"--config", other}).at("threads").first, "5");
}

TEST(Settings, BadValuesAreNamedWithTheirPlace) {
  const testing::TemporaryFolder folder;
  const auto of_file = [&](const std::string& text) {
    return refusal({"--config", folder.write("mine.toml", text)});
  };
  const std::string place = folder.path("mine.toml");
  EXPECT_EQ(of_file("\nthreads = 0\n"),
            "updraft: " + place + ":2: threads = 0: must be a whole number from 1 to 1024\n");
  EXPECT_NE(of_file("threads = \"2\"\n").find(place + ":1: threads"), std::string::npos);
  EXPECT_NE(of_file("demo = 1\n").find(place + ":1: demo"), std::string::npos);
  EXPECT_NE(of_file("store = 1\n").find(place + ":1: store"), std::string::npos);
  EXPECT_NE(of_file("thread = 1\n").find("threads"), std::string::npos) << "the nearest";
  EXPECT_NE(of_file("threads = \n").find(place + ":1"), std::string::npos);
  EXPECT_NE(of_file("log-level = \"loud\"\n").find(place + ":1: log-level = loud"),
            std::string::npos);
  const std::string tokens = folder.write("tokens", "long-enough-token-1\nshort\n");
  EXPECT_NE(of_file("token-file = \"" + tokens + "\"\n").find(":1: token-file, line 2"),
            std::string::npos);
  EXPECT_NE(refusal({"--config", folder.path("none.toml")}).find("none.toml"), std::string::npos);
  EXPECT_NE(refusal({"--threads", "0"}).find("--threads = 0"), std::string::npos);
  EXPECT_NE(refusal({"--webhook", "http://127.0.0.1:1/"}).find("--webhook-secret-file: must be"),
            std::string::npos);
}

TEST(Settings, BadVariablesAreNamed) {
  {
    const Variable variable("UPDRAFT_CONNECTIONS_PER_ADDRESS", "many");
    EXPECT_NE(refusal({}).find("UPDRAFT_CONNECTIONS_PER_ADDRESS = many: must be"),
              std::string::npos);
  }
  {
    const Variable variable("UPDRAFT_DEMO", "yes");
    EXPECT_EQ(refusal({}), "updraft: UPDRAFT_DEMO = yes: must be true or false\n");
  }
  {
    const Variable variable("UPDRAFT_LISTEN", "0.0.0.0:80");
    EXPECT_NE(refusal({}).find("UPDRAFT_LISTEN = 0.0.0.0:80: can be reached"), std::string::npos);
  }
  const Variable variable("UPDRAFT_THREDS", "2");
  EXPECT_NE(run_to_end({"serve", "--show-config"}).out.find("# UPDRAFT_THREDS sets nothing"),
            std::string::npos);
}

TEST(Settings, AServiceRunsByThem) {
  const testing::TemporaryFolder folder;
  const std::string file = folder.write("mine.toml",
                                        "demo = true\nscrub-every = 0\n"
                                        "snapshot-every = 3\nmemory = 1\n");
  const Variable variable("UPDRAFT_TOKEN_FILE", folder.write("tokens", "token-of-16-chars\n"));
  Server server({.store = "", .further = {"--config", file}});
  EXPECT_EQ(Api(server.port()).get("/v1/campaigns").status, 401);
  Api api(server.port());
  api.set_token("token-of-16-chars");
  EXPECT_TRUE(eventually([&] { return api.get("/v1/campaigns/demo").status == 200; }));
  Json large = shop("large");
  large["actions"] = 1000;
  large["variables"] = 1000;
  large["policy"] = "up_ucb_l(alpha=1)";
  large["knowledge"] = {{"max_affected", 10}};
  const Answer refused = api.post("/v1/campaigns", large.dump());
  EXPECT_EQ(refused.status, 409) << refused.text;
  EXPECT_NE(refused.text.find("1 MiB"), std::string::npos) << refused.text;
  EXPECT_TRUE(eventually([&] {
    return Connection(server.store(), Connection::Mode::kReadOnly)
               .number("SELECT count(*) FROM snapshots") > 0;
  }));
}

}  // namespace
}  // namespace updraft::service_test

#include "service/listen_address.h"

#include <gtest/gtest.h>

#include "support/refusal.h"

namespace updraft {
namespace {

TEST(ListenAddress, ReadsHostsAndPorts) {
  EXPECT_EQ(ListenAddress::parse("127.0.0.1:8080"), (ListenAddress{"127.0.0.1", 8080}));
  EXPECT_EQ(ListenAddress::parse("localhost:0"), (ListenAddress{"localhost", 0}));
  EXPECT_EQ(ListenAddress::parse("[::1]:65535"), (ListenAddress{"::1", 65535}));
  for (const char* text : {"127.0.0.1:8080", "[fe80::1]:1", "my-host.example:80"}) {
    EXPECT_EQ(ListenAddress::parse(text).text(), text);
  }
}

TEST(ListenAddress, RefusesOthers) {
  for (const char* text :
       {"", "8080", ":8080", "localhost", "localhost:", "localhost:x", "localhost:65536",
        "localhost:-1", "localhost:-0", "localhost:80 ", "::1:80", "[::1]", "[::1:80", "[x]:80",
        "http://localhost:80", "a b:80"}) {
    EXPECT_NE(testing::refusal([&] { ListenAddress::parse(text); }).find("must be HOST:PORT"),
              std::string::npos)
        << text;
  }
}

TEST(ListenAddress, KnowsWhatOnlyThisMachineCanReach) {
  for (const char* text : {"127.0.0.1:1", "127.8.9.1:1", "[::1]:1", "localhost:1"}) {
    EXPECT_TRUE(ListenAddress::parse(text).is_loopback()) << text;
  }
  for (const char* text : {"0.0.0.0:1", "[::]:1", "192.168.0.1:1", "example.com:1", "128.0.0.1:1",
                           "127.0.0.1.example.com:1", "localhost.example.com:1"}) {
    EXPECT_FALSE(ListenAddress::parse(text).is_loopback()) << text;
  }
}

TEST(ListenAddress, KnowsHostHeadersOfThisMachine) {
  for (const char* host : {"localhost", "localhost:8080", "127.0.0.1:80", "[::1]:80", "[::1]"}) {
    EXPECT_TRUE(is_loopback_host(host)) << host;
  }
  for (const char* host : {"", "[", "example.com", "localhost.example.com", "10.0.0.1:80"}) {
    EXPECT_FALSE(is_loopback_host(host)) << host;
  }
}

}  // namespace
}  // namespace updraft

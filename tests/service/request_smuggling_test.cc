// Requests that two servers in a row may understand in different ways. The cases are those of RFC
// 9112 (sections 2.2, 3, 5, 6, 7 and 11.2) and of Kettle, "HTTP Desync Attacks" (2019), with those
// that later lists added: spaces before the colon, obs-fold, bare CR and LF, sizes of chunks that
// are no numbers, and lengths in two ways.

#include <gtest/gtest.h>

#include "service/running_server.h"

namespace updraft {
namespace {

using testing::answer_to;
using testing::answers_in;
using testing::answers_to;
using testing::Running;

struct Case {
  const char* name;
  std::string text;
  int status;
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

const std::string kHost = "Host: localhost\r\n";
const std::string kInner = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";

std::string post(const std::string& headers, const std::string& body) {
  return "POST /v1/campaigns/a/stop HTTP/1.1\r\n" + kHost + headers + "\r\n" + body;
}

std::string length_of(const std::string& body) {
  return "Content-Length: " + std::to_string(body.size()) + "\r\n";
}

/// A body in chunks that is in order but for `size`, the line before its only chunk.
std::string chunked(const std::string& size) {
  return post("Transfer-Encoding: chunked\r\n", size + "\r\nabc\r\n0\r\n\r\n");
}

std::vector<Case> refused_cases() {
  const std::string chunks = "0\r\n\r\n";
  return {
      {"SpaceBeforeColonOfLength", post("Content-Length : 43\r\n", kInner), 400},
      {"TabBeforeColonOfLength", post("Content-Length\t: 43\r\n", kInner), 400},
      {"SpaceBeforeColonOfEncoding", post("Transfer-Encoding : chunked\r\n", chunks + kInner), 400},
      {"SpaceBeforeName", "GET /metrics HTTP/1.1\r\n " + kHost + "\r\n" + kInner, 400},
      {"FoldedHeader", post("X: a\r\n b\r\n", kInner), 400},
      {"FoldedEncoding", post("Transfer-Encoding:\r\n chunked\r\n", chunks + kInner), 400},
      {"FoldedWithTab", post("X: a\r\n\tb\r\n", kInner), 400},
      {"TwoHosts", "GET /metrics HTTP/1.1\r\n" + kHost + kHost + "\r\n" + kInner, 400},
      {"NoHost", "GET /metrics HTTP/1.1\r\nX: a\r\n\r\n" + kInner, 400},
      {"LengthAndChunks", post(length_of(kInner) + "Transfer-Encoding: chunked\r\n", kInner), 400},
      {"ChunksAndLength", post("Transfer-Encoding: chunked\r\n" + length_of(kInner), kInner), 400},
      {"TwoLengths", post("Content-Length: 0\r\nContent-Length: 43\r\n", kInner), 400},
      {"SameLengthTwice", post(length_of(kInner) + length_of(kInner), kInner), 400},
      {"ListOfLengths", post("Content-Length: 43, 43\r\n", kInner), 400},
      {"NegativeLength", post("Content-Length: -1\r\n", kInner), 400},
      {"SignedLength", post("Content-Length: +43\r\n", kInner), 400},
      {"HexadecimalLength", post("Content-Length: 0x2b\r\n", kInner), 400},
      {"EmptyLength", post("Content-Length: \r\n", kInner), 400},
      {"LengthWithSpace", post("Content-Length: 4 3\r\n", kInner), 400},
      {"LengthBeyondAllNumbers", post("Content-Length: 18446744073709551659\r\n", kInner), 400},
      {"TwoEncodings",
       post("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", chunks + kInner), 400},
      {"ChunkedTwice",
       post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", chunks + kInner), 400},
      {"ChunkedNotLast", post("Transfer-Encoding: chunked, identity\r\n", chunks + kInner), 501},
      {"OtherEncoding", post("Transfer-Encoding: xchunked\r\n", chunks + kInner), 501},
      {"GzipThenChunked", post("Transfer-Encoding: gzip, chunked\r\n", chunks + kInner), 501},
      {"QuotedEncoding", post("Transfer-Encoding: \"chunked\"\r\n", chunks + kInner), 501},
      {"VerticalTabInEncoding", post("Transfer-Encoding: \vchunked\r\n", chunks + kInner), 400},
      {"ChunksInHttp10",
       "POST /v1/campaigns/a/stop HTTP/1.0\r\n" + kHost + "Transfer-Encoding: chunked\r\n\r\n" +
           chunks + kInner,
       400},
      {"ChunkSizeOfNoDigits", chunked("") + kInner, 400},
      {"ChunkSizeOfLetters", chunked("xyz") + kInner, 400},
      {"ChunkSizeWithPrefix", chunked("0x3") + kInner, 400},
      {"NegativeChunkSize", chunked("-3") + kInner, 400},
      {"SignedChunkSize", chunked("+3") + kInner, 400},
      {"SpaceBeforeChunkSize", chunked(" 3") + kInner, 400},
      {"ChunkSizeBeyondAllNumbers", chunked("10000000000000003") + kInner, 400},
      {"ChunkLongerThanItsSize", chunked("2") + kInner, 400},
      {"BareLineFeedInChunks", post("Transfer-Encoding: chunked\r\n", "3\nabc\n0\n\n") + kInner,
       400},
      {"BareCarriageReturnAfterSize",
       post("Transfer-Encoding: chunked\r\n", "3\rabc\r\n0\r\n\r\n") + kInner, 400},
      {"BareLineFeeds", "GET /metrics HTTP/1.1\nHost: localhost\n\n" + kInner, 400},
      {"BareLineFeedInHeaders", "GET /metrics HTTP/1.1\r\nX: a\n" + kHost + "\r\n" + kInner, 400},
      {"BareCarriageReturnInHeader", post("X: a\rY: b\r\n", kInner), 400},
      {"NulInHeader", post(std::string("X: a\0b\r\n", 8), kInner), 400},
      {"NulInName", post(std::string("X\0: a\r\n", 7), kInner), 400},
      {"EmptyName", post(": a\r\n", kInner), 400},
      {"NoColon", post("Content-Length\r\n", kInner), 400},
      {"SlashInName", post("X/Y: a\r\n", kInner), 400},
      {"NoVersion", "GET /metrics\r\n" + kHost + "\r\n" + kInner, 400},
      {"TwoSpacesInLine", "GET  /metrics HTTP/1.1\r\n" + kHost + "\r\n" + kInner, 400},
      {"SpaceInTarget", "GET /met rics HTTP/1.1\r\n" + kHost + "\r\n" + kInner, 505},
      {"TextAfterVersion", "GET /metrics HTTP/1.1 x\r\n" + kHost + "\r\n" + kInner, 505},
      {"OtherVersion", "GET /metrics HTTP/2.0\r\n" + kHost + "\r\n" + kInner, 505},
      {"LowerCaseVersion", "GET /metrics http/1.1\r\n" + kHost + "\r\n" + kInner, 505},
      {"OtherHostInTarget", "GET http://other/metrics HTTP/1.1\r\n" + kHost + "\r\n" + kInner, 400},
      {"MalformedEscape", "GET /metrics%2 HTTP/1.1\r\n" + kHost + "\r\n" + kInner, 400},
      {"OtherExpectation", post("Expect: payment\r\n", kInner), 417},
  };
}

class Smuggled : public ::testing::TestWithParam<Case> {};

TEST_P(Smuggled, IsRefusedOnceAndTheConnectionEnds) {
  Running running;
  const std::string answer = answer_to(running.port(), GetParam().text);
  EXPECT_EQ(answer.find("HTTP/1.1 " + std::to_string(GetParam().status) + " "), 0u) << answer;
  EXPECT_EQ(answers_in(answer), 1u) << answer;
  EXPECT_TRUE(answer.ends_with("(closed)")) << answer;
}

INSTANTIATE_TEST_SUITE_P(RequestSmuggling, Smuggled, ::testing::ValuesIn(refused_cases()),
                         [](const auto& one) { return std::string(one.param.name); });

/// The neighbours of the cases above that are in order.
TEST(RequestSmuggling, LeavesRequestsThatAreInOrder) {
  Running running;
  for (const std::string& text :
       {post("Transfer-Encoding: chunked\r\n", "3\r\nabc\r\n0\r\n\r\n"),
        post("Transfer-Encoding: Chunked\r\n", "3;a=b\r\nabc\r\n00\r\nX: trailer\r\n\r\n"),
        post("Content-Length: 3\r\n", "abc"), post("Content-Length:3\r\n", "abc"),
        post("content-length: \t3 \r\n", "abc"), "\r\n\r\n" + post("Content-Length: 3\r\n", "abc"),
        "POST http://localhost/v1/campaigns/a/stop HTTP/1.1\r\n" + kHost + "\r\n"}) {
    const std::string answer = answers_to(running.port(), text + kInner);
    EXPECT_EQ(answer.find("HTTP/1.1 503 "), 0u) << text << answer;
    EXPECT_EQ(answers_in(answer), 2u) << text << answer;
  }
}

/// A trailer is not a header: it gives nobody access.
TEST(RequestSmuggling, TakesNoTokenFromATrailer) {
  HttpServerOptions options;
  options.tokens = AccessTokens::parse("0123456789abcdef");
  Running running(options);
  const std::string answer =
      answers_to(running.port(), post("Transfer-Encoding: chunked\r\n",
                                      "0\r\nAuthorization: Bearer 0123456789abcdef\r\n\r\n"));
  EXPECT_EQ(answer.find("HTTP/1.1 401 "), 0u) << answer;
}

}  // namespace
}  // namespace updraft

#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "support/folder.h"
#include "updraft/policy.h"
#include "updraft/state.h"

namespace updraft::testing {

/// `refused` tells what reading some bytes says, "(accepted)" where it takes them. Every prefix of
/// a saved policy must be refused, and so must more bytes than there were.
template <typename Refused>
void expect_no_other_length(const std::string& bytes, Refused refused) {
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    ASSERT_NE(refused(bytes.substr(0, length)), "(accepted)") << length;
  }
  EXPECT_NE(refused(bytes.substr(0, bytes.size() - 1)).find("is truncated"), std::string::npos);
  EXPECT_NE(refused(bytes + "x").find("has bytes after its end"), std::string::npos);
  EXPECT_EQ(refused(bytes), "(accepted)");
}

/// The same for every single bit.
template <typename Refused>
void expect_no_flipped_bit(const std::string& bytes, Refused refused) {
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    ASSERT_NE(refused(damaged), "(accepted)") << bit;
  }
  std::string damaged = bytes;
  damaged[bytes.size() - 12] ^= 1;
  EXPECT_EQ(refused(damaged), "policy state: is damaged: its checksum does not match");
}

/// Saving again replaces a file as a whole and leaves nothing beside it. learn(policy) lets the
/// policy learn something in between.
template <typename Learn>
void expect_file_is_replaced(Policy& policy, Learn learn) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path("policy.state");
  save_policy(policy, path);
  learn(policy);
  save_policy(policy, path);
  EXPECT_GT(policy.observations(), 0u);
  EXPECT_EQ(load_policy(path)->observations(), policy.observations());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

}  // namespace updraft::testing

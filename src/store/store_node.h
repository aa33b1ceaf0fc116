#pragma once

#include <chrono>
#include <string>

namespace updraft {

/// A program that writes to a store that has several writers.
struct StoreNode {
  std::string name =
      {};  ///< of its own, the same after a restart; empty: a tool, which owns nothing
  std::string address = {};  ///< where other nodes reach it
  /// How long others wait for a node that says nothing, before they take its campaigns.
  std::chrono::milliseconds lease{10'000};
};

}  // namespace updraft

#pragma once

#include <gtest/gtest.h>

#include <string>

#include "api.h"
#include "server.h"

namespace updraft::service_test {

/// A test with a server of its own.
class OnServer : public ::testing::Test {
 protected:
  /// Kills it and starts it again; api_ talks to the new one.
  void restart() {
    server_.start();
    api_ = Api(server_.port());
  }

  Server server_;
  Api api_ = Api(server_.port());
};

/// Refused with `status` and a message, with a field where the input is at fault; the error names
/// `what`.
inline void expect_refused(const Answer& answer, int status, const std::string& what) {
  EXPECT_EQ(answer.status, status) << answer.text;
  const Json body = answer.json();
  ASSERT_TRUE(body.is_object() && body.contains("error")) << answer.text;
  const Json& error = body["error"];
  EXPECT_FALSE(error.value("message", "").empty()) << body;
  if (status == 400) {
    EXPECT_FALSE(error.value("field", "").empty()) << body;
  }
  EXPECT_NE(error.dump().find(what), std::string::npos) << "nothing of " << what << " in " << body;
}

/// Two actions, four variables with names. `more` is added or replaces.
inline Json shop(const std::string& name, const Json& more = Json::object()) {
  Json definition = {{"name", name},
                     {"policy", "up_ucb(alpha=1)"},
                     {"actions", {"news", "discount"}},
                     {"variables", {"coffee", "tea", "bread", "cake"}},
                     {"knowledge", {{"affected", {{"coffee", "tea"}, {2, 3}}}}}};
  definition.update(more);
  return definition;
}

}  // namespace updraft::service_test

#include "verdict.h"

#include <gtest/gtest.h>

#include <exception>
#include <mutex>
#include <thread>

#include "api.h"
#include "replay.h"
#include "server.h"

namespace updraft::service_test {

std::string in_threads(std::deque<Visitor>& visitors, const std::function<void(Visitor&)>& work,
                       const std::function<void()>& meanwhile) {
  std::mutex mutex;
  std::string thrown;
  std::vector<std::thread> threads;
  for (Visitor& visitor : visitors) {
    threads.emplace_back([&] {
      try {
        work(visitor);
      } catch (const std::exception& error) {
        const std::lock_guard lock(mutex);
        thrown += std::string(error.what()) + "\n";
      }
    });
  }
  try {
    meanwhile();
  } catch (const std::exception& error) {
    const std::lock_guard lock(mutex);
    thrown += std::string(error.what()) + "\n";
  }
  for (std::thread& thread : threads) thread.join();
  return thrown;
}

void check_visitors(const CampaignCase& campaign, std::deque<Visitor>& visitors, int port,
                    const std::string& store) {
  // The same answers as before.
  EXPECT_EQ(in_threads(visitors, [](Visitor& visitor) { visitor.ask_again(); }), "");

  // Each once.
  std::vector<const Round*> rounds;
  std::size_t complete = 0;
  std::size_t events = 0;
  for (const Visitor& visitor : visitors) {
    for (const Round& round : visitor.rounds()) {
      rounds.push_back(&round);
      complete += round.complete() ? 1 : 0;
      events += 1 + round.parts.size();
    }
  }
  Api api(port);
  const Json report = api.report(campaign.name);
  EXPECT_EQ(report.at("state_version"), events);
  EXPECT_EQ(count_of(report, "decided"), rounds.size());
  EXPECT_EQ(count_of(report, "complete"), complete);
  EXPECT_EQ(count_of(report, "outstanding"), rounds.size() - complete);
  EXPECT_EQ(count_of(report, "lost"), 0u);
  if (!campaign.targeted()) {
    std::size_t pulls = 0;
    for (const Json& action : report.at(campaign.contexts ? "taken" : "actions"))
      pulls += action.at("pulls").get<std::size_t>();
    EXPECT_EQ(pulls, complete);
  }

  // As the library has it, now and in the next decision.
  Replay replayed = replay(campaign, rounds);
  EXPECT_EQ(replayed.differences, "");
  EXPECT_EQ(replayed.twin.report_differences(report), "");
  const cli_test::Outcome exported =
      run_to_end({"store", "export", "--store", store, campaign.name});
  EXPECT_EQ(exported.exit_code, 0) << exported.err;
  if (exported.exit_code == 0) {
    const Replay from_log = replay_log(campaign, exported.out);
    EXPECT_EQ(from_log.differences, "");
    EXPECT_EQ(from_log.events, replayed.events);
    EXPECT_EQ(from_log.twin.report_differences(report), "");
  }
  for (int next = 0; next < 3; ++next) {
    const Json request = RequestMaker(campaign, 5 + next).decision("next-" + std::to_string(next));
    EXPECT_EQ(decided_part(api.decide(campaign.name, request)), replayed.twin.decide(request));
  }
}

}  // namespace updraft::service_test

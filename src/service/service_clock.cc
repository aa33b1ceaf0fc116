#include "service/service_clock.h"

#include <chrono>
#include <cstdlib>
#include <utility>

namespace updraft {
namespace {

constexpr std::int64_t kLeastStep = 1000;

template <typename Clock>
std::int64_t milliseconds_of() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(Clock::now().time_since_epoch()).count();
}

}  // namespace

ServiceClock::ServiceClock()
    : ServiceClock(milliseconds_of<std::chrono::system_clock>,
                   milliseconds_of<std::chrono::steady_clock>) {}

ServiceClock::ServiceClock(Milliseconds system, Milliseconds steady)
    : system_(std::move(system)), steady_(std::move(steady)), offset_(system_() - steady_()) {}

std::int64_t ServiceClock::now_ms() const { return steady_() + offset_; }

std::optional<std::int64_t> ServiceClock::step() {
  const std::lock_guard lock(mutex_);
  const std::int64_t ahead = system_() - now_ms();
  const std::int64_t step = ahead - known_;
  if (std::abs(step) < kLeastStep) return std::nullopt;
  known_ = ahead;
  return step;
}

}  // namespace updraft

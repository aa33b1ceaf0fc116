#include "progress.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "output.h"

namespace updraft::cli {
namespace {

using namespace std::chrono_literals;

constexpr auto kBarInterval = 100ms;
constexpr auto kLineInterval = 5s;
constexpr int kBarWidth = 30;
constexpr double kLeastShare = 0.005;  // below this, an estimate of the time left is a guess

}  // namespace

std::string duration_text(std::chrono::duration<double> duration) {
  const auto seconds = static_cast<long long>(std::ceil(std::min(duration.count(), 1e9)));
  if (seconds < 90) return fmt::format("{} s", seconds);
  const long long minutes = (seconds + 30) / 60;
  if (minutes < 90) return fmt::format("{} min", minutes);
  return fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

Progress::Progress(bool quiet) : start_(Clock::now()) {
  form_ = quiet ? Form::kSilent : isatty(STDERR_FILENO) == 1 ? Form::kBar : Form::kLines;
  next_ = start_ + (form_ == Form::kBar ? Clock::duration(kBarInterval) : kLineInterval);
}

Progress::~Progress() {
  if (bar_shown_) std::fputs("\r\033[K", stderr);
}

void Progress::update(double share) {
  if (form_ == Form::kSilent) return;
  if (first_share_ < 0.0) first_share_ = share;
  const Clock::time_point now = Clock::now();
  if (now < next_) return;

  std::string left;
  if (share - first_share_ >= kLeastShare) {
    left = duration_text((now - start_) * ((1.0 - share) / (share - first_share_)));
  }
  if (form_ == Form::kLines) {
    next_ = now + kLineInterval;
    write_note(fmt::format("{:.0f} % done{}", std::floor(100.0 * share),
                           left.empty() ? "" : fmt::format(", about {} left", left)));
    return;
  }
  next_ = now + kBarInterval;
  bar_shown_ = true;
  const int filled = std::clamp(static_cast<int>(share * kBarWidth), 0, kBarWidth);
  const std::string bar = fmt::format(
      "\r[{}{}] {:3.0f} %{}\033[K", std::string(filled, '#'), std::string(kBarWidth - filled, '.'),
      std::floor(100.0 * share), left.empty() ? "" : fmt::format("  about {} left", left));
  std::fwrite(bar.data(), 1, bar.size(), stderr);
}

}  // namespace updraft::cli

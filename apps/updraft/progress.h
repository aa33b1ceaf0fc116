#pragma once

#include <chrono>
#include <string>

namespace updraft::cli {

/// Shows on standard error how much of a long computation is done and how long the rest will take:
/// a bar on a terminal, a plain line every few seconds elsewhere, nothing if quiet. The destructor
/// wipes the bar.
class Progress {
 public:
  explicit Progress(bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `share` of the work is done, in [0, 1]. Cheap enough to be called often.
  void update(double share);

 private:
  using Clock = std::chrono::steady_clock;
  enum class Form { kBar, kLines, kSilent };

  Form form_;
  Clock::time_point start_;
  Clock::time_point next_;  // nothing is shown before this time
  bool bar_shown_ = false;
  double first_share_ = -1.0;  // the share already done at the first call; negative until then
};

/// "40 s", "12 min", "3 h 20 min".
std::string duration_text(std::chrono::duration<double> duration);

}  // namespace updraft::cli

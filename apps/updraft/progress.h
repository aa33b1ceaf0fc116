#pragma once

#include <chrono>
#include <string>

namespace updraft::cli {

/// Tells people on standard error how far a long computation is and how long it will still take:
/// a bar on a terminal, a plain line every few seconds elsewhere, nothing where quiet. The bar
/// is wiped when the object goes.
class Progress {
 public:
  explicit Progress(bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `share` of the work is done, in [0, 1]. Cheap when called often.
  void update(double share);

 private:
  using Clock = std::chrono::steady_clock;
  enum class Form { kBar, kLines, kSilent };

  Form form_;
  Clock::time_point start_;
  Clock::time_point next_;  // nothing is shown before
  bool bar_shown_ = false;
  double first_share_ = -1.0;  // done before this object came; negative until told
};

/// "40 s", "12 min", "3 h 20 min".
std::string duration_text(std::chrono::duration<double> duration);

}  // namespace updraft::cli

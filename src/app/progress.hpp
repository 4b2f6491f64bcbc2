// `checking 123/500` on a terminal.
#pragma once
#include <chrono>
#include <cstddef>
#include <mutex>

namespace headroom::app {

/// One line on standard error that is written over and gone at the end. Nothing in the first half second,
/// and nothing where standard error is no terminal.
class Progress {
 public:
  Progress(std::size_t total, bool wanted);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();
  /// One more is done. Any thread may call it.
  void step();

 private:
  using Clock = std::chrono::steady_clock;
  std::size_t total_, done_ = 0;
  bool on_, shown_ = false;
  Clock::time_point next_;
  std::mutex mutex_;
};

}  // namespace headroom::app

#include "progress.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace headroom::app {
namespace {

bool can_write_over() {
  const char* term = std::getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && term != nullptr && std::string_view(term) != "dumb";
}

}  // namespace

Progress::Progress(std::size_t total, bool wanted)
    : total_(total), on_(wanted && can_write_over()), next_(Clock::now() + std::chrono::milliseconds(500)) {}

Progress::~Progress() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

void Progress::step() {
  if (!on_) return;
  const std::lock_guard lock(mutex_);
  ++done_;
  const auto now = Clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  shown_ = true;
  std::fprintf(stderr, "\rchecking %zu/%zu\033[K", done_, total_);
  std::fflush(stderr);
}

}  // namespace headroom::app

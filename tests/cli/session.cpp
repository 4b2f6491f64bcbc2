#include "session.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>

namespace headroom::cli {
namespace {

[[noreturn]] void become(const std::vector<std::string>& args, int slave) {
  setsid();
  ioctl(slave, TIOCSCTTY, 0);
  for (const int fd : {0, 1, 2})
    if (dup2(slave, fd) < 0) _exit(127);
  if (chdir(HEADROOM_SOURCE_DIR) != 0) _exit(127);
  std::vector<std::string> words{HEADROOM_PROGRAM};
  words.insert(words.end(), args.begin(), args.end());
  std::vector<std::string> env{"PATH=/usr/bin:/bin", "TERM=dumb", "NO_COLOR=1"};
  if (const char* options = std::getenv("ASAN_OPTIONS"))
    env.push_back(std::string("ASAN_OPTIONS=") + options);
  std::vector<char*> argv, envp;
  for (auto& word : words) argv.push_back(word.data());
  for (auto& entry : env) envp.push_back(entry.data());
  argv.push_back(nullptr);
  envp.push_back(nullptr);
  execve(HEADROOM_PROGRAM, argv.data(), envp.data());
  _exit(127);
}

}  // namespace

Session::Session(const std::vector<std::string>& args) {
  terminal_ = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  REQUIRE(terminal_ >= 0);
  REQUIRE(grantpt(terminal_) == 0);
  REQUIRE(unlockpt(terminal_) == 0);
  const int slave = open(ptsname(terminal_), O_RDWR | O_NOCTTY);
  REQUIRE(slave >= 0);
  winsize size{};
  size.ws_row = 50;
  size.ws_col = 80;
  REQUIRE(ioctl(slave, TIOCSWINSZ, &size) == 0);
  child_ = fork();
  REQUIRE(child_ >= 0);
  if (child_ == 0) become(args, slave);
  close(slave);
}

Session::~Session() {
  if (child_ > 0) {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  if (terminal_ >= 0) close(terminal_);
}

bool Session::read_more() {
  pollfd wait{terminal_, POLLIN, 0};
  REQUIRE(poll(&wait, 1, 60'000) == 1);
  std::array<char, 4096> buffer{};
  const ssize_t n = ::read(terminal_, buffer.data(), buffer.size());
  if (n <= 0) return false;  // the other end is closed
  raw_.append(buffer.data(), static_cast<std::size_t>(n));
  return true;
}

void Session::expect_end(const std::string& text) {
  // The prompt of before still stands at the end until the line just typed is echoed with its line break.
  while (raw_.find('\n', typed_) == std::string::npos || !screen().ends_with(text)) {
    CAPTURE(screen());
    REQUIRE(read_more());
  }
}

// The prompt can be on the screen before the line editor has the terminal; what is typed in between is echoed
// twice.
void Session::wait_for_editor() const {
  termios now{};
  for (int i = 0; i < 30'000; ++i) {
    REQUIRE(tcgetattr(terminal_, &now) == 0);
    if ((now.c_lflag & ICANON) == 0) return;
    usleep(1000);
  }
}

void Session::type(const std::string& line) {
  const std::string keys = line + "\r";
  wait_for_editor();
  typed_ = raw_.size();
  REQUIRE(::write(terminal_, keys.data(), keys.size()) == static_cast<ssize_t>(keys.size()));
}

int Session::finish() {
  while (read_more()) {
  }
  int status = 0;
  REQUIRE(waitpid(child_, &status, 0) == child_);
  child_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string Session::screen() const {
  std::string out;
  for (std::size_t i = 0; i < raw_.size(); ++i) {
    const char c = raw_[i];
    if (c == '\x1b' && i + 1 < raw_.size() && raw_[i + 1] == '[') {
      for (i += 2; i < raw_.size() && (raw_[i] < 0x40 || raw_[i] > 0x7e); ++i) {
      }
    } else if (c == '\b') {
      if (!out.empty()) out.pop_back();
    } else if (c != '\r' && c != '\a') {
      out += c;
    }
  }
  return out;
}

}  // namespace headroom::cli

#include "process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

extern char** environ;

namespace headroom::app {
namespace {

class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0) ends_ = {-1, -1};
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    for (const int fd : ends_) {
      if (fd >= 0) ::close(fd);
    }
  }
  [[nodiscard]] int reader() const { return ends_[0]; }
  [[nodiscard]] int writer() const { return ends_[1]; }
  void close_writer() { ::close(std::exchange(ends_[1], -1)); }

 private:
  std::array<int, 2> ends_{-1, -1};
};

// Both at once: a program that fills one pipe must not wait for us to read the other.
void drain(const Pipe& out, const Pipe& err, Captured& into) {
  std::array<pollfd, 2> fds{{{out.reader(), POLLIN, 0}, {err.reader(), POLLIN, 0}}};
  std::array<std::string*, 2> texts{&into.out, &into.err};
  std::array<char, 65536> buffer;
  while (fds[0].fd >= 0 || fds[1].fd >= 0) {
    if (::poll(fds.data(), fds.size(), -1) < 0) {
      if (errno == EINTR) continue;
      return;
    }
    for (std::size_t i = 0; i < fds.size(); ++i) {
      if (fds.at(i).fd < 0 || fds.at(i).revents == 0) continue;
      const ssize_t n = ::read(fds.at(i).fd, buffer.data(), buffer.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) {
        fds.at(i).fd = -1;
      } else {
        texts.at(i)->append(buffer.data(), static_cast<std::size_t>(n));
      }
    }
  }
}

}  // namespace

Captured capture(const std::vector<std::string>& words) {
  Captured result;
  Pipe out;
  Pipe err;
  std::vector<char*> argv;
  for (const auto& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.writer(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.writer(), STDERR_FILENO);
  pid_t child = 0;
  const int failure = ::posix_spawnp(&child, argv.front(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) {
    result.status = 127;
    result.err = std::strerror(failure);
    return result;
  }
  out.close_writer();
  err.close_writer();
  drain(out, err, result);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace headroom::app

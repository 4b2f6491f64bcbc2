#include "child.hpp"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <optional>
#include <utility>

extern char** environ;

namespace headroom::app {
namespace {

constexpr std::array<int, 8> passed_on{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT};
// main() ignores these for headroom itself; an ignored signal would stay ignored in the command.
constexpr std::array<int, 2> ignored_here{SIGPIPE, SIGXFSZ};
constexpr auto pause_after_end = std::chrono::milliseconds(200);
constexpr auto longest_after_end = std::chrono::seconds(2);

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() { close(); }
  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_ = -1;
};

struct Pipe {
  Descriptor read, write;
  [[nodiscard]] bool open() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    // A command that closed its standard streams leaves 0 to 2 free: a pipe there would be taken for them.
    for (int& end : ends) {
      const int moved = end > STDERR_FILENO ? end : ::fcntl(end, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
      if (moved != end) ::close(std::exchange(end, moved));
    }
    read = Descriptor(ends[0]);
    write = Descriptor(ends[1]);
    return ends[0] >= 0 && ends[1] >= 0;
  }
};

/// The signals that are passed on, and SIGCHLD, blocked and readable from a descriptor.
class Signals {
 public:
  Signals() {
    sigset_t wanted;
    sigemptyset(&wanted);
    sigaddset(&wanted, SIGCHLD);
    for (const int signal : passed_on) sigaddset(&wanted, signal);
    sigprocmask(SIG_BLOCK, &wanted, &before_);
    fd_ = Descriptor(signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK));
  }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  ~Signals() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  [[nodiscard]] int fd() const { return fd_.get(); }
  [[nodiscard]] const sigset_t& before() const { return before_; }
  [[nodiscard]] std::optional<signalfd_siginfo> next() const {
    signalfd_siginfo info{};
    if (::read(fd_.get(), &info, sizeof info) != static_cast<ssize_t>(sizeof info)) return std::nullopt;
    return info;
  }

 private:
  sigset_t before_{};
  Descriptor fd_;
};

/// One output stream: read only while everything before has been written.
class Relay {
 public:
  Relay(Descriptor from, int to) : from_(std::move(from)), to_(to) {}

  /// What this stream waits for; fd -1 once it is over.
  [[nodiscard]] pollfd wanted() const {
    if (!waiting_.empty()) return {to_, POLLOUT, 0};
    return {from_.get(), POLLIN, 0};
  }
  [[nodiscard]] bool over() const { return from_.get() < 0 && waiting_.empty(); }
  [[nodiscard]] bool waits_for_reader() const { return !waiting_.empty(); }
  void abandon() {
    from_.close();
    waiting_ = {};
  }

  /// Reads or writes once. Neither blocks after poll() said so: a pipe that is writable takes PIPE_BUF bytes.
  void move(const Tap& tap) {
    if (!waiting_.empty()) return write();
    const ssize_t n = ::read(from_.get(), buffer_.data(), buffer_.size());
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (n <= 0) return from_.close();
    waiting_ = std::string_view(buffer_.data(), static_cast<std::size_t>(n));
    tap(to_, waiting_);
  }

 private:
  void write() {
    const ssize_t n = ::write(to_, waiting_.data(), std::min<std::size_t>(waiting_.size(), PIPE_BUF));
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
    // Nobody reads any more (or the disk is full): the command meets a broken pipe, as it would without us.
    if (n < 0) return abandon();
    waiting_.remove_prefix(static_cast<std::size_t>(n));
  }

  Descriptor from_;
  int to_;
  std::string_view waiting_;
  std::array<char, 65536> buffer_{};
};

/// Starts `words`; 0 or errno.
int start(const std::vector<std::string>& words, const sigset_t& mask, int out, int err, pid_t& child) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
  sigset_t defaults;
  sigemptyset(&defaults);
  for (const int signal : ignored_here) sigaddset(&defaults, signal);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setsigmask(&attributes, &mask);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  int error = posix_spawnp(&child, argv[0], &actions, &attributes, argv.data(), environ);
  if (error == ENOEXEC && words[0].find('/') != std::string::npos) {  // a script without #!, as execvp does
    std::string shell = "sh";
    argv.insert(argv.begin(), shell.data());
    error = posix_spawn(&child, "/bin/sh", &actions, &attributes, argv.data(), environ);
  }
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

class Child {
 public:
  Child(pid_t pid, const Signals& signals, Descriptor out, Descriptor err, const Tap& tap)
      : pid_(pid),
        signals_(signals),
        relays_{Relay(std::move(out), STDOUT_FILENO), Relay(std::move(err), STDERR_FILENO)},
        tap_(tap) {}

  int run() {
    while (!ended_) turn(-1);
    const auto latest = std::chrono::steady_clock::now() + longest_after_end;
    while (!relays_[0].over() || !relays_[1].over()) {
      // A slow reader of our output is waited for; a descendant that holds the pipe is not.
      const bool ours = relays_[0].waits_for_reader() || relays_[1].waits_for_reader();
      if (!ours && std::chrono::steady_clock::now() > latest) break;
      if (!turn(ours ? -1 : static_cast<int>(pause_after_end.count()))) break;
    }
    return status_;
  }

 private:
  /// Waits once and does what can be done; false where nothing happened in time.
  bool turn(int timeout_ms) {
    std::array<pollfd, 3> wait{pollfd{signals_.fd(), POLLIN, 0}, relays_[0].wanted(), relays_[1].wanted()};
    const int ready = ::poll(wait.data(), wait.size(), timeout_ms);
    if (ready < 0) return errno == EINTR;
    if (ready == 0) return false;
    for (std::size_t i = 0; i < relays_.size(); ++i)
      if (wait[i + 1].revents != 0) relays_[i].move(tap_);
    if (wait[0].revents != 0)
      while (const auto info = signals_.next()) take(*info);
    return true;
  }

  void take(const signalfd_siginfo& info) {
    const int signal = static_cast<int>(info.ssi_signo);
    if (signal == SIGCHLD) return reap();
    // What the terminal sends goes to the whole process group, the command included.
    if (info.ssi_code != SI_KERNEL && !ended_) ::kill(pid_, signal);
    if (signal == SIGTSTP) ::kill(::getpid(), SIGSTOP);
  }

  void reap() {
    int status = 0;
    if (ended_ || ::waitpid(pid_, &status, WNOHANG) != pid_) return;
    ended_ = true;
    status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  pid_t pid_;
  const Signals& signals_;
  std::array<Relay, 2> relays_;
  const Tap& tap_;
  bool ended_ = false;
  int status_ = 0;
};

}  // namespace

ChildEnd run_child(const std::vector<std::string>& words, const Tap& tap) {
  const Signals signals;
  Pipe out, err;
  if (signals.fd() < 0 || !out.open() || !err.open()) return {126, errno};
  pid_t pid = 0;
  const int error = start(words, signals.before(), out.write.get(), err.write.get(), pid);
  if (error != 0) return {error == ENOENT || error == ENOTDIR ? 127 : 126, error};
  out.write.close();
  err.write.close();
  return {Child(pid, signals, std::move(out.read), std::move(err.read), tap).run(), 0};
}

}  // namespace headroom::app

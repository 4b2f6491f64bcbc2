#include "program.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace headroom::cli {
namespace {

namespace fs = std::filesystem;

// A terminal as the program sees it, and our end of it.
std::pair<int, int> open_terminal() {
  const int master = posix_openpt(O_RDWR | O_NOCTTY);
  REQUIRE(master >= 0);
  REQUIRE(grantpt(master) == 0);
  REQUIRE(unlockpt(master) == 0);
  const int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
  REQUIRE(slave >= 0);
  winsize size{};
  size.ws_row = 24;
  size.ws_col = 80;
  REQUIRE(ioctl(slave, TIOCSWINSZ, &size) == 0);
  return {slave, master};
}

std::string drain(int fd) {
  std::string text;
  std::array<char, 4096> buffer;
  for (;;) {
    const ssize_t n = ::read(fd, buffer.data(), buffer.size());
    if (n <= 0) return text;  // a terminal whose other end is closed says EIO
    text.append(buffer.data(), static_cast<std::size_t>(n));
  }
}

[[noreturn]] void become(const Run& what, const std::string& in, int out, const std::string& err) {
  const int in_fd = open(in.c_str(), O_RDONLY);
  const int err_fd = open(err.c_str(), O_WRONLY);
  if (dup2(in_fd, 0) < 0 || dup2(out, 1) < 0 || dup2(err_fd, 2) < 0 || chdir(what.folder.c_str()) != 0)
    _exit(127);
  for (int fd = 3; fd < 64; ++fd) close(fd);
  std::vector<std::string> words{HEADROOM_PROGRAM};
  words.insert(words.end(), what.args.begin(), what.args.end());
  std::vector<std::string> env{"PATH=/usr/bin:/bin", "TERM=xterm"};
  if (const char* options = std::getenv("ASAN_OPTIONS"))
    env.push_back(std::string("ASAN_OPTIONS=") + options);
  for (const auto& [name, value] : what.env) {
    std::erase_if(env, [&name = name](const std::string& entry) { return entry.starts_with(name + "="); });
    env.push_back(name + "=" + value);
  }
  std::vector<char*> argv;
  std::vector<char*> envp;
  for (auto& word : words) argv.push_back(word.data());
  for (auto& entry : env) envp.push_back(entry.data());
  argv.push_back(nullptr);
  envp.push_back(nullptr);
  execve(HEADROOM_PROGRAM, argv.data(), envp.data());
  _exit(127);
}

}  // namespace

Result run(const Run& what) {
  const TemporaryFolder folder;
  const std::string in = folder.file("in", what.input);
  const std::string err = folder.file("err", "");
  std::string out_path = what.stdout_path.empty() ? folder.file("out", "") : what.stdout_path;
  int out = -1;
  int master = -1;
  if (what.terminal) {
    std::tie(out, master) = open_terminal();
  } else if (what.closed_pipe) {
    std::array<int, 2> ends{};
    REQUIRE(pipe(ends.data()) == 0);
    close(ends[0]);
    out = ends[1];
  } else {
    out = open(out_path.c_str(), O_WRONLY);
  }
  REQUIRE(out >= 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) become(what, in, out, err);
  close(out);
  Result result;
  if (master >= 0) {
    result.out = drain(master);
    close(master);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (!what.terminal && !what.closed_pipe && what.stdout_path.empty()) result.out = read(out_path);
  result.err = read(err);
  return result;
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (fs::temp_directory_path() / "headroom-test-XXXXXX").string();
  REQUIRE(mkdtemp(pattern.data()) != nullptr);
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string TemporaryFolder::file(const std::string& name, const std::string& text) const {
  const fs::path path = fs::path(path_) / name;
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
  return path.string();
}

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace headroom::cli

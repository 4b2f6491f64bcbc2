#include "revision.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>

#include "headroom/source/pipe.hpp"

extern char** environ;

namespace headroom::app {
namespace {

tl::unexpected<source::Error> failed(const std::string& name, std::string message) {
  return tl::unexpected(source::Error{std::move(message), name, {}, false});
}

}  // namespace

bool is_revision(const std::string& name) {
  std::error_code ignored;
  return !name.starts_with('-') && !name.starts_with(':') && name.find(':') != std::string::npos &&
         !std::filesystem::exists(name, ignored);
}

source::Result<std::shared_ptr<const source::SourceText>> read_revision(const std::string& name) {
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return failed(name, std::strerror(errno));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipe[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  std::string program = "git", command = "cat-file", kind = "blob", object = name;
  std::array<char*, 5> arguments{program.data(), command.data(), kind.data(), object.data(), nullptr};
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, "git", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(pipe[1]);
  if (error != 0) {
    ::close(pipe[0]);
    return failed(name, fmt::format("cannot run git: {}", std::strerror(error)));
  }
  auto text = source::read_descriptor(pipe[0], name);
  ::close(pipe[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!text) return text;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return text;
  return failed(name, "no such file, and git knows no such revision and path");
}

}  // namespace headroom::app

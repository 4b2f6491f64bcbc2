#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>

#include "chars.hpp"
#include "headroom/source/document.hpp"
#include "headroom/source/edit.hpp"
#include "headroom/source/pipe.hpp"

namespace headroom::source {
namespace {

std::string reason(int error) {
  return std::strerror(error);
}

/// Owns a file descriptor; standard input is only borrowed.
class Descriptor {
 public:
  explicit Descriptor(int fd, bool owned = true) : fd_(fd), owned_(owned) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (owned_ && fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] int get() const { return fd_; }
  /// Closing reports a late write error, on network file systems for example.
  [[nodiscard]] bool close() { return ::close(std::exchange(fd_, -1)) == 0; }

 private:
  int fd_;
  bool owned_;
};

Result<std::string> read_all(int fd, const std::string& path, std::uint64_t limit) {
  std::string text;
  struct stat status {};
  if (::fstat(fd, &status) != 0) {
    return tl::unexpected(error_without_place(path, "cannot read: " + reason(errno)));
  }
  if (S_ISDIR(status.st_mode)) return tl::unexpected(error_without_place(path, "is a directory, not a file"));
  const auto too_large = [&] {
    return tl::unexpected(
        error_without_place(path, fmt::format("larger than {} MiB: no config", limit >> 20U)));
  };
  if (S_ISREG(status.st_mode)) {
    if (static_cast<std::uint64_t>(status.st_size) > limit) return too_large();
    text.reserve(static_cast<std::size_t>(status.st_size));
  }
  std::array<char, 65536> buffer;
  while (true) {
    const ssize_t n = ::read(fd, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return tl::unexpected(error_without_place(path, "cannot read: " + reason(errno)));
    if (n == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(n));
    if (text.size() > limit) return too_large();
  }
}

}  // namespace

Result<std::shared_ptr<const SourceText>> read_file(const std::string& path, const Limits& limits) {
  const bool standard_input = path == "-";
  const std::string name = standard_input ? "<stdin>" : path;
  const Descriptor file(standard_input ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC),
                        !standard_input);
  if (file.get() < 0) return tl::unexpected(error_without_place(name, "cannot open: " + reason(errno)));
  return read_descriptor(file.get(), name, limits);
}

Result<std::shared_ptr<const SourceText>> read_descriptor(int descriptor, const std::string& name,
                                                          const Limits& limits) {
  auto text = read_all(descriptor, name, limits.bytes);
  if (!text) return tl::unexpected(std::move(text.error()));
  auto source = std::make_shared<const SourceText>(name, std::move(*text));
  if (const auto bad = find_bad_byte(source->text())) {
    return tl::unexpected(error_at(*source, {bad->offset, bad->offset + 1}, bad->why));
  }
  return source;
}

namespace {

/// A file beside the target, gone again unless it was renamed over it.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& beside)
      : path_(beside + ".headroom-XXXXXX"), fd_(::mkstemp(path_.data())) {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (fd_.get() >= 0 || !renamed_) ::unlink(path_.c_str());
  }
  [[nodiscard]] bool is_open() const { return fd_.get() >= 0; }
  [[nodiscard]] bool write(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t n = ::write(fd_.get(), text.data(), text.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
  }
  [[nodiscard]] bool finish(mode_t mode) {
    return ::fchmod(fd_.get(), mode) == 0 && ::fsync(fd_.get()) == 0 && fd_.close();
  }
  [[nodiscard]] bool rename_to(const std::string& target) {
    renamed_ = std::rename(path_.c_str(), target.c_str()) == 0;
    return renamed_;
  }

 private:
  std::string path_;
  Descriptor fd_;
  bool renamed_ = false;
};

/// The file that `path` leads to: a symbolic link stays a link, its target is replaced.
std::string link_target(const std::string& path) {
  char* const resolved = ::realpath(path.c_str(), nullptr);
  std::string target = resolved == nullptr ? path : std::string(resolved);
  std::free(resolved);
  return target;
}

}  // namespace

Result<void> replace_file(const std::string& path, std::string_view expected, std::string_view text) {
  const auto fail = [&](std::string message) {
    return tl::unexpected(error_without_place(path, std::move(message)));
  };
  const std::string target = link_target(path);
  struct stat status {};
  if (::stat(target.c_str(), &status) != 0) return fail("cannot write: " + reason(errno));
  if (!S_ISREG(status.st_mode)) return fail("not a regular file, so it is not rewritten");
  if (::access(target.c_str(), W_OK) != 0) return fail("cannot write: " + reason(errno));
  TemporaryFile temporary(target);
  if (!temporary.is_open()) return fail("cannot create a file beside it: " + reason(errno));
  if (!temporary.write(text) || !temporary.finish(status.st_mode & 07777))
    return fail("cannot write: " + reason(errno));
  // Compared last, so that the time in which another program could write unseen is as short as it can be.
  Limits limits;
  limits.bytes = expected.size() + 1;
  const auto current = read_file(target, limits);
  if (!current || (*current)->text() != expected)
    return fail("changed since it was read; nothing was written");
  if (!temporary.rename_to(target)) return fail("cannot replace: " + reason(errno));
  return {};
}

}  // namespace headroom::source

#include "output.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include "headroom/report/terminal.hpp"

namespace headroom::app {
namespace {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

bool wants_color(ColorChoice choice, std::FILE* stream) {
  if (choice != ColorChoice::automatic) return choice == ColorChoice::always;
  if (!variable("NO_COLOR").empty()) return false;
  if (!variable("FORCE_COLOR").empty()) return true;
  const std::string_view force = variable("CLICOLOR_FORCE");
  if (!force.empty() && force != "0") return true;
  if (variable("CLICOLOR") == "0" || variable("TERM") == "dumb") return false;
  return isatty(fileno(stream)) == 1;
}

struct FileCloser {
  void operator()(std::FILE* f) const { std::fclose(f); }
};
using File = std::unique_ptr<std::FILE, FileCloser>;

// A late error, of a full disk for example, shows when the file is closed.
bool fill(File file, std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), file.get()) == text.size();
  return std::fclose(file.release()) == 0 && written;
}

bool cannot_write(const Options& options, const std::string& path) {
  complain(options, fmt::format("cannot write {}: {}", path, std::strerror(errno)));
  return false;
}

// What `open` would have given a new file.
mode_t usual_mode() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

}  // namespace

report::TextOptions text_options(const Options& options, std::FILE* stream) {
  report::TextOptions out;
  out.color = wants_color(options.color, stream);
  winsize size{};
  if (isatty(fileno(stream)) == 1 && ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col != 0) {
    out.width = std::clamp<unsigned>(size.ws_col, 40, 200);
  }
  return out;
}

bool write(std::FILE* stream, std::string_view text) {
  const bool written =
      std::fwrite(text.data(), 1, text.size(), stream) == text.size() && std::fflush(stream) == 0;
  if (written || errno == EPIPE) return true;
  const std::string message = fmt::format("error: cannot write output: {}\n", std::strerror(errno));
  std::fwrite(message.data(), 1, message.size(), stderr);
  return false;
}

bool write_own(std::FILE* stream, std::string_view text) {
  return isatty(fileno(stream)) == 1 ? write(stream, report::visible(text)) : write(stream, text);
}

bool spares(const Options& options, const std::string& path, const std::vector<std::string>& reads) {
  std::error_code error;
  for (const auto& read : reads) {
    if (!std::filesystem::is_regular_file(read, error) || !std::filesystem::equivalent(path, read, error))
      continue;
    complain(options, fmt::format("cannot write {}: it is an input of the command", path));
    return false;
  }
  return true;
}

bool write_file(const Options& options, const std::string& path, std::string_view text) {
  namespace fs = std::filesystem;
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && !S_ISREG(status.st_mode)) {  // before the links: /dev/stdout leads to a pipe without a name
    File file(std::fopen(path.c_str(), "wb"));
    return (file && fill(std::move(file), text)) || cannot_write(options, path);
  }
  std::error_code error;
  const fs::path target = fs::weakly_canonical(fs::absolute(path, error), error);  // a link stays a link
  if (error) return errno = error.value(), cannot_write(options, path);
  fs::create_directories(target.parent_path(), error);
  std::string temporary = target.string() + ".headroom-XXXXXX";
  const int fd = ::mkstemp(temporary.data());
  if (fd < 0) return cannot_write(options, path);
  File file(::fdopen(fd, "wb"));
  const bool good = file && ::fchmod(fd, exists ? status.st_mode & 07777 : usual_mode()) == 0 &&
                    fill(std::move(file), text) && std::rename(temporary.c_str(), target.c_str()) == 0;
  if (good) return true;
  const int why = errno;
  ::unlink(temporary.c_str());
  errno = why;
  return cannot_write(options, path);
}

bool append_file(const Options& options, const std::string& path, std::string_view text) {
  File file(std::fopen(path.c_str(), "ab"));
  return (file && fill(std::move(file), text)) || cannot_write(options, path);
}

void complain(const Options& options, std::string_view message) {
  const bool color = text_options(options, stderr).color;
  const std::string line =
      report::paint("error:", report::Style::red, color) + " " + report::printable(message) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace headroom::app

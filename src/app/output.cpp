#include "output.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

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

void complain(const Options& options, std::string_view message) {
  const bool color = text_options(options, stderr).color;
  const std::string line =
      report::paint("error:", report::Style::red, color) + " " + report::printable(message) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace headroom::app

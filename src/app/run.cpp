// `headroom run CONFIG -- CMD`: check, run the command, explain if it dies of memory.
#include <fmt/format.h>

#include <cstring>

#include "child.hpp"
#include "commands.hpp"
#include "output.hpp"

namespace headroom::app {
namespace {

void note(std::string_view text) {
  static_cast<void>(write(stderr, fmt::format("headroom: {}\n", text)));
}

std::string start_message(const std::vector<std::string>& command, int error) {
  if (error == ENOENT) return fmt::format("cannot run '{}': command not found", command.front());
  return fmt::format("cannot run '{}': {}", command.front(), std::strerror(error));
}

}  // namespace

ExitStatus run(const Options& options, int& status) {
  if (options.command_words.empty()) {
    complain(options, "run needs a command: headroom run CONFIG [options] -- COMMAND [words...]");
    return exit_usage;
  }
  const ExitStatus checked = check(options);
  if (checked != exit_clean && !options.force) {
    if (checked == exit_findings) note("the command was not started; --force starts it all the same");
    return checked;
  }
  const ChildEnd end = run_child(options.command_words, [](int, std::string_view) {});
  if (end.start_error != 0) complain(options, start_message(options.command_words, end.start_error));
  status = end.status;
  return exit_clean;
}

}  // namespace headroom::app

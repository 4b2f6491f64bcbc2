// Words of the command line to Options.
#pragma once
#include <optional>
#include <string>

#include "options.hpp"

namespace headroom::app {

/// Either options, or a text to print and the status to exit with (help, wrong usage).
struct Parsed {
  std::optional<Options> options;
  std::string text;  ///< help: for stdout; wrong usage: for stderr
  ExitStatus status = exit_clean;
};

[[nodiscard]] Parsed parse_command_line(int argc, const char* const* argv);

}  // namespace headroom::app

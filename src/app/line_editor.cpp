// The only file that knows libedit.
#include "line_editor.hpp"

#include <editline/readline.h>
#include <cstdlib>
#include <memory>

namespace headroom::app {

std::optional<std::string> read_line(const std::string& prompt, bool remember) {
  const std::unique_ptr<char, decltype(&std::free)> line(readline(prompt.c_str()), &std::free);
  if (line == nullptr) return std::nullopt;
  if (remember && line.get()[0] != '\0') add_history(line.get());
  return std::string(line.get());
}

}  // namespace headroom::app

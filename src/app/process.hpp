// Other programs: started with their words, without a shell.
#pragma once
#include <string>
#include <vector>

namespace headroom::app {

struct Captured {
  int status = -1;  ///< exit status; 128 + N where signal N ended it
  std::string out, err;
};

/// Runs `words` (the program is looked for in PATH) with an empty standard input and waits. Status 127 with
/// the reason in `err` where it cannot be started.
[[nodiscard]] Captured capture(const std::vector<std::string>& words);

}  // namespace headroom::app

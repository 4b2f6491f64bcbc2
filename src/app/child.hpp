// Runs a command as if it had been started directly: its output is passed through, signals reach it, its end
// becomes ours.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace headroom::app {

/// Bytes that the command wrote, in order, as they come. `stream` is 1 or 2.
using Tap = std::function<void(int stream, std::string_view bytes)>;

struct ChildEnd {
  int status = 0;       ///< exit status; 128 + N where signal N ended it
  int start_error = 0;  ///< errno where it could not be started; `status` is then 127 (not found) or 126
};

/// Standard input is inherited, standard output and standard error are pipes whose bytes go on unchanged,
/// each to its own stream. HUP, INT, QUIT, TERM, USR1, USR2, TSTP and CONT that other processes send are
/// passed on; what a terminal sends reaches the command by itself, since both are in one process group.
/// Descendants that keep the pipes open when the command has ended are not waited for: what is in the pipes
/// and follows without a pause of 0.2 s, for 2 s at most, is passed on.
[[nodiscard]] ChildEnd run_child(const std::vector<std::string>& words, const Tap& tap);

}  // namespace headroom::app

// A line from a terminal, with editing and history.
#pragma once
#include <optional>
#include <string>

namespace headroom::app {

/// Nothing at the end of input. Lines that are not empty go into the history where `remember` says so.
[[nodiscard]] std::optional<std::string> read_line(const std::string& prompt, bool remember);

}  // namespace headroom::app

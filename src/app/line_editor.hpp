// A line from a terminal, with editing, history and completion.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace headroom::app {

/// What the prompt of `explain` answers to.
inline constexpr std::array<std::string_view, 8> prompt_words{"diff", "fix",  "help",    "plan",
                                                              "quit", "save", "what-if", "why"};

/// Nothing at the end of input. Lines that are not empty go into the history where `remember` says so.
[[nodiscard]] std::optional<std::string> read_line(const std::string& prompt, bool remember);

}  // namespace headroom::app

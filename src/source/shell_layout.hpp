// How words are laid out in a script: lines, continuations, quotes around them.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "headroom/source/edit.hpp"

namespace headroom::source {

/// Ways to write `text` in place of `slice`, the most fitting first: its own quotes, none, others.
[[nodiscard]] std::vector<std::string> spellings(std::string_view slice, std::string_view text);
/// Ways to remove the tokens: whole lines where nothing else is on them.
[[nodiscard]] std::vector<std::vector<Edit>> removals(std::string_view text, std::vector<Span> tokens);
/// Ways to write `words` behind a token: own lines where the lines around hold one flag each, else the same
/// line.
[[nodiscard]] std::vector<Edit> insertions(std::string_view text, Span token,
                                           const std::vector<std::string>& words);

}  // namespace headroom::source

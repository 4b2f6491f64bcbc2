// Where the bytes of a word come from, and where the word stands on the way to the command.
#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "headroom/source/shell.hpp"

namespace headroom::source {

/// All places of bytes [begin, end) of the word, the origin first, the command last.
[[nodiscard]] std::vector<WordPlace> places_of(const Word& word, std::size_t begin, std::size_t end);
/// Number of expansions that all of the word went through.
[[nodiscard]] std::size_t depth_of(const Word& word);
/// Number of expansions, from the command inwards, that two words share.
[[nodiscard]] std::size_t shared_depth(const Word& a, const Word& b);
/// The token that is this word `depth` expansions inside the command; none where it is no single token there.
[[nodiscard]] std::optional<Span> token_at(const Word& word, std::size_t depth);

}  // namespace headroom::source

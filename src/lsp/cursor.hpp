// Where in a config a position is, by the text alone: while a line is being typed, no reader takes it.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "text.hpp"

namespace headroom::lsp {

struct Cursor {
  std::vector<std::string> path;  ///< keys above, outermost first
  bool value = false;             ///< behind `key:`; then `key` is that key
  std::string key;
  std::size_t begin = 0, end = 0;  ///< bytes of the word that is being typed
  std::set<std::string> siblings;  ///< keys that the mapping has already
  bool flow = false;               ///< inside `{…}`
};

/// Block style, and `{…}` within one line.
[[nodiscard]] Cursor yaml_cursor(const Text& text, std::size_t offset);

/// The word of a script at the position, and the one before it (empty where the word begins the command).
struct ScriptCursor {
  std::string word, before;
  std::size_t begin = 0, end = 0;
};
[[nodiscard]] ScriptCursor script_cursor(const Text& text, std::size_t offset);

}  // namespace headroom::lsp

// Byte edits on a source text: what a fix does to a file. Everything outside the edits stays as it was.
#pragma once
#include <string>
#include <vector>

#include "headroom/source/document.hpp"

namespace headroom::source {

struct Edit {
  Span span;  ///< replaced; empty = insertion
  std::string text;
};

/// Applies non-overlapping edits (any order). Overlap is a bug of the caller and aborts.
[[nodiscard]] std::string apply_edits(const SourceText& text, std::vector<Edit> edits);

/// Edits that make `path` (mapping keys) hold `value`: replaces the value in place, adds a missing key to
/// its mapping in that mapping's own layout (block or flow, same indentation), adds missing parents.
/// Fails where a part of the path exists and is no mapping, and where the edited text, read again, would not
/// hold `value` there and everything else as before (an anchor that is repeated elsewhere, say).
/// For several changes apply one, read the result, and ask for the next.
[[nodiscard]] Result<std::vector<Edit>> set_value(const Document& doc, const std::vector<std::string>& path,
                                                  const Value& value);
/// Edits that remove the key at `path` with its value (whole line in block style); none if it is absent.
[[nodiscard]] Result<std::vector<Edit>> remove_key(const Document& doc, const std::vector<std::string>& path);
/// `value` as YAML of `loader`, safe to paste (quotes where the loader would read another type).
[[nodiscard]] std::string to_yaml(const Value& value, Loader loader);

/// Unified diff of two texts with three lines of context; empty where they are equal.
[[nodiscard]] std::string unified_diff(std::string_view name, std::string_view before,
                                       std::string_view after);

/// Writes `text` to `path` through a temporary file and a rename; refuses where the file no longer holds
/// `expected`.
[[nodiscard]] Result<void> replace_file(const std::string& path, std::string_view expected,
                                        std::string_view text);

}  // namespace headroom::source

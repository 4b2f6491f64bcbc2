// The outer form of a rule file: YAML front matter, then Markdown with a title and example blocks.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "headroom/source/document.hpp"

namespace headroom::rules {

struct Block {
  bool fails = false;
  std::string_view yaml;      ///< between the fences, in the text of the file
  std::uint32_t line = 0;     ///< of its first line, in the file
  std::string_view log = {};  ///< of the ```log block that follows
};

struct Page {
  std::string_view text;   ///< everything after the front matter
  std::string_view title;  ///< of the first `# ` heading; empty where there is none
  std::vector<Block> blocks;
};

/// Where the front matter ends; npos where the file has none (`body` then is the whole text).
struct Parts {
  std::string_view
      front;  ///< opening `---` line included, closing one not: YAML with the file's line numbers
  std::string_view body;
  bool found = false;
};
[[nodiscard]] Parts split_front_matter(std::string_view text);

/// `text` is the whole file. Faults of form go to `errors`.
[[nodiscard]] Page read_page(const source::SourceText& text, std::string_view body,
                             std::vector<source::Error>& errors);

/// The place in the file of byte `offset` of a scalar's text. Folding and quoting keep the visible characters
/// in order, so that counting them finds the place.
[[nodiscard]] source::Position place_in_scalar(const source::Document& doc, const source::Node& node,
                                               std::size_t offset);

/// An error that was found in the text of `node` (positions counted from {1,1}), moved to the file.
[[nodiscard]] source::Error in_file(source::Error error, const source::Document& doc,
                                    const source::Node& node, std::size_t base = 0);

[[nodiscard]] source::Error error_at(const source::SourceText& text, source::Span span, std::string message);

}  // namespace headroom::rules

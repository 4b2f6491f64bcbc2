// A text as a client sees it: lines from 0, columns in UTF-16 units or, where agreed, in bytes.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "headroom/source/span.hpp"
#include "json.hpp"

namespace headroom::lsp {

enum class Encoding : std::uint8_t { utf16, utf8 };

/// Lines end at LF, CRLF and CR, as the protocol says.
class Text {
 public:
  Text(std::string bytes, Encoding encoding);

  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  [[nodiscard]] std::size_t line_count() const { return starts_.size(); }
  /// Without its line break; empty past the end.
  [[nodiscard]] std::string_view line(std::size_t index) const;
  [[nodiscard]] std::size_t line_start(std::size_t index) const { return starts_[index]; }
  [[nodiscard]] std::size_t line_of(std::size_t offset) const;

  /// `{line, character}` to a byte offset. Past the end of a line: its end; past the last line: the end of
  /// the text; inside a character: its beginning.
  [[nodiscard]] std::size_t offset(const Json& position) const;
  [[nodiscard]] Json position(std::size_t offset) const;
  [[nodiscard]] Json range(std::size_t begin, std::size_t end) const;

  /// Carries out one element of `contentChanges`: a range, or the whole text.
  void change(const Json& change);

 private:
  void find_lines();

  std::string bytes_;
  std::vector<std::size_t> starts_;
  Encoding encoding_;
};

/// Byte span of a place given in lines and columns of code points.
[[nodiscard]] source::Span span_of(const source::SourceText& text, const source::Location& location);

}  // namespace headroom::lsp

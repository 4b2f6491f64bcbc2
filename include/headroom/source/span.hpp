// Places in a source text. Offsets are bytes from the start of the text as read (BOM included);
// lines and columns are 1-based, columns count Unicode code points (SARIF `unicodeCodePoints`).
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headroom::source {

/// Half-open byte range [begin, end) in one source.
struct Span {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  [[nodiscard]] bool empty() const { return begin == end; }
  friend bool operator==(const Span&, const Span&) = default;
};

/// 1-based line and column (code points).
struct Position {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
  friend bool operator==(const Position&, const Position&) = default;
};

struct Location {
  Position start;
  Position end;  ///< exclusive
  friend bool operator==(const Location&, const Location&) = default;
};

/// A text and the name it goes by in messages. Immutable after construction.
class SourceText {
 public:
  SourceText() = default;
  SourceText(std::string name, std::string text);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] std::string_view slice(Span span) const;
  [[nodiscard]] Position position(std::uint32_t offset) const;
  [[nodiscard]] Location location(Span span) const { return {position(span.begin), position(span.end)}; }
  /// Line `line` (1-based) without its line break; empty past the end.
  [[nodiscard]] std::string_view line(std::uint32_t line) const;
  [[nodiscard]] std::uint32_t line_count() const { return static_cast<std::uint32_t>(line_starts_.size()); }

 private:
  std::string name_;
  std::string text_;
  std::vector<std::uint32_t> line_starts_{0};
};

}  // namespace headroom::source

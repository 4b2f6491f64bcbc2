// Where YAML tokens end. yaml-cpp tells only where they start.
#pragma once
#include <cstdint>
#include <string_view>

namespace headroom::source {

/// Scans over the text of one file; every offset is a byte offset in it.
class TextScan {
 public:
  explicit TextScan(std::string_view text) : text_(text) {}

  [[nodiscard]] char at(std::uint32_t p) const { return p < text_.size() ? text_[p] : '\0'; }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(text_.size()); }
  /// Byte column (0-based) of `p` in its line.
  [[nodiscard]] std::uint32_t column(std::uint32_t p) const;
  /// Past white space, line breaks and comments.
  [[nodiscard]] std::uint32_t skip_blank(std::uint32_t p) const;
  /// Past tags and anchors in front of a node, and the blanks behind them.
  struct Properties {
    std::uint32_t end = 0;      ///< behind the last property
    std::uint32_t content = 0;  ///< start of the node itself
    std::string_view tag;
  };
  [[nodiscard]] Properties skip_properties(std::uint32_t p) const;
  /// Behind the closing quote; `p` itself where there is none.
  [[nodiscard]] std::uint32_t quoted_end(std::uint32_t p) const;
  /// End of the plain scalar at `p` whose folded content is `value`.
  [[nodiscard]] std::uint32_t plain_end(std::uint32_t p, std::string_view value) const;
  /// End of the block scalar whose `|` or `>` is at `p`: of its last line that is not blank, without the
  /// break. `parent_indent` is the column of the block collection around it, -1 at the root.
  [[nodiscard]] std::uint32_t block_scalar_end(std::uint32_t p, int parent_indent) const;
  /// End of an alias, anchor or tag word.
  [[nodiscard]] std::uint32_t word_end(std::uint32_t p) const;
  /// Whether one of YAML's words for null is at `p`.
  [[nodiscard]] std::uint32_t null_word_length(std::uint32_t p) const;

 private:
  [[nodiscard]] std::uint32_t line_end(std::uint32_t p) const;
  std::string_view text_;
};

}  // namespace headroom::source

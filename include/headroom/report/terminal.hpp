// Text for a terminal: colours, widths, wrapping, tables.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headroom::report {

enum class Style : std::uint8_t { plain, bold, red, yellow, magenta, blue, cyan, green };

/// `text` in a style; unchanged where `color` is off.
[[nodiscard]] std::string paint(std::string_view text, Style style, bool color);

/// Control characters and bytes that are no UTF-8 become U+FFFD, a tab one blank: an input can neither steer
/// the terminal nor shift an underline. Line breaks stay.
[[nodiscard]] std::string printable(std::string_view text);

/// A text of somebody else's, to be looked at on a terminal: what could steer it is spelt out, `\x1b` or
/// `\u202e`. Tabs and ends of lines stay.
[[nodiscard]] std::string visible(std::string_view text);

/// Bytes that are no UTF-8 become U+FFFD; nothing else changes.
[[nodiscard]] std::string valid_utf8(std::string_view text);

/// The UTF-16 units of a text; a byte that is no UTF-8 is U+FFFD.
[[nodiscard]] std::u16string utf16(std::string_view text);

/// At most `most` bytes, with `…` at the end where some are missing; no character is parted.
[[nodiscard]] std::string cut_bytes(std::string_view text, std::size_t most);

/// Columns that printable text takes (wide East Asian characters two, combining marks none).
[[nodiscard]] unsigned display_width(std::string_view text);

/// Breaks at blanks so that lines have at most `width` columns; a longer word stands alone. `first` columns
/// are already taken on the first line. Line breaks in the text are kept.
[[nodiscard]] std::vector<std::string> wrap(std::string_view text, unsigned width, unsigned first = 0);

/// Rows of cells as aligned columns, two blanks between; the last column is cut with `…` at `width` (0 =
/// never). The first row is a heading.
[[nodiscard]] std::string table(const std::vector<std::vector<std::string>>& rows, unsigned width,
                                bool color);

/// The same with nothing left out: where a row is wider than `width`, the widest columns get narrower, and
/// their cells take several lines.
[[nodiscard]] std::string wrapped_table(const std::vector<std::vector<std::string>>& rows, unsigned width,
                                        bool color);

/// The start of a text, at most `width` columns with a ` …` at its end; cut between words where it can be.
[[nodiscard]] std::string first_words(const std::string& text, unsigned width);

}  // namespace headroom::report

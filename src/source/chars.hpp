// Character classes and small scans that the readers share. ASCII only, independent of the locale.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "headroom/source/error.hpp"

namespace headroom::source {

inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
inline bool is_octal_digit(char c) {
  return c >= '0' && c <= '7';
}
inline char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
inline bool is_alpha(char c) {
  return lower(c) >= 'a' && lower(c) <= 'z';
}
inline bool is_hex_digit(char c) {
  return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'f');
}
inline bool is_blank(char c) {
  return c == ' ' || c == '\t';
}
inline bool is_break(char c) {
  return c == '\n' || c == '\r';
}
inline bool is_space(char c) {
  return is_blank(c) || is_break(c);
}

[[nodiscard]] bool equals_ignoring_case(std::string_view a, std::string_view lower_case);

/// A byte that cannot be in a text, and why.
struct BadByte {
  std::uint32_t offset = 0;
  std::string why;
};
/// First byte that is no UTF-8, or NUL; a UTF-16 or UTF-32 byte order mark.
[[nodiscard]] std::optional<BadByte> find_bad_byte(std::string_view text);
/// First control character that YAML does not allow (PyYAML refuses it too). `text` is UTF-8.
[[nodiscard]] std::optional<BadByte> find_control_character(std::string_view text);

inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

[[nodiscard]] Error error_at(const SourceText& text, Span span, std::string message);
[[nodiscard]] Error error_without_place(std::string_view source, std::string message);

/// Appends the UTF-8 bytes of a code point.
void append_utf8(std::string& out, std::uint32_t code_point);

}  // namespace headroom::source

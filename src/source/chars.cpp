#include "chars.hpp"

#include <fmt/format.h>

namespace headroom::source {
namespace {

unsigned char byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

/// Length of the UTF-8 sequence at `i`; 0 where there is none (overlong, surrogate, truncated).
std::size_t sequence_length(std::string_view text, std::size_t i) {
  const unsigned char lead = byte_at(text, i);
  std::size_t length = 0;
  unsigned char low = 0x80;
  unsigned char high = 0xBF;
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
  } else {
    return 0;
  }
  if (i + length > text.size()) return 0;
  if (byte_at(text, i + 1) < low || byte_at(text, i + 1) > high) return 0;
  for (std::size_t k = 2; k < length; ++k) {
    if ((byte_at(text, i + k) & 0xC0U) != 0x80U) return 0;
  }
  return length;
}

}  // namespace

bool equals_ignoring_case(std::string_view a, std::string_view lower_case) {
  if (a.size() != lower_case.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (lower(a[i]) != lower_case[i]) return false;
  }
  return true;
}

std::optional<BadByte> find_bad_byte(std::string_view text) {
  using namespace std::string_view_literals;
  if (text.starts_with("\xFF\xFE\0\0"sv) || text.starts_with("\0\0\xFE\xFF"sv)) {
    return BadByte{0, "this is UTF-32 text; save it as UTF-8"};
  }
  if (text.starts_with("\xFF\xFE"sv) || text.starts_with("\xFE\xFF"sv)) {
    return BadByte{0, "this is UTF-16 text; save it as UTF-8"};
  }
  for (std::size_t i = 0; i < text.size();) {
    const unsigned char c = byte_at(text, i);
    if (c == 0) return BadByte{static_cast<std::uint32_t>(i), "a NUL byte: this is no text file"};
    const std::size_t length = c < 0x80 ? 1 : sequence_length(text, i);
    if (length == 0) {
      return BadByte{static_cast<std::uint32_t>(i), fmt::format("byte 0x{:02x} is not valid UTF-8", c)};
    }
    i += length;
  }
  return std::nullopt;
}

std::optional<BadByte> find_control_character(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const unsigned char c = byte_at(text, i);
    const bool ascii_control = (c < 0x20 && !is_space(text[i])) || c == 0x7F;
    // U+0080 to U+009F but for U+0085 (next line); U+FFFE and U+FFFF.
    const bool c1_control = c == 0xC2 && byte_at(text, i + 1) < 0xA0 && byte_at(text, i + 1) != 0x85;
    const bool no_character = c == 0xEF && byte_at(text, i + 1) == 0xBF && byte_at(text, i + 2) >= 0xBE;
    if (!ascii_control && !c1_control && !no_character) continue;
    std::string why = ascii_control ? fmt::format("control character 0x{:02x}", c) : "a control character";
    return BadByte{static_cast<std::uint32_t>(i), why + " is not allowed in YAML"};
  }
  return std::nullopt;
}

Error error_at(const SourceText& text, Span span, std::string message) {
  return {std::move(message), text.name(), text.location(span), true};
}

Error error_without_place(std::string_view source, std::string message) {
  return {std::move(message), std::string(source), {}, false};
}

void append_utf8(std::string& out, std::uint32_t code_point) {
  const auto put = [&](std::uint32_t byte) { out += static_cast<char>(static_cast<unsigned char>(byte)); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xC0U | (code_point >> 6U));
    put(0x80U | (code_point & 0x3FU));
  } else if (code_point < 0x10000) {
    put(0xE0U | (code_point >> 12U));
    put(0x80U | ((code_point >> 6U) & 0x3FU));
    put(0x80U | (code_point & 0x3FU));
  } else {
    put(0xF0U | (code_point >> 18U));
    put(0x80U | ((code_point >> 12U) & 0x3FU));
    put(0x80U | ((code_point >> 6U) & 0x3FU));
    put(0x80U | (code_point & 0x3FU));
  }
}

}  // namespace headroom::source

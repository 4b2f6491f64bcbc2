#include "text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace headroom::oom {
namespace {

struct Unit {
  std::string_view name;
  double bytes;
};
// Of the allocator, of Ray (GB and MB there are decimal), of NumPy.
constexpr std::array<Unit, 10> units{{{"bytes", 1},
                                      {"byte", 1},
                                      {"KiB", 1024},
                                      {"MiB", 1024.0 * 1024},
                                      {"GiB", 1024.0 * 1024 * 1024},
                                      {"TiB", 1024.0 * 1024 * 1024 * 1024},
                                      {"kB", 1e3},
                                      {"MB", 1e6},
                                      {"GB", 1e9},
                                      {"TB", 1e12}}};

std::string_view skip_blanks(std::string_view text) {
  const auto at = text.find_first_not_of(" \t");
  return at == std::string_view::npos ? std::string_view() : text.substr(at);
}

/// Escape sequence at the start of `text`: its length, 0 where there is none.
std::size_t escape_length(std::string_view text) {
  if (text.size() < 2 || text[0] != '\x1b') return text.empty() || text[0] != '\x1b' ? 0 : 1;
  if (text[1] == ']') {  // up to BEL or ESC backslash
    const auto end = text.find_first_of("\a\x1b", 2);
    if (end == std::string_view::npos) return text.size();
    return std::min(end + (text[end] == '\a' ? 1 : 2), text.size());
  }
  if (text[1] != '[') return 2;
  std::size_t i = 2;
  while (i < text.size() && (text[i] < 0x40 || text[i] > 0x7e)) ++i;
  return std::min(i + 1, text.size());
}

}  // namespace

std::optional<std::string_view> after(std::string_view text, std::string_view mark) {
  const auto at = text.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  return text.substr(at + mark.size());
}

std::optional<std::int64_t> leading_integer(std::string_view text) {
  text = skip_blanks(text);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  return value;
}

std::optional<double> leading_number(std::string_view text) {
  text = skip_blanks(text);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<double> leading_size(std::string_view text) {
  text = skip_blanks(text);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !std::isfinite(value)) return std::nullopt;
  text = skip_blanks(text.substr(static_cast<std::size_t>(end - text.data())));
  for (const Unit& u : units)
    if (text.starts_with(u.name)) return std::round(value * u.bytes);
  return std::nullopt;
}

std::optional<double> trailing_size(std::string_view text) {
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  const auto unit = text.find_last_of(' ');
  if (unit == std::string_view::npos || unit == 0) return std::nullopt;
  const auto number = text.find_last_not_of("0123456789.eE+", text.find_last_not_of(' ', unit));
  return leading_size(number == std::string_view::npos ? text : text.substr(number + 1));
}

std::string cleaned(std::string_view line, std::size_t limit) {
  std::string out;
  out.reserve(std::min(line.size(), limit));
  for (std::size_t i = 0; i < line.size() && out.size() < limit; ++i) {
    const char c = line[i];
    if (c == '\x1b') {
      i += escape_length(line.substr(i)) - 1;
    } else {
      out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
    }
  }
  if (out.size() >= limit) {  // no half of a character
    while (!out.empty() && (static_cast<unsigned char>(out.back()) & 0xc0) == 0x80) out.pop_back();
    if (!out.empty() && static_cast<unsigned char>(out.back()) >= 0xc0) out.pop_back();
  }
  return out;
}

}  // namespace headroom::oom

#include "headroom/report/terminal.hpp"

#include <fmt/format.h>
#include <algorithm>

#include <array>

namespace headroom::report {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

struct CodePoint {
  char32_t value = 0;
  std::size_t bytes = 1;
  bool valid = false;
};

// Strict UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF.
CodePoint decode(std::string_view s) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(s[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || s.size() < size) return {};
  char32_t value = lead & (0xFFU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return {};
    value = (value << 6U) | (byte(i) & 0x3FU);
  }
  constexpr std::array<char32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
  if (value < least.at(size) || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return {};
  return {value, size, true};
}

struct Range {
  char32_t first, last;
};

template <std::size_t N>
bool within(const std::array<Range, N>& ranges, char32_t c) {
  return std::any_of(ranges.begin(), ranges.end(), [c](Range r) { return c >= r.first && c <= r.last; });
}

// The usual blocks; a complete Unicode table would buy nothing for config files.
unsigned columns(char32_t c) {
  static constexpr std::array<Range, 4> none{
      {{0x300, 0x36F}, {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}}};
  static constexpr std::array<Range, 9> wide{{{0x1100, 0x115F},
                                              {0x2E80, 0xA4CF},
                                              {0xAC00, 0xD7A3},
                                              {0xF900, 0xFAFF},
                                              {0xFE30, 0xFE6F},
                                              {0xFF00, 0xFF60},
                                              {0xFFE0, 0xFFE6},
                                              {0x1F300, 0x1FAFF},
                                              {0x20000, 0x3FFFD}}};
  if (within(none, c)) return 0;
  return within(wide, c) ? 2 : 1;
}

bool is_control(char32_t c) {
  // C0, DEL, C1, and the marks that reorder text for the reader.
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

std::string cut(const std::string& text, unsigned width) {
  if (display_width(text) <= width) return text;
  std::string out;
  unsigned used = 1;  // the ellipsis
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint c = decode(std::string_view(text).substr(i));
    used += columns(c.value);
    if (used > width) break;
    out.append(text, i, c.bytes);
    i += c.bytes;
  }
  return out + "…";
}

}  // namespace

std::string paint(std::string_view text, Style style, bool color) {
  static constexpr std::array<std::string_view, 8> codes{"",     "1",    "1;31", "1;33",
                                                         "1;35", "1;34", "1;36", "1;32"};
  const std::string_view code = codes.at(static_cast<std::size_t>(style));
  if (!color || code.empty()) return std::string(text);
  return "\033[" + std::string(code) + "m" + std::string(text) + "\033[0m";
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const CodePoint c = decode(text);
    if (!c.valid) {
      out += replacement;
    } else if (c.value == '\t') {
      out += ' ';
    } else if (is_control(c.value) && c.value != '\n') {
      out += replacement;
    } else {
      out += text.substr(0, c.bytes);
    }
    text.remove_prefix(c.bytes);
  }
  return out;
}

std::string visible(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const CodePoint c = decode(text);
    const bool end_of_line = c.value == '\n' || text.starts_with("\r\n");
    if (!c.valid)
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    else if (!is_control(c.value) || c.value == '\t' || end_of_line)
      out += text.substr(0, c.bytes);
    else
      out += c.value < 0x100 ? fmt::format("\\x{:02x}", static_cast<unsigned>(c.value))
                             : fmt::format("\\u{:04x}", static_cast<unsigned>(c.value));
    text.remove_prefix(c.bytes);
  }
  return out;
}

std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const CodePoint c = decode(text);
    out += c.valid ? text.substr(0, c.bytes) : replacement;
    text.remove_prefix(c.bytes);
  }
  return out;
}

std::u16string utf16(std::string_view text) {
  std::u16string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const CodePoint c = decode(text);
    const char32_t value = c.valid ? c.value : 0xFFFD;
    if (value >= 0x10000) {
      out += static_cast<char16_t>(0xD800 + ((value - 0x10000) >> 10U));
      out += static_cast<char16_t>(0xDC00 + ((value - 0x10000) & 0x3FFU));
    } else {
      out += static_cast<char16_t>(value);
    }
    text.remove_prefix(c.bytes);
  }
  return out;
}

std::string cut_bytes(std::string_view text, std::size_t most) {
  constexpr std::string_view ellipsis = "…";
  if (text.size() <= most || most < ellipsis.size()) return std::string(text.substr(0, most));
  std::size_t end = most - ellipsis.size();
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return std::string(text.substr(0, end)) + std::string(ellipsis);
}

unsigned display_width(std::string_view text) {
  unsigned width = 0;
  while (!text.empty()) {
    const CodePoint c = decode(text);
    width += c.valid ? columns(c.value) : 1;
    text.remove_prefix(c.bytes);
  }
  return width;
}

std::vector<std::string> wrap(std::string_view text, unsigned width, unsigned first) {
  std::vector<std::string> lines(1);
  unsigned used = first;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    const std::string_view word = text.substr(0, end);
    const unsigned size = display_width(word);
    if (!word.empty()) {
      const bool starts = lines.back().empty();
      // A word that does not fit beside a prefix may still fit on a line of its own.
      if (used + size + (starts ? 0 : 1) > width && (!starts || (lines.size() == 1 && first != 0))) {
        lines.emplace_back();
        used = 0;
      }
      if (!lines.back().empty()) {
        lines.back() += ' ';
        ++used;
      }
      lines.back() += word;
      used += size;
    }
    if (end < text.size() && text[end] == '\n') {
      lines.emplace_back();
      used = 0;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string first_words(const std::string& text, unsigned width) {
  if (display_width(text) <= width) return text;
  std::string out = cut(text, width - 1);
  out.resize(out.size() - std::string_view("…").size());
  const std::size_t blank = out.find_last_of(' ');
  if (blank != std::string::npos && blank + 24 > out.size()) out.resize(blank);
  out.erase(out.find_last_not_of(' ') + 1);
  return out + " …";
}

std::string table(const std::vector<std::vector<std::string>>& rows, unsigned width, bool color) {
  std::vector<unsigned> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i]));
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    unsigned used = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i + 1 == row.size()) {
        const unsigned rest = width > used + 8 ? width - used : 8;
        line += width == 0 ? row[i] : cut(row[i], rest);
      } else {
        line += row[i] + std::string(widths[i] - display_width(row[i]) + 2, ' ');
        used += widths[i] + 2;
      }
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += paint(line, &row == rows.data() ? Style::bold : Style::plain, color) + "\n";
  }
  return out;
}

namespace {

constexpr unsigned gap = 2;

/// Widths that fit: the widest columns get narrower, the first, which names the row, after the others.
std::vector<unsigned> fitting(std::vector<unsigned> widths, unsigned width) {
  unsigned total = 0;
  for (const unsigned w : widths) total += w + gap;
  if (width == 0 || total <= width + gap) return widths;
  unsigned excess = total - width - gap;
  const auto narrow = [&](auto first, auto last, unsigned least) {
    while (excess > 0 && first != last) {
      const auto widest = std::max_element(first, last);
      if (*widest <= least) return;
      --*widest;
      --excess;
    }
  };
  narrow(widths.begin() + 1, widths.end(), 20);
  narrow(widths.begin(), widths.begin() + 1, 30);
  narrow(widths.begin(), widths.end(), 8);
  return widths;
}

/// Lines of a cell: broken at blanks, behind marks that names have, or anywhere.
std::vector<std::string> lines_of(std::string text, unsigned width) {
  std::vector<std::string> out;
  while (display_width(text) > width) {
    std::string head;
    unsigned used = 0;
    std::size_t good = 0;
    for (std::size_t i = 0; i < text.size();) {
      const CodePoint c = decode(std::string_view(text).substr(i));
      used += columns(c.value);
      if (used > width) break;
      head.append(text, i, c.bytes);
      i += c.bytes;
      if (std::string_view(" ./_,;-").find(head.back()) != std::string_view::npos) good = head.size();
    }
    if (good > head.size() / 3) head.resize(good);
    if (head.empty()) break;
    text.erase(0, head.size());
    head.erase(head.find_last_not_of(' ') + 1);
    out.push_back(std::move(head));
  }
  out.push_back(std::move(text));
  return out;
}

}  // namespace

std::string wrapped_table(const std::vector<std::vector<std::string>>& rows, unsigned width, bool color) {
  std::vector<unsigned> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i]));
  }
  widths = fitting(std::move(widths), width);
  std::string out;
  for (const auto& row : rows) {
    std::vector<std::vector<std::string>> cells;
    std::size_t height = 1;
    for (std::size_t i = 0; i < row.size(); ++i) {
      cells.push_back(lines_of(row[i], widths[i]));
      height = std::max(height, cells.back().size());
    }
    for (std::size_t n = 0; n < height; ++n) {
      std::string line;
      for (std::size_t i = 0; i < cells.size(); ++i) {
        const std::string cell = n < cells[i].size() ? cells[i][n] : std::string();
        line += cell + std::string(widths[i] - std::min(widths[i], display_width(cell)) + gap, ' ');
      }
      line.erase(line.find_last_not_of(' ') + 1);
      out += paint(line, &row == rows.data() ? Style::bold : Style::plain, color) + "\n";
    }
  }
  return out;
}

}  // namespace headroom::report

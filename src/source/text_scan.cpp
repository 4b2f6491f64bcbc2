#include "text_scan.hpp"

#include <algorithm>
#include <array>

#include "chars.hpp"

namespace headroom::source {
namespace {

bool is_flow_mark(char c) {
  return c == ',' || c == '[' || c == ']' || c == '{' || c == '}';
}

}  // namespace

std::uint32_t TextScan::column(std::uint32_t p) const {
  std::uint32_t start = std::min(p, size());
  while (start > 0 && !is_break(text_[start - 1])) --start;
  if (start == 0 && text_.starts_with(byte_order_mark)) start = std::min<std::uint32_t>(3, p);
  return p - start;
}

std::uint32_t TextScan::line_end(std::uint32_t p) const {
  while (p < size() && !is_break(text_[p])) ++p;
  return p;
}

std::uint32_t TextScan::skip_blank(std::uint32_t p) const {
  while (p < size()) {
    if (is_space(text_[p])) {
      ++p;
    } else if (text_[p] == '#') {
      p = line_end(p);
    } else {
      break;
    }
  }
  return p;
}

std::uint32_t TextScan::word_end(std::uint32_t p) const {
  if (text_.substr(p).starts_with("!<")) {
    while (p < size() && text_[p] != '>' && !is_space(text_[p])) ++p;
    return at(p) == '>' ? p + 1 : p;
  }
  const bool anchor = at(p) == '&' || at(p) == '*';
  while (p < size() && !is_space(text_[p]) && !is_flow_mark(text_[p])) {
    if (anchor &&
        (text_[p] == ':' || text_[p] == '?' || text_[p] == '%' || text_[p] == '@' || text_[p] == '`'))
      break;
    ++p;
  }
  return p;
}

TextScan::Properties TextScan::skip_properties(std::uint32_t p) const {
  Properties result{p, p, {}};
  while (at(result.content) == '!' || at(result.content) == '&') {
    const std::uint32_t end = word_end(result.content);
    if (at(result.content) == '!') result.tag = text_.substr(result.content, end - result.content);
    result.end = end;
    result.content = skip_blank(end);
  }
  return result;
}

std::uint32_t TextScan::quoted_end(std::uint32_t p) const {
  const char quote = at(p);
  for (std::uint32_t i = p + 1; i < size(); ++i) {
    if (quote == '"' && text_[i] == '\\') {
      ++i;
    } else if (text_[i] == quote) {
      if (quote == '"' || at(i + 1) != '\'') return i + 1;
      ++i;
    }
  }
  return p;
}

std::uint32_t TextScan::plain_end(std::uint32_t p, std::string_view value) const {
  if (text_.substr(std::min(p, size())).starts_with(value))
    return p + static_cast<std::uint32_t>(value.size());
  std::uint32_t end = p;
  for (std::size_t i = 0; i < value.size() && p < size();) {
    if (text_[p] == value[i] && !is_break(text_[p])) {
      // Blanks before a line break are folded away, so they count only once a character follows.
      if (!is_blank(text_[p])) end = p + 1;
      ++p;
      ++i;
    } else if (is_space(value[i])) {
      while (i < value.size() && is_space(value[i])) ++i;
      while (p < size() && is_space(text_[p])) ++p;
    } else if (is_space(text_[p])) {
      ++p;
    } else {
      break;
    }
  }
  return end;
}

std::uint32_t TextScan::block_scalar_end(std::uint32_t p, int parent_indent) const {
  std::uint32_t indent = 0;
  bool known = false;
  const std::uint32_t header_end = line_end(p);
  for (std::uint32_t i = p + 1; i < header_end && (is_digit(text_[i]) || text_[i] == '-' || text_[i] == '+');
       ++i) {
    if (!is_digit(text_[i])) continue;
    indent = static_cast<std::uint32_t>(std::max(parent_indent, 0) + (text_[i] - '0'));
    known = true;
  }
  std::uint32_t end = header_end;
  while (end > p && is_blank(text_[end - 1])) --end;
  std::uint32_t line = header_end;
  while (line < size()) {
    line += at(line) == '\r' && at(line + 1) == '\n' ? 2 : 1;
    std::uint32_t first = line;
    while (at(first) == ' ') ++first;
    const std::uint32_t stop = line_end(first);
    if (first < stop &&
        text_.substr(first, stop - first).find_first_not_of(" \t") != std::string_view::npos) {
      const std::uint32_t width = first - line;
      if (!known) indent = width;
      const auto mark = text_.substr(line, 3);
      const bool next_document =
          (mark == "---" || mark == "...") && (line + 3 >= size() || is_space(text_[line + 3]));
      if (next_document || (!known && static_cast<int>(width) <= parent_indent) || width < indent) break;
      known = true;
      end = stop;
    }
    line = stop;
  }
  return end;
}

std::uint32_t TextScan::null_word_length(std::uint32_t p) const {
  static constexpr std::array<std::string_view, 4> words = {"~", "null", "Null", "NULL"};
  const std::string_view rest = text_.substr(std::min(p, size()));
  for (const auto word : words) {
    if (!rest.starts_with(word)) continue;
    const char next = at(p + static_cast<std::uint32_t>(word.size()));
    if (next == '\0' || is_space(next) || is_flow_mark(next) || next == ':') {
      return static_cast<std::uint32_t>(word.size());
    }
  }
  return 0;
}

}  // namespace headroom::source

#include "text.hpp"

#include <algorithm>

namespace headroom::lsp {
namespace {

bool continues(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

// UTF-16 units of the character that begins with `c`: those beyond U+FFFF, four bytes long, take two.
std::size_t units(char c) {
  if (continues(c)) return 0;
  return static_cast<unsigned char>(c) >= 0xF0U ? 2 : 1;
}

std::size_t number(const Json& position, const char* key) {
  const auto n = integer_at(position, {key});
  return n && *n > 0 ? static_cast<std::size_t>(*n) : 0;
}

std::size_t offset_of(const source::SourceText& text, source::Position at) {
  const std::string_view line = text.line(at.line);
  if (line.data() == nullptr) return text.text().size();
  auto offset = static_cast<std::size_t>(line.data() - text.text().data());
  const std::size_t end = offset + line.size();
  if (offset == 0 && line.starts_with("\xEF\xBB\xBF")) offset = 3;
  for (std::uint32_t column = 1; column < at.column && offset < end; ++column) {
    ++offset;
    while (offset < end && continues(text.text()[offset])) ++offset;
  }
  return offset;
}

}  // namespace

Text::Text(std::string bytes, Encoding encoding) : bytes_(std::move(bytes)), encoding_(encoding) {
  find_lines();
}

void Text::find_lines() {
  starts_.assign(1, 0);
  for (std::size_t i = 0; i < bytes_.size(); ++i) {
    if (bytes_[i] == '\r' && i + 1 < bytes_.size() && bytes_[i + 1] == '\n') ++i;
    if (bytes_[i] == '\n' || bytes_[i] == '\r') starts_.push_back(i + 1);
  }
}

std::string_view Text::line(std::size_t index) const {
  if (index >= starts_.size()) return {};
  const std::size_t end = index + 1 < starts_.size() ? starts_[index + 1] : bytes_.size();
  std::string_view out = std::string_view(bytes_).substr(starts_[index], end - starts_[index]);
  if (out.ends_with('\n')) out.remove_suffix(1);
  if (out.ends_with('\r')) out.remove_suffix(1);
  return out;
}

std::size_t Text::line_of(std::size_t offset) const {
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), offset);
  return static_cast<std::size_t>(after - starts_.begin()) - 1;
}

std::size_t Text::offset(const Json& position) const {
  const std::size_t index = number(position, "line");
  if (index >= starts_.size()) return bytes_.size();
  const std::string_view text = line(index);
  std::size_t left = number(position, "character");
  if (encoding_ == Encoding::utf8) {
    std::size_t at = std::min(left, text.size());
    while (at > 0 && at < text.size() && continues(text[at])) --at;
    return starts_[index] + at;
  }
  std::size_t at = 0;
  while (at < text.size() && left >= units(text[at]) && left != 0) {
    left -= units(text[at]);
    ++at;
    while (at < text.size() && continues(text[at])) ++at;
  }
  return starts_[index] + at;
}

Json Text::position(std::size_t offset) const {
  offset = std::min(offset, bytes_.size());
  const std::size_t index = line_of(offset);
  std::size_t column = offset - starts_[index];
  if (encoding_ == Encoding::utf16) {
    column = 0;
    for (std::size_t i = starts_[index]; i < offset; ++i) column += units(bytes_[i]);
  }
  return {{"line", index}, {"character", column}};
}

Json Text::range(std::size_t begin, std::size_t end) const {
  return {{"start", position(begin)}, {"end", position(std::max(begin, end))}};
}

void Text::change(const Json& change) {
  const std::string text = string_at(change, {"text"});
  if (!at(change, {"range"}).is_object()) {
    bytes_ = text;
  } else {
    const std::size_t begin = offset(at(change, {"range", "start"}));
    const std::size_t end = std::max(begin, offset(at(change, {"range", "end"})));
    bytes_.replace(begin, end - begin, text);
  }
  find_lines();
}

source::Span span_of(const source::SourceText& text, const source::Location& location) {
  const std::size_t begin = offset_of(text, location.start);
  const std::size_t end = std::max(begin, offset_of(text, location.end));
  return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
}

}  // namespace headroom::lsp

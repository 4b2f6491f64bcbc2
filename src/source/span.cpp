#include "headroom/source/span.hpp"

#include <algorithm>
#include <cstring>

namespace headroom::source {

SourceText::SourceText(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {
  const char* const base = text_.data();
  const char* const end = base + text_.size();
  for (const char* p = base; p < end;) {
    const void* newline = std::memchr(p, '\n', static_cast<std::size_t>(end - p));
    if (newline == nullptr) break;
    p = static_cast<const char*>(newline) + 1;
    line_starts_.push_back(static_cast<std::uint32_t>(p - base));
  }
}

std::string_view SourceText::slice(Span span) const {
  const auto size = static_cast<std::uint32_t>(text_.size());
  const std::uint32_t begin = std::min(span.begin, size);
  const std::uint32_t end = std::clamp(span.end, begin, size);
  return std::string_view(text_).substr(begin, end - begin);
}

Position SourceText::position(std::uint32_t offset) const {
  offset = std::min(offset, static_cast<std::uint32_t>(text_.size()));
  const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const auto index = static_cast<std::uint32_t>(after - line_starts_.begin()) - 1;
  std::uint32_t start = line_starts_[index];
  // A byte order mark is no column that an editor would count.
  if (start == 0 && text_.starts_with("\xEF\xBB\xBF")) start = std::min<std::uint32_t>(3, offset);
  std::uint32_t column = 1;
  for (std::uint32_t i = start; i < offset; ++i) {
    if ((static_cast<unsigned char>(text_[i]) & 0xC0U) != 0x80U) ++column;
  }
  return {index + 1, column};
}

std::string_view SourceText::line(std::uint32_t line) const {
  if (line == 0 || line > line_starts_.size()) return {};
  const std::uint32_t begin = line_starts_[line - 1];
  const std::size_t end = line < line_starts_.size() ? line_starts_[line] : text_.size();
  std::string_view result = std::string_view(text_).substr(begin, end - begin);
  if (result.ends_with('\n')) result.remove_suffix(1);
  if (result.ends_with('\r')) result.remove_suffix(1);
  return result;
}

}  // namespace headroom::source

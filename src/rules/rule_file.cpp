#include "rule_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "headroom/lang/check.hpp"

namespace headroom::rules {
namespace {

using source::ScalarStyle;

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && is_space(s.back())) s.remove_suffix(1);
  while (!s.empty() && is_space(s.front())) s.remove_prefix(1);
  return s;
}

/// One line at a time, with its place.
class Lines {
 public:
  Lines(std::string_view text, std::size_t at) : text_(text), next_(at) {}
  bool next() {
    if (next_ >= text_.size()) return false;
    begin = next_;
    const std::size_t end = text_.find('\n', begin);
    line = text_.substr(begin, end == std::string_view::npos ? end : end - begin);
    next_ = end == std::string_view::npos ? text_.size() : end + 1;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    return true;
  }
  [[nodiscard]] std::size_t after() const { return next_; }
  std::string_view line;
  std::size_t begin = 0;

 private:
  std::string_view text_;
  std::size_t next_;
};

source::Span span_of(std::size_t begin, std::size_t size) {
  return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(begin + size)};
}

enum class Section { other, fails, passes };

Section section_of(const source::SourceText& text, const Lines& at, std::vector<source::Error>& errors) {
  const auto heading = trimmed(at.line.substr(2));
  if (heading == "Fails") return Section::fails;
  if (heading == "Passes") return Section::passes;
  // `## Pass` would silently be no test at all.
  if (const auto hint = lang::did_you_mean(heading, {"Fails", "Passes"}); !hint.empty())
    errors.push_back(
        error_at(text, span_of(at.begin, at.line.size()), fmt::format("heading '{}'{}", heading, hint)));
  return Section::other;
}

std::size_t skip_header(std::string_view raw, ScalarStyle style) {
  if (style == ScalarStyle::single_quoted || style == ScalarStyle::double_quoted) return 1;
  if (style != ScalarStyle::literal && style != ScalarStyle::folded) return 0;
  if (raw.empty() || (raw[0] != '|' && raw[0] != '>')) return 0;
  const auto end = raw.find('\n');
  return end == std::string_view::npos ? raw.size() : end + 1;
}

/// Bytes of line `line`, column `column` (code points) in `text`.
std::size_t offset_of(std::string_view text, source::Position where) {
  std::size_t i = 0;
  for (std::uint32_t line = 1; line < where.line && i < text.size(); ++i)
    if (text[i] == '\n') ++line;
  for (std::uint32_t column = 1; column < where.column && i < text.size(); ++column) {
    ++i;
    while (i < text.size() && (static_cast<unsigned char>(text[i]) & 0xc0) == 0x80) ++i;
  }
  return i;
}

}  // namespace

source::Error error_at(const source::SourceText& text, source::Span span, std::string message) {
  return {std::move(message), text.name(), text.location(span), true};
}

Parts split_front_matter(std::string_view text) {
  Lines lines(text, 0);
  if (!lines.next() || trimmed(lines.line) != "---") return {{}, text, false};
  while (lines.next()) {
    if (trimmed(lines.line) != "---" || lines.line[0] != '-') continue;
    return {text.substr(0, lines.begin), text.substr(lines.after()), true};
  }
  return {{}, text, false};
}

Page read_page(const source::SourceText& text, std::string_view body, std::vector<source::Error>& errors) {
  const std::string_view all = text.text();
  const std::size_t start = all.size() - body.size();
  Page page;
  page.text = body;
  Lines lines(all, start);
  Section section = Section::other;
  while (lines.next()) {
    const auto line = lines.line;
    if (line.substr(0, 3) == "```") {
      const auto opening = span_of(lines.begin, line.size());
      const bool is_log = trimmed(line.substr(3)) == "log";
      const std::size_t begin = lines.after();
      bool closed = false;
      while (!closed && lines.next()) closed = trimmed(lines.line) == "```";
      if (!closed) {
        errors.push_back(error_at(text, opening, "this block has no closing ```"));
        break;
      }
      if (section == Section::other) continue;
      if (is_log) {
        if (page.blocks.empty() || !page.blocks.back().log.empty())
          errors.push_back(error_at(text, opening, "a ```log block follows the ```yaml block of its config"));
        else
          page.blocks.back().log = all.substr(begin, lines.begin - begin);
        continue;
      }
      page.blocks.push_back({section == Section::fails, all.substr(begin, lines.begin - begin),
                             text.position(static_cast<std::uint32_t>(begin)).line});
    } else if (line.substr(0, 3) == "## ") {
      section = section_of(text, lines, errors);
    } else if (line.substr(0, 2) == "# " && page.title.empty()) {
      page.title = trimmed(line.substr(2));
    }
  }
  return page;
}

source::Position place_in_scalar(const source::Document& doc, const source::Node& node, std::size_t offset) {
  const auto raw = doc.source->slice(node.span);
  const std::string_view text = node.text;
  std::size_t j = skip_header(raw, node.style);
  for (std::size_t i = 0; i <= std::min(offset, text.size()); ++i) {
    const bool here = i == offset || i == text.size();
    if (!here && is_space(text[i])) continue;
    if (!here || (i < text.size() && !is_space(text[i])))
      while (j < raw.size() && is_space(raw[j])) ++j;
    if (here) break;
    if (node.style == ScalarStyle::double_quoted && raw[j] == '\\') ++j;
    if (node.style == ScalarStyle::single_quoted && raw[j] == '\'') ++j;
    ++j;
  }
  const auto at = node.span.begin + static_cast<std::uint32_t>(std::min(j, raw.size()));
  return doc.source->position(at);
}

source::Error in_file(source::Error error, const source::Document& doc, const source::Node& node,
                      std::size_t base) {
  const std::string_view text = std::string_view(node.text).substr(std::min(base, node.text.size()));
  const std::size_t begin = offset_of(text, error.location.start), end = offset_of(text, error.location.end);
  error.source = doc.source->name();
  error.location = {place_in_scalar(doc, node, base + begin), place_in_scalar(doc, node, base + end)};
  if (error.location.end.line < error.location.start.line) error.location.end = error.location.start;
  error.has_location = true;
  return error;
}

}  // namespace headroom::rules

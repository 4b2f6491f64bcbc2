#include "headroom/source/comments.hpp"

#include <algorithm>

#include "shell_parser.hpp"
#include "shell_text.hpp"

namespace headroom::source {
namespace {

bool is_blank_or_break(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

std::uint32_t end_of_line(std::string_view text, std::size_t at) {
  std::size_t end = std::min(text.find('\n', at), text.size());
  if (end > at && text[end - 1] == '\r') --end;
  return static_cast<std::uint32_t>(end);
}

/// Stretches of the text that values take, ascending. The line that opens a block scalar may end in a
/// comment.
std::vector<Span> values(const Document& doc) {
  std::vector<Span> out;
  for (const Node& node : doc.nodes) {
    if (node.kind != NodeKind::scalar || node.span.empty()) continue;
    Span span = node.span;
    if (node.style == ScalarStyle::literal || node.style == ScalarStyle::folded)
      span.begin = std::min(end_of_line(doc.source->text(), span.begin), span.end);
    out.push_back(span);
  }
  std::ranges::sort(out, {}, &Span::begin);
  return out;
}

}  // namespace

std::vector<Span> yaml_comments(const Document& document) {
  if (document.loader == Loader::json) return {};
  const std::string_view text = document.source->text();
  const std::vector<Span> taken = values(document);
  std::vector<Span> out;
  std::size_t next = 0;
  for (std::size_t at = text.find('#'); at != std::string_view::npos; at = text.find('#', at + 1)) {
    if (at > 0 && !is_blank_or_break(text[at - 1])) continue;
    while (next < taken.size() && taken[next].end <= at) ++next;
    if (next < taken.size() && taken[next].begin <= at) continue;
    const Span comment{static_cast<std::uint32_t>(at), end_of_line(text, at)};
    out.push_back(comment);
    at = comment.end;
  }
  return out;
}

std::vector<Span> shell_comments(const SourceText& source) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  std::string content = source.text();
  if (content.starts_with(mark)) content.replace(0, mark.size(), mark.size(), ' ');
  const ShellText text{std::string_view(content)};
  const Limits limits;
  ShellParser script(text, limits.depth);
  static_cast<void>(script.script());
  ShellParser words(text, limits.depth);
  const ShellParser* parser = &script;
  if (script.failure()) {
    static_cast<void>(words.plain_words());
    parser = &words;
  }
  if (parser->failure()) return {};
  std::vector<Span> out;
  for (const auto& [begin, end] : parser->comments()) out.push_back(text.span(begin, end));
  std::ranges::sort(out, {}, &Span::begin);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace headroom::source

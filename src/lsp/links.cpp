
#include "features.hpp"
#include "publish.hpp"

namespace headroom::lsp {
namespace {

bool of_id(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '/' || c == '_';
}

// Words that are the id of a rule, in the part of a line that `begin` starts.
void add_words(Json& out, const Document& document, std::size_t line, std::size_t begin, const Host& host) {
  const std::string_view text = document.text().line(line);
  while (begin < text.size()) {
    if (!of_id(text[begin])) {
      ++begin;
      continue;
    }
    std::size_t end = begin;
    while (end < text.size() && of_id(text[end])) ++end;
    const std::string_view word = text.substr(begin, end - begin);
    if (word.find('/') != std::string_view::npos) {
      const std::size_t start = document.text().line_start(line);
      if (const Json page = page_of(word, host); !page.is_null()) {
        out.push_back({{"range", document.text().range(start + begin, start + end)},
                       {"target", page},
                       {"tooltip", "Rule " + std::string(word)}});
      }
    }
    begin = end;
  }
}

}  // namespace

Json document_links(Document& document, const Host& host) {
  Json out = Json::array();
  const bool settings = document.is_settings();
  if (!settings && !document.is_config()) return out;
  for (std::size_t i = 0; i < document.text().line_count(); ++i) {
    const std::string_view line = document.text().line(i);
    // `# headroom: ignore[rule]` in a config; in `.headroom.yaml` everything may name rules.
    const std::size_t comment = settings ? 0 : line.find("headroom:");
    if (comment == std::string_view::npos || (!settings && line.substr(0, comment).find('#') == line.npos))
      continue;
    add_words(out, document, i, comment, host);
  }
  if (settings || document.outcome().unreadable) return out;
  for (const auto& finding : document.outcome().findings.diagnostics) {
    const Json page = page_of(finding.rule, host);
    if (page.is_null() || !finding.primary) continue;
    const source::Span span = span_of_finding(document, finding);
    out.push_back({{"range", document.text().range(span.begin, span.end)},
                   {"target", page},
                   {"tooltip", "Rule " + finding.rule}});
  }
  return out;
}

}  // namespace headroom::lsp

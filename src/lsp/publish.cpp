#include "publish.hpp"

#include <fmt/format.h>

#include "uri.hpp"

namespace headroom::lsp {
namespace {

enum Severity : std::uint8_t { error = 1, warning = 2, information = 3, hint = 4 };
enum Tag : std::uint8_t { unnecessary = 1 };

Severity severity_of(rules::Severity severity) {
  switch (severity) {
    case rules::Severity::error:
      return error;
    case rules::Severity::warning:
    case rules::Severity::memory:
      return warning;
    case rules::Severity::ignored:
    case rules::Severity::slow:
      return information;
    case rules::Severity::advice:
      return hint;
  }
  return warning;
}

bool here(const rules::Mark& mark, const source::SourceText& text) {
  return mark.source.empty() || mark.source == text.name();
}

// The first line with something on it: where a finding about what is not written has to go.
source::Span first_words(const Text& text) {
  for (std::size_t i = 0; i < text.line_count(); ++i) {
    const std::string_view line = text.line(i);
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string_view::npos || line[begin] == '#' || line == "---") continue;
    const std::size_t start = text.line_start(i);
    return {static_cast<std::uint32_t>(start + begin), static_cast<std::uint32_t>(start + line.size())};
  }
  return {};
}

// The key of the section that a field which is not written would stand in.
std::optional<source::Span> section_key(const lint::Outcome& outcome, std::string_view field) {
  const source::Document* doc = outcome.document.get();
  if (doc == nullptr || doc->root == source::no_node) return {};
  const auto* member = doc->find_member(doc->root, field.substr(0, field.find('.')));
  if (member == nullptr) return {};
  return doc->node(member->key).span;
}

std::string message_of(const rules::Diagnostic& finding) {
  if (finding.severity != rules::Severity::error || finding.fails_at == rules::FailsAt::startup)
    return finding.message;
  return fmt::format("{} (fails at {})", finding.message, rules::to_string(finding.fails_at));
}

Json plain(const Text& text, source::Span span, Severity severity, const std::string& message) {
  return {{"range", text.range(span.begin, span.end)},
          {"severity", severity},
          {"source", "headroom"},
          {"message", message}};
}

// What is wrong with `.headroom.yaml` shows in that file, and at the top of the configs that it is for.
Json complaint(Document& document, const source::Error& problem) {
  const bool own = problem.source == document.path();
  const source::Span span = own && problem.has_location ? span_of(document.source(), problem.location)
                                                        : first_words(document.text());
  if (own) return plain(document.text(), span, error, problem.message);
  const auto& start = problem.location.start;
  const std::string where = problem.has_location
                                ? fmt::format("{}:{}:{}", problem.source, start.line, start.column)
                                : problem.source;
  return plain(document.text(), span, warning, fmt::format("{}: {}", where, problem.message));
}

}  // namespace

Json page_of(std::string_view rule, const Host& host) {
  if (!host.page) return nullptr;
  const std::string page = host.page(rule);
  if (page.empty()) return nullptr;
  return page.find("://") == std::string::npos ? uri_of_path(page) : page;
}

source::Span span_of_finding(Document& document, const rules::Diagnostic& finding) {
  const lint::Outcome& outcome = document.outcome();
  const source::SourceText& text = document.source();
  if (finding.primary && here(*finding.primary, text)) return span_of(text, finding.primary->location);
  for (const auto& mark : finding.related) {
    if (here(mark, text)) return span_of(text, mark.location);
  }
  for (const auto& field : finding.fields) {
    if (const auto key = section_key(outcome, field)) return *key;
  }
  return first_words(document.text());
}

Json diagnostic(Document& document, const rules::Diagnostic& finding, const Host& host) {
  const source::Span span = span_of_finding(document, finding);
  Json out = plain(document.text(), span, severity_of(finding.severity), message_of(finding));
  out["code"] = finding.rule;
  out["data"] = {{"rule", finding.rule}, {"severity", rules::to_string(finding.severity)}};
  if (Json page = page_of(finding.rule, host); !page.is_null()) out["codeDescription"] = {{"href", page}};
  if (finding.severity == rules::Severity::ignored) out["tags"] = {unnecessary};
  const source::SourceText& source = document.source();
  for (const auto& mark : finding.related) {
    if (!here(mark, source)) continue;
    const source::Span place = span_of(source, mark.location);
    out["relatedInformation"].push_back(
        {{"location", {{"uri", document.uri()}, {"range", document.text().range(place.begin, place.end)}}},
         {"message", mark.written_name}});
  }
  return out;
}

Json diagnostics(Document& document, const Host& host) {
  Json out = Json::array();
  if (document.is_settings() || document.is_config()) {
    for (const auto& problem : document.errors()) out.push_back(complaint(document, problem));
  }
  if (document.is_settings() || !document.is_config()) return out;
  const lint::Outcome& outcome = document.outcome();
  if (outcome.unreadable) {
    const source::Span span = outcome.unreadable->has_location
                                  ? span_of(document.source(), outcome.unreadable->location)
                                  : first_words(document.text());
    out.push_back(plain(document.text(), span, error, outcome.unreadable->message));
    return out;
  }
  for (const auto& finding : outcome.findings.diagnostics) out.push_back(diagnostic(document, finding, host));
  return out;
}

}  // namespace headroom::lsp

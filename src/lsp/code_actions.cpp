#include <fmt/format.h>

#include <algorithm>

#include "features.hpp"
#include "headroom/dialect/writer.hpp"
#include "headroom/lint/fix_text.hpp"
#include "headroom/source/difference.hpp"
#include "publish.hpp"

namespace headroom::lsp {
namespace {

constexpr std::string_view quick_fix = "quickfix";
constexpr std::string_view fix_all = "source.fixAll.headroom";
constexpr std::size_t longest_title = 120;

/// `only` holds kinds; one stands for all below it: `source` for `source.fixAll.headroom`.
bool wanted(const Json& only, std::string_view kind) {
  if (!only.is_array()) return true;
  return std::any_of(only.begin(), only.end(), [&](const Json& entry) {
    if (!entry.is_string()) return false;
    const auto name = entry.get<std::string>();
    return kind == name || (kind.starts_with(name) && (name.empty() || kind[name.size()] == '.'));
  });
}

Json workspace_edit(const Document& document, const std::string& after, const Client& client) {
  Json edits = Json::array();
  for (const source::Edit& edit : source::edits_between(document.text().bytes(), after)) {
    edits.push_back(
        {{"range", document.text().range(edit.span.begin, edit.span.end)}, {"newText", edit.text}});
  }
  if (!client.document_changes) return {{"changes", {{document.uri(), edits}}}};
  const Json target = {{"uri", document.uri()}, {"version", document.version()}};
  return {{"documentChanges", Json::array({{{"textDocument", target}, {"edits", edits}}})}};
}

std::vector<std::string> words_of(const rules::Fix& fix, const lint::Outcome& outcome) {
  std::vector<dialect::Change> changes;
  for (const auto& [field, value] : fix.set) changes.push_back({field, value});
  for (const auto& field : fix.unset) changes.push_back({field, std::nullopt});
  std::vector<std::string> out;
  const auto spelt =
      dialect::spell(outcome.settings, schema::embedded_schema(), outcome.config.launch.release, changes);
  if (!spelt) return out;
  for (const auto& change : *spelt) out.push_back(dialect::words_of(change));
  return out;
}

std::string title_of(const rules::Fix& fix, const lint::Outcome& outcome) {
  std::string out = fix.title;
  const std::string words = fmt::format("{}", fmt::join(words_of(fix, outcome), " "));
  if (!words.empty() && out.size() + words.size() + 3 <= longest_title) out += fmt::format(" ({})", words);
  if (fix.safety == rules::Safety::training) out += "; changes training results";
  return out;
}

/// Lines that a request is about.
struct Lines {
  std::int64_t first = 0, last = 0;
  [[nodiscard]] bool touch(const Json& range) const {
    return *integer_at(range, {"start", "line"}) <= last && *integer_at(range, {"end", "line"}) >= first;
  }
};

bool touches(const Lines& lines, const Json& shown) {
  if (lines.touch(shown["range"])) return true;
  const Json& related = at(shown, {"relatedInformation"});
  return std::any_of(related.begin(), related.end(),
                     [&](const Json& r) { return lines.touch(r["location"]["range"]); });
}

void add_fixes(Json& out, Document& document, const rules::Diagnostic& finding, const Json& shown,
               const Client& client) {
  const lint::Outcome& outcome = document.with_fixes();
  bool preferred = false;
  for (const rules::Fix& fix : finding.fixes) {
    if (!lint::fits_in_file(fix)) continue;
    const auto after = lint::text_with(fix, document.job(true), outcome);
    if (after == nullptr) continue;
    Json action = {{"title", title_of(fix, outcome)},
                   {"kind", quick_fix},
                   {"diagnostics", Json::array({shown})},
                   {"edit", workspace_edit(document, after->text(), client)}};
    if (!preferred && fix.safety == rules::Safety::execution) action["isPreferred"] = preferred = true;
    out.push_back(std::move(action));
  }
}

/// `# headroom: ignore[rule]` behind the line, where that does what it says.
void add_suppression(Json& out, Document& document, const rules::Diagnostic& finding, const Json& shown,
                     const Client& client) {
  if (!finding.primary || document.with_fixes().document == nullptr) return;
  const auto index = static_cast<std::size_t>(*integer_at(shown, {"range", "start", "line"}));
  const std::string_view line = document.text().line(index);
  if (line.find('#') != std::string_view::npos) return;
  std::string after = document.text().bytes();
  after.insert(document.text().line_start(index) + line.size(),
               fmt::format("  # headroom: ignore[{}]", finding.rule));
  lint::Job job = document.job(false);
  job.text = std::make_shared<const source::SourceText>(job.text->name(), after);
  const lint::Outcome ignored = lint::lint(job);
  const std::size_t before = document.with_fixes().findings.diagnostics.size();
  if (ignored.unreadable || ignored.findings.diagnostics.size() >= before) return;
  out.push_back({{"title", fmt::format("Ignore {} on this line", finding.rule)},
                 {"kind", quick_fix},
                 {"diagnostics", Json::array({shown})},
                 {"edit", workspace_edit(document, after, client)}});
}

}  // namespace

Json code_actions(Document& document, const Json& params, const Client& client, const Host& host) {
  Json out = Json::array();
  const Json& only = at(params, {"context", "only"});
  const bool one_by_one = wanted(only, quick_fix);
  // A light bulb at each move of the cursor is no time to repair a whole file.
  constexpr int automatic = 2;
  const bool moved = integer_at(params, {"context", "triggerKind"}) == automatic;
  const bool all = wanted(only, fix_all) && (only.is_array() || !moved);
  if ((!one_by_one && !all) || !document.is_config() || document.outcome().unreadable) return out;
  const lint::Outcome& outcome = document.with_fixes();
  const Lines lines{integer_at(params, {"range", "start", "line"}).value_or(0),
                    integer_at(params, {"range", "end", "line"}).value_or(0)};
  if (one_by_one) {
    for (const auto& finding : outcome.findings.diagnostics) {
      const Json shown = diagnostic(document, finding, host);
      if (!touches(lines, shown)) continue;
      add_fixes(out, document, finding, shown, client);
      add_suppression(out, document, finding, shown, client);
    }
  }
  if (all) {
    const lint::Fixed fixed = lint::fix_text(document.job(true), outcome, {});
    if (fixed.text != document.text().bytes()) {
      out.push_back({{"title", fmt::format("Repair {} with headroom",
                                           fixed.findings == 1 ? "1 finding"
                                                               : fmt::format("{} findings", fixed.findings))},
                     {"kind", fix_all},
                     {"edit", workspace_edit(document, fixed.text, client)}});
    }
  }
  return out;
}

}  // namespace headroom::lsp

#include "suppressions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "headroom/lang/check.hpp"
#include "headroom/source/comments.hpp"

namespace headroom::lint {
namespace {

using source::Span;

constexpr std::string_view rule_id = "suppression/unused";
constexpr std::string_view blanks = " \t";

/// One `ignore[…]` of one comment.
struct Suppression {
  Span span;                          ///< from `#` on
  bool whole_file = false;            ///< `ignore-file[…]`
  std::uint32_t first = 0, last = 0;  ///< lines it covers
  std::vector<std::string> globs;
  std::string reason;
  std::string mistake;  ///< what is wrong with it
  bool used = false;
};

std::string_view trim(std::string_view s) {
  const std::size_t begin = s.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return s.substr(begin, s.find_last_not_of(blanks) - begin + 1);
}

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> out;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    if (const auto word = trim(list.substr(0, end)); !word.empty()) out.emplace_back(word);
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return out;
}

/// The length of `# headroom:` and blanks at the start of `s`; 0 where it starts otherwise.
std::size_t opening(std::string_view s) {
  const std::size_t name = s.find_first_not_of(blanks, 1);
  constexpr std::string_view word = "headroom:";
  if (!s.starts_with('#') || name == std::string_view::npos || !s.substr(name).starts_with(word)) return 0;
  return std::min(s.find_first_not_of(blanks, name + word.size()), s.size());
}

std::string no_rules(std::string_view verb) {
  return fmt::format("it names no rule: write `# headroom: {}[RULE] reason`", verb);
}

/// Reads what follows `# headroom: `; false where it is no directive but a remark, or settings put aside.
bool read_directive(std::string_view rest, Suppression& out) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz-";
  const std::string_view verb = rest.substr(0, std::min(rest.find_first_not_of(letters), rest.size()));
  rest.remove_prefix(verb.size());
  out.whole_file = verb == "ignore-file";
  const bool known = out.whole_file || verb == "ignore";
  if (!rest.starts_with('[')) {
    if (known) out.mistake = no_rules(verb);
    return known;
  }
  const std::size_t close = rest.find(']');
  if (!known) {
    static const std::vector<std::string_view> verbs{"ignore", "ignore-file"};
    out.mistake = fmt::format("headroom knows no `{}`{}", verb, lang::did_you_mean(verb, verbs));
  } else if (close == std::string_view::npos) {
    out.mistake = "its list of rules is not closed by `]`";
  } else {
    out.globs = split(rest.substr(1, close - 1));
    if (out.globs.empty()) out.mistake = no_rules(verb);
    rest.remove_prefix(close + 1);
    out.reason = trim(rest);
  }
  return true;
}

/// Lines of a text as people see statements: a trailing `\` joins lines of a script.
class Lines {
 public:
  Lines(const source::SourceText& text, bool script) : text_(text), script_(script) {}

  void cover(Suppression& s, std::uint32_t line, bool alone) const {
    s.first = line;
    if (alone) {  // the next line that is more than a comment
      ++s.first;
      while (s.first < text_.line_count() && is_empty(s.first)) ++s.first;
    }
    s.last = s.first;
    while (script_ && s.last < text_.line_count() && continued(s.last)) ++s.last;
    while (script_ && !alone && s.first > 1 && continued(s.first - 1)) --s.first;
  }

 private:
  [[nodiscard]] bool is_empty(std::uint32_t line) const {
    const std::string_view rest = trim(text_.line(line));
    return rest.empty() || rest.front() == '#' || rest == "\r";
  }
  [[nodiscard]] bool continued(std::uint32_t line) const {
    std::string_view s = text_.line(line);
    if (s.ends_with('\r')) s.remove_suffix(1);
    return s.ends_with('\\');
  }

  const source::SourceText& text_;
  bool script_;
};

std::vector<Suppression> read(const Outcome& outcome) {
  const source::SourceText& text = *outcome.opened.text;
  std::vector<Suppression> out;
  if (text.text().find("headroom:") == std::string::npos) return out;
  const bool script = outcome.document == nullptr;
  const Lines lines(text, script);
  for (const Span comment :
       script ? source::shell_comments(text) : source::yaml_comments(*outcome.document)) {
    const std::string_view all = text.slice(comment);
    const std::uint32_t line = text.position(comment.begin).line;
    const std::string_view whole = text.line(line);
    const bool alone = whole.find_first_not_of(blanks) == whole.find('#');
    for (std::size_t at = 0; at < all.size();) {
      const std::size_t next = std::min(all.find('#', at + 1), all.size());
      const std::string_view part = all.substr(at, next - at);
      Suppression s;
      s.span = {comment.begin + static_cast<std::uint32_t>(at),
                comment.begin + static_cast<std::uint32_t>(at + part.find_last_not_of(blanks) + 1)};
      const std::size_t begin = opening(part);
      if (begin != 0 && read_directive(part.substr(begin), s)) {
        lines.cover(s, line, alone);
        out.push_back(std::move(s));
      }
      at = next;
    }
  }
  return out;
}

bool covers(const Suppression& s, const rules::Diagnostic& d, const std::string& source) {
  if (!rules::matches(s.globs, d.rule)) return false;
  if (s.whole_file) return true;
  if (!d.primary || d.primary->source != source) return false;
  const auto within = [&](std::uint32_t line) { return line >= s.first && line <= s.last; };
  return within(d.primary->location.start.line) || within(d.primary->location.end.line);
}

class Unused {
 public:
  Unused(const Outcome& outcome, const Job& job, std::span<const rules::RulePack* const> packs)
      : outcome_(outcome), job_(job), packs_(packs) {}

  /// Why a comment has no effect; empty where it has, or where that cannot be told.
  [[nodiscard]] std::string complaint(const Suppression& s) const {
    if (!s.mistake.empty()) return "this comment suppresses nothing: " + s.mistake;
    if (s.used) return {};
    for (const auto& glob : s.globs) {
      bool known = false;
      for (const auto* pack : packs_) {
        for (const auto& rule : pack->rules) {
          if (!rules::matches({&glob, 1}, rule.id)) continue;
          known = true;
          if (!decided(rule)) return {};
        }
      }
      if (!known)
        return fmt::format("this comment suppresses nothing: no rule is called '{}'{}", glob, near(glob));
    }
    return fmt::format("this comment suppresses nothing: {} finds nothing {}", fmt::join(s.globs, ", "),
                       s.whole_file ? "in this file" : "on this line");
  }

  [[nodiscard]] const rules::Rule* own_rule() const {
    for (const auto* pack : packs_) {
      if (const auto* rule = rules::find_rule(*pack, rule_id)) return rule;
    }
    return nullptr;
  }

 private:
  [[nodiscard]] bool decided(const rules::Rule& rule) const {
    const auto& undecided = outcome_.findings.undecided;
    const bool applies = ((rule.layers >> static_cast<unsigned>(outcome_.config.layer)) & 1U) != 0 &&
                         schema::contains(rule.releases, outcome_.config.launch.release);
    return applies && job_.selection.wants(rule.id) &&
           (job_.want_advice || rule.severity != rules::Severity::advice) &&
           std::ranges::find(undecided, rule.id) == undecided.end();
  }

  [[nodiscard]] std::string near(std::string_view glob) const {
    std::vector<std::string_view> ids;
    for (const auto* pack : packs_) {
      for (const auto& rule : pack->rules) ids.push_back(rule.id);
    }
    return lang::did_you_mean(glob, ids);
  }

  const Outcome& outcome_;
  const Job& job_;
  std::span<const rules::RulePack* const> packs_;
};

void report_unused(Outcome& outcome, const Job& job, std::span<const rules::RulePack* const> packs,
                   const std::vector<Suppression>& all) {
  if (!job.selection.wants(rule_id)) return;
  const Unused unused(outcome, job, packs);
  const auto* change = job.selection.change_of(rule_id);
  const auto* rule = unused.own_rule();
  const source::SourceText& text = *outcome.opened.text;
  for (const Suppression& s : all) {
    std::string complaint = unused.complaint(s);
    if (complaint.empty()) continue;
    rules::Diagnostic d;
    d.rule = rule_id;
    d.severity = rule != nullptr ? rule->severity : rules::Severity::ignored;
    if (change != nullptr) d.severity = change->severity.value_or(d.severity);
    d.message = std::move(complaint);
    d.primary = rules::Mark{"", "", text.name(), text.location(s.span)};
    outcome.findings.diagnostics.push_back(std::move(d));
  }
}

}  // namespace

void suppress(Outcome& outcome, const Job& job, std::span<const rules::RulePack* const> packs) {
  std::vector<Suppression> all = read(outcome);
  if (all.empty()) return;
  auto& diagnostics = outcome.findings.diagnostics;
  std::vector<rules::Diagnostic> kept;
  for (auto& d : diagnostics) {
    const Suppression* by = nullptr;
    for (auto& s : all) {
      if (!covers(s, d, outcome.opened.text->name())) continue;
      s.used = true;
      if (by == nullptr) by = &s;
    }
    if (by == nullptr) {
      kept.push_back(std::move(d));
    } else {
      outcome.suppressed.push_back({std::move(d), "comment", by->reason});
    }
  }
  diagnostics = std::move(kept);
  report_unused(outcome, job, packs, all);
  std::ranges::stable_sort(diagnostics, [](const auto& a, const auto& b) {
    if (a.severity != b.severity) return a.severity > b.severity;
    if (!a.primary || !b.primary) return a.primary.has_value() && !b.primary.has_value();
    const auto x = a.primary->location.start;
    const auto y = b.primary->location.start;
    return std::tie(x.line, x.column) < std::tie(y.line, y.column);
  });
}

}  // namespace headroom::lint

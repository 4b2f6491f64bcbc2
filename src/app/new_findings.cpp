#include "new_findings.hpp"

#include <algorithm>
#include <set>

#include "headroom/source/difference.hpp"
#include "known.hpp"

namespace headroom::app {
namespace {

// The message too: it holds the values, and other values make another finding.
std::string key_with_message(const rules::Diagnostic& d) {
  return key_of(d) + '\0' + d.message;
}

/// Lines of `after` that an edit touches and that `before` has nowhere.
std::set<std::uint32_t> new_lines(const std::string& before, const source::SourceText& after) {
  const source::SourceText old("", before);
  std::set<std::string_view> known;
  for (std::uint32_t line = 1; line <= old.line_count(); ++line) known.insert(old.line(line));
  std::set<std::uint32_t> out;
  std::int64_t shift = 0;
  for (const auto& edit : source::edits_between(before, after.text())) {
    const auto begin = static_cast<std::uint32_t>(edit.span.begin + shift);
    const auto size = static_cast<std::uint32_t>(edit.text.size());
    const std::uint32_t last = after.position(begin + (size == 0 ? 0 : size - 1)).line;
    for (std::uint32_t line = after.position(begin).line; line <= last; ++line) {
      if (!known.contains(after.line(line))) out.insert(line);
    }
    shift += static_cast<std::int64_t>(size) - (edit.span.end - edit.span.begin);
  }
  return out;
}

}  // namespace

void keep_new(report::FileReport& report, const lint::Job& job, const std::string& before) {
  lint::Job then = job;
  then.want_fixes = false;
  then.text = std::make_shared<const source::SourceText>(job.text->name(), before);
  const lint::Outcome outcome = lint::lint(then);
  if (outcome.unreadable) return;
  Counts known;
  for (const auto& d : outcome.findings.diagnostics) ++known[key_with_message(d)];
  const std::set<std::uint32_t> lines = new_lines(before, *job.text);
  const auto touched = [&](const rules::Mark& mark) {
    const auto at = lines.lower_bound(mark.location.start.line);
    return mark.source == job.text->name() && at != lines.end() && *at <= mark.location.end.line;
  };
  take_known(report, std::move(known), "diff-base", key_with_message, [&](const rules::Diagnostic& d) {
    return (d.primary && touched(*d.primary)) || std::ranges::any_of(d.related, touched);
  });
}

}  // namespace headroom::app

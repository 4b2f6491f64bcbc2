#include "fixing.hpp"

#include <algorithm>
#include <set>

#include "applying.hpp"

namespace headroom::app {
namespace {

using Text = std::shared_ptr<const source::SourceText>;

constexpr unsigned most_rounds = 200;

std::string key_of(const rules::Diagnostic& d) {
  std::string key = d.rule;
  for (const auto& field : d.fields) key += " " + field;
  return key;
}

std::set<std::string> errors_of(const lint::Outcome& outcome) {
  std::set<std::string> out;
  for (const auto& d : outcome.findings.diagnostics) {
    if (d.severity == rules::Severity::error) out.insert(key_of(d));
  }
  return out;
}

bool still_there(const rules::Diagnostic& d, const lint::Outcome& outcome) {
  const std::string key = key_of(d);
  const auto& all = outcome.findings.diagnostics;
  return std::any_of(all.begin(), all.end(),
                     [&](const rules::Diagnostic& other) { return key_of(other) == key; });
}

bool allowed(const rules::Fix& fix, FixPolicy policy) {
  if (!fix.verified || !fix.env.empty() || (fix.set.empty() && fix.unset.empty())) return false;
  if (fix.safety != rules::Safety::execution && !policy.unsafe) return false;
  // A mapping has no text of its own to write.
  return std::none_of(fix.set.begin(), fix.set.end(),
                      [](const auto& edit) { return edit.second.is_opaque(); });
}

// Null where the fix cannot be written into this text.
Text applied(const rules::Fix& fix, const lint::Job& job, const lint::Outcome& outcome) {
  const auto text = with_change(fix, job.text, job.loader, outcome);
  return text && (*text)->text() != job.text->text() ? *text : nullptr;
}

}  // namespace

Fixed fix_text(const lint::Job& job, lint::Outcome outcome, FixPolicy policy) {
  lint::Job current = job;
  unsigned repaired = 0;
  std::set<std::string> tried;
  // The first finding not yet tried; what an accepted edit repaired besides is gone from the new outcome.
  const auto next = [&]() -> const rules::Diagnostic* {
    for (const auto& d : outcome.findings.diagnostics) {
      if (d.severity == rules::Severity::advice && !policy.advice) continue;
      if (tried.insert(key_of(d)).second) return &d;
    }
    return nullptr;
  };
  for (unsigned round = 0; round < most_rounds; ++round) {
    const rules::Diagnostic* d = next();
    if (d == nullptr) break;
    for (const auto& fix : d->fixes) {
      if (!allowed(fix, policy)) continue;
      const Text text = applied(fix, current, outcome);
      if (text == nullptr) continue;
      lint::Job trial = current;
      trial.text = text;
      lint::Outcome after = lint::lint(trial);
      const auto before_errors = errors_of(outcome);
      const auto after_errors = after.unreadable ? std::set<std::string>() : errors_of(after);
      if (after.unreadable || still_there(*d, after) ||
          !std::includes(before_errors.begin(), before_errors.end(), after_errors.begin(),
                         after_errors.end())) {
        continue;
      }
      const std::size_t were = outcome.findings.diagnostics.size();
      const std::size_t are = after.findings.diagnostics.size();
      repaired += static_cast<unsigned>(were > are ? were - are : 1);
      current = std::move(trial);
      outcome = std::move(after);
      break;
    }
  }
  return {current.text->text(), std::move(outcome), repaired};
}

}  // namespace headroom::app

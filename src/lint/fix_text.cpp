#include "headroom/lint/fix_text.hpp"

#include <algorithm>
#include <set>

#include "headroom/dialect/writer.hpp"

namespace headroom::lint {
namespace {

using Text = std::shared_ptr<const source::SourceText>;

constexpr unsigned most_rounds = 200;

std::string key_of(const rules::Diagnostic& d) {
  std::string key = d.rule;
  for (const auto& field : d.fields) key += " " + field;
  return key;
}

std::set<std::string> errors_of(const Outcome& outcome) {
  std::set<std::string> out;
  for (const auto& d : outcome.findings.diagnostics) {
    if (d.severity == rules::Severity::error) out.insert(key_of(d));
  }
  return out;
}

bool still_there(const rules::Diagnostic& d, const Outcome& outcome) {
  const std::string key = key_of(d);
  const auto& all = outcome.findings.diagnostics;
  return std::any_of(all.begin(), all.end(),
                     [&](const rules::Diagnostic& other) { return key_of(other) == key; });
}

bool allowed(const rules::Fix& fix, FixPolicy policy) {
  return (fix.safety == rules::Safety::execution || policy.unsafe) && fits_in_file(fix);
}

}  // namespace

bool fits_in_file(const rules::Fix& fix) {
  if (!fix.verified || !fix.env.empty() || (fix.set.empty() && fix.unset.empty())) return false;
  // A mapping has no text of its own to write.
  return std::none_of(fix.set.begin(), fix.set.end(),
                      [](const auto& edit) { return edit.second.is_opaque(); });
}

// One change at a time, read again in between: two new keys of one section do not collide.
Text text_with(const rules::Fix& fix, const Job& job, const Outcome& outcome) {
  const schema::Schema& schema = schema::embedded_schema();
  const schema::Release release = outcome.config.launch.release;
  std::vector<dialect::Change> changes;
  for (const auto& field : fix.unset) changes.push_back({field, std::nullopt});
  for (const auto& [field, value] : fix.set) changes.push_back({field, value});
  const auto spelt = dialect::spell(outcome.settings, schema, release, changes);
  if (!spelt) return nullptr;
  Text text = job.text;
  std::optional<source::Loader> loader = job.loader;
  if (outcome.document != nullptr) loader = outcome.document->loader;
  for (const dialect::Spelling& change : *spelt) {
    const auto opened = dialect::open(text, loader, outcome.settings.dialect, schema);
    if (!opened) return nullptr;
    auto written = dialect::write(*opened, dialect::read(*opened, schema, release), schema, change);
    if (!written) return nullptr;
    text = std::make_shared<const source::SourceText>(text->name(), std::move(*written));
  }
  return text->text() == job.text->text() ? nullptr : text;
}

Fixed fix_text(const Job& job, Outcome outcome, FixPolicy policy) {
  Job current = job;
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
      const Text text = text_with(fix, current, outcome);
      if (text == nullptr) continue;
      Job trial = current;
      trial.text = text;
      Outcome after = lint(trial);
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

}  // namespace headroom::lint

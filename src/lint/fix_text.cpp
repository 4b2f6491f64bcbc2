#include "headroom/lint/fix_text.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "headroom/dialect/writer.hpp"
#include "headroom/source/difference.hpp"

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

namespace {

/// The first fix that the policy allows, where all it does is to take away keys that are no fields: such
/// fixes do not meddle with each other.
const rules::Fix* removal(const rules::Diagnostic& d, FixPolicy policy, const schema::Schema& schema) {
  const auto first = std::ranges::find_if(d.fixes, [&](const rules::Fix& f) { return allowed(f, policy); });
  if (first == d.fixes.end() || !first->set.empty()) return nullptr;
  const bool foreign = std::ranges::all_of(
      first->unset, [&](const std::string& name) { return schema.find(name) == schema::no_field; });
  return foreign ? &*first : nullptr;
}

/// Many removals in one go: thousands of unknown keys would each be a reading of the whole text.
Text without_foreign_keys(const Job& job, const Outcome& outcome, FixPolicy policy) {
  const schema::Schema& schema = schema::embedded_schema();
  const schema::Release release = outcome.config.launch.release;
  std::map<std::uint32_t, source::Edit> edits;  // by end
  std::size_t count = 0;
  for (const auto& d : outcome.findings.diagnostics) {
    const rules::Fix* fix = removal(d, policy, schema);
    if (fix == nullptr || fix->unset.size() != 1) continue;
    const auto spelt =
        dialect::spell(outcome.settings, schema, release, {{fix->unset.front(), std::nullopt}});
    if (!spelt || spelt->size() != 1) continue;
    const auto written = dialect::write(outcome.opened, outcome.settings, schema, spelt->front());
    if (!written) continue;
    for (source::Edit& edit : source::edits_between(job.text->text(), *written)) {
      const auto behind = edits.upper_bound(edit.span.begin);
      const bool free = behind == edits.end() || behind->second.span.begin >= edit.span.end;
      if (free) edits.emplace(edit.span.end, std::move(edit));
    }
    ++count;
  }
  if (count < 2) return nullptr;
  std::vector<source::Edit> all;
  for (auto& [end, edit] : edits) all.push_back(std::move(edit));
  return std::make_shared<const source::SourceText>(job.text->name(), source::apply_edits(*job.text, all));
}

}  // namespace

Fixed fix_text(const Job& job, Outcome outcome, FixPolicy policy) {
  Job current = job;
  unsigned repaired = 0;
  std::set<std::string> tried;
  for (bool go_on = true; go_on;) {
    Job trial = current;
    trial.text = without_foreign_keys(current, outcome, policy);
    if (trial.text == nullptr) break;
    Outcome after = lint(trial);
    const std::size_t were = outcome.findings.diagnostics.size(), are = after.findings.diagnostics.size();
    go_on = !after.unreadable && are < were && errors_of(outcome) == errors_of(after);
    if (!go_on) break;
    repaired += static_cast<unsigned>(were - are);
    current = std::move(trial);
    outcome = std::move(after);
  }
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

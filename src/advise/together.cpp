#include "together.hpp"

#include <algorithm>

namespace headroom::advise {

using rules::Diagnostic;
using rules::Findings;
using rules::Fix;
using rules::Severity;
using source::Value;

Key key_of(const Diagnostic& d) {
  return {d.rule, d.fields.empty() ? std::string() : d.fields.front()};
}

State state_of(const Findings& findings) {
  State s;
  for (const Diagnostic& d : findings.diagnostics) {
    s.all.insert(key_of(d));
    if (d.severity == Severity::error) s.errors.insert(key_of(d));
  }
  return s;
}

Fix combine(const Fix& first, const Fix& second) {
  Fix out = first;
  for (const auto& [field, value] : second.set) {
    std::erase(out.unset, field);
    auto it = std::ranges::find(out.set, field, &std::pair<std::string, Value>::first);
    if (it == out.set.end()) {
      out.set.emplace_back(field, value);
    } else {
      it->second = value;
    }
  }
  for (const auto& field : second.unset) {
    std::erase_if(out.set, [&wanted = field](const auto& s) { return s.first == wanted; });
    if (std::ranges::find(out.unset, field) == out.unset.end()) out.unset.push_back(field);
  }
  for (const auto& [name, value] : second.env) {
    std::erase_if(out.env, [&wanted = name](const auto& e) { return e.first == wanted; });
    out.env.emplace_back(name, value);
  }
  out.safety = std::max(first.safety, second.safety);
  if (!second.title.empty() && second.title != first.title) {
    out.title = first.title.empty() ? second.title : first.title + "; " + second.title;
  }
  return out;
}

namespace {

State after(const Fix& fix, const Bench& bench) {
  Applied applied = apply(fix, bench);
  auto config = resolve::resolve(applied.settings, applied.launch, *bench.schema, *bench.resolve);
  return state_of(rules::evaluate(config, applied.settings, bench.packs, *bench.selection));
}

bool none_left(const std::set<Key>& wanted, const State& state) {
  return std::ranges::none_of(wanted, [&](const Key& k) { return state.all.contains(k); });
}

bool nothing_new(const State& state, const State& base) {
  return std::ranges::includes(base.errors, state.errors);
}

}  // namespace

void choose_together(Findings& findings, const Bench& bench) {
  std::vector<Diagnostic*> errors;
  for (Diagnostic& d : findings.diagnostics) {
    if (d.severity == Severity::error && !d.fixes.empty()) errors.push_back(&d);
  }
  if (errors.size() < 2) return;
  const State base = state_of(findings);
  Fix together;
  std::set<Key> handled;
  for (Diagnostic* d : errors) {
    std::set<Key> wanted = handled;
    wanted.insert(key_of(*d));
    for (std::size_t i = 0; i < d->fixes.size(); ++i) {
      // What is chosen already stays: a later fix fills in around it.
      Fix both = combine(d->fixes[i], together);
      State state = after(both, bench);
      if (!none_left(wanted, state) || !nothing_new(state, base)) continue;
      std::rotate(d->fixes.begin(), d->fixes.begin() + static_cast<std::ptrdiff_t>(i),
                  d->fixes.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      together = std::move(both);
      handled = std::move(wanted);
      break;
    }
  }
}

}  // namespace headroom::advise

#include "together.hpp"

#include <algorithm>
#include <optional>

#include "headroom/memory/facts.hpp"

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

bool takes_back(const Fix& next, const Fix& first) {
  return std::ranges::any_of(first.set, [&](const auto& edit) {
    const auto other = std::ranges::find(next.set, edit.first, &std::pair<std::string, Value>::first);
    if (other != next.set.end()) return !(other->second == edit.second);
    return std::ranges::find(next.unset, edit.first) != next.unset.end();
  });
}

namespace {

State after(const Fix& fix, const Bench& bench) {
  Applied applied = apply(fix, bench);
  auto config = resolve::resolve(applied.settings, applied.launch, *bench.schema, *bench.resolve);
  static_cast<void>(memory::add_facts(config));
  return state_of(rules::evaluate(config, applied.settings, bench.packs, *bench.selection));
}

bool none_left(const std::set<Key>& wanted, const State& state) {
  return std::ranges::none_of(wanted, [&](const Key& k) { return state.all.contains(k); });
}

bool nothing_new(const State& state, const State& base) {
  return std::ranges::includes(base.errors, state.errors);
}

/// Whether `fix` asks for nothing that `whole` does not do already.
bool contained(const Fix& fix, const Fix& whole) {
  const auto in = [](const auto& items) {
    return [&items](const auto& item) { return std::ranges::find(items, item) != items.end(); };
  };
  return std::ranges::all_of(fix.set, in(whole.set)) && std::ranges::all_of(fix.unset, in(whole.unset)) &&
         std::ranges::all_of(fix.env, in(whole.env));
}

void move_to_front(std::vector<Fix>& fixes, std::size_t i) {
  const auto chosen = fixes.begin() + static_cast<std::ptrdiff_t>(i);
  std::rotate(fixes.begin(), chosen, chosen + 1);
}

/// The number of the first fix of `d` that goes with `together`. Where those repair `d` already, the one that
/// they contain: anything more would be a change without need.
std::optional<std::size_t> fitting(const Diagnostic& d, const Fix& together, const std::set<Key>& wanted,
                                   const State& base, const Bench& bench) {
  for (std::size_t i = 0; i < d.fixes.size(); ++i) {
    if (contained(d.fixes[i], together)) return i;
  }
  for (std::size_t i = 0; i < d.fixes.size(); ++i) {
    if (takes_back(d.fixes[i], together)) continue;
    const State state = after(combine(d.fixes[i], together), bench);
    if (none_left(wanted, state) && nothing_new(state, base)) return i;
  }
  return std::nullopt;
}

}  // namespace

void choose_together(Findings& findings, const Bench& bench) {
  std::vector<Diagnostic*> errors;
  for (Diagnostic& d : findings.diagnostics) {
    if (d.severity == Severity::error && !d.fixes.empty()) errors.push_back(&d);
  }
  if (errors.size() < 2) return;
  // Who has the least choice chooses first.
  std::ranges::stable_sort(errors, {}, [](const Diagnostic* d) { return d->fixes.size(); });
  const State base = state_of(findings);
  Fix together;
  std::set<Key> handled;
  for (Diagnostic* d : errors) {
    std::set<Key> wanted = handled;
    wanted.insert(key_of(*d));
    const auto chosen = fitting(*d, together, wanted, base, bench);
    if (!chosen) continue;
    move_to_front(d->fixes, *chosen);
    together = combine(d->fixes.front(), together);
    handled = std::move(wanted);
  }
}

}  // namespace headroom::advise

#include "headroom/advise/fixes.hpp"

#include <algorithm>
#include <optional>

#include "headroom/cost/evidence.hpp"
#include "headroom/memory/facts.hpp"

#include "rank.hpp"
#include "together.hpp"

namespace headroom::advise {

using rules::Diagnostic;
using rules::Findings;
using rules::Fix;
using rules::Severity;
using source::Value;

namespace {

/// Each fix that is tried gives all findings again, to be compared. A file with thousands of unknown keys
/// would take minutes: beyond 256 findings only the first are offered fixes, errors before others.
constexpr std::size_t most_compared = 256 * 256;
/// Up to here keys that the loader drops are offered to be taken away all the same: nothing is evaluated for
/// that.
constexpr std::size_t most_about_text = 5000;

std::vector<Fix> candidates(const Diagnostic& d, const resolve::EffectiveConfig& config, const Bench& bench) {
  std::vector<Fix> out = d.fixes;  // of native rules: made where the finding was
  for (const rules::RulePack* pack : bench.packs) {
    const rules::Rule* rule = rules::find_rule(*pack, d.rule);
    if (rule == nullptr || rule->when == lang::no_expr) continue;
    auto more = rules::candidate_fixes(*rule, pack->pool, config);
    std::ranges::move(more, std::back_inserter(out));
  }
  for (Fix& fix : out) fix = writable(std::move(fix), bench);
  return out;
}

bool same_edit(const Fix& a, const Fix& b) {
  return a.set == b.set && a.unset == b.unset && a.env == b.env;
}

class Verifier {
 public:
  Verifier(const Bench& bench, const State& base, const Outlook& before)
      : bench_(bench), base_(base), before_(before) {}

  /// Fixes of `finding` that hold up, in the order tried.
  std::vector<Fix> verified(const Diagnostic& finding, const std::vector<Fix>& tried, bool only_text) {
    std::vector<Fix> kept;
    for (const Fix& fix : tried) {
      if (only_text && (fix.unset.empty() || !same_run(fix))) continue;
      for (Fix& good : check(finding, fix, 1)) {
        bool known = std::ranges::any_of(kept, [&](const Fix& k) { return same_edit(k, good); });
        if (!known) kept.push_back(std::move(good));
      }
    }
    return kept;
  }

 private:
  std::vector<Fix> check(const Diagnostic& finding, const Fix& fix, int depth) {
    if (fix.set.empty() && fix.unset.empty() && fix.env.empty()) return {};
    if (same_run(fix)) return about_text(fix, finding);
    Applied applied = apply(fix, bench_);
    resolve::EffectiveConfig config =
        resolve::resolve(applied.settings, applied.launch, *bench_.schema, *bench_.resolve);
    const auto facts = memory::add_facts(config);
    Findings after = rules::evaluate(config, applied.settings, bench_.packs, *bench_.selection);
    State state = state_of(after);
    if (state.all.contains(key_of(finding))) return {};
    std::vector<const Diagnostic*> fresh;
    for (const Diagnostic& d : after.diagnostics) {
      if (d.severity == Severity::error && !base_.errors.contains(key_of(d))) fresh.push_back(&d);
    }
    if (fresh.empty()) return {finish(fix, finding, state, config, facts)};
    // The change is right but not enough: go on with what repairs the error that it brought.
    std::vector<Fix> out;
    if (depth == 0) return out;
    for (const Fix& next : candidates(*fresh.front(), config, bench_)) {
      Fix both = combine(fix, next);
      // "Recompute whole layers; train without recomputation" would promise what it does not do.
      if (takes_back(next, fix)) both.title = next.title;
      for (Fix& good : check(finding, both, depth - 1)) out.push_back(std::move(good));
      if (!out.empty()) break;
    }
    return out;
  }

  /// Whether the fix takes away only what the loader drops: keys that are no field, fields of other releases.
  [[nodiscard]] bool same_run(const Fix& fix) const {
    if (!fix.set.empty() || !fix.env.empty()) return false;
    return std::ranges::all_of(fix.unset, [&](const std::string& name) {
      if (bench_.schema->find_section(name) != nullptr) return false;
      const schema::FieldId id = bench_.schema->find(name);
      if (id == schema::no_field || bench_.settings->find(id) == nullptr) return true;
      const schema::Field& field = bench_.schema->field(id);
      return field.space == schema::Space::config &&
             !schema::contains(field.releases, bench_.launch->release) && !is_alone(field);
    });
  }

  /// Whether nothing else is written in the mapping of the field: without it the mapping would be absent.
  [[nodiscard]] bool is_alone(const schema::Field& field) const {
    const std::string_view mapping = field.name.substr(0, field.name.rfind('.') + 1);
    return std::ranges::none_of(bench_.settings->settings, [&](const dialect::Setting& s) {
      const schema::Field& other = bench_.schema->field(s.field);
      return other.name != field.name && other.name.starts_with(mapping) &&
             schema::contains(other.releases, bench_.launch->release);
    });
  }

  /// Then all findings stay but those about these keys of the text; nothing needs to be evaluated.
  [[nodiscard]] std::vector<Fix> about_text(const Fix& fix, const Diagnostic& finding) const {
    std::set<Key> gone;
    for (const dialect::Problem& problem : bench_.settings->problems) {
      if (std::ranges::find(fix.unset, problem.field) == fix.unset.end()) continue;
      const Key key{problem.rule, problem.field};
      if (base_.all.contains(key)) gone.insert(key);
    }
    if (gone.erase(key_of(finding)) == 0) return {};
    Fix out = fix;
    out.verified = true;
    add_outlook(out, before_, *before_.config, before_.memory);
    for (const Key& k : gone) out.also_repairs.push_back(k.first);
    return {std::move(out)};
  }

  Fix finish(Fix fix, const Diagnostic& finding, const State& after, const resolve::EffectiveConfig& config,
             const std::optional<memory::Facts>& facts) const {
    fix.verified = true;
    add_outlook(fix, before_, config, facts);
    for (const Key& k : base_.all) {
      if (k != key_of(finding) && !after.all.contains(k)) fix.also_repairs.push_back(k.first);
    }
    return fix;
  }

  const Bench& bench_;
  const State& base_;
  const Outlook& before_;
};

}  // namespace

void attach_fixes(Findings& findings, const Bench& bench) {
  if (findings.diagnostics.empty()) return;
  std::optional<resolve::EffectiveConfig> own;
  std::optional<memory::Facts> facts = bench.memory;
  if (bench.config == nullptr) {
    own = resolve::resolve(*bench.settings, *bench.launch, *bench.schema, *bench.resolve);
    facts = memory::add_facts(*own);
  }
  const resolve::EffectiveConfig& config = own ? *own : *bench.config;
  const State base = state_of(findings);
  const Outlook before{&config, facts, cost::step_time_of(config)};
  Verifier verifier(bench, base, before);
  std::vector<Diagnostic*> order;
  for (Diagnostic& d : findings.diagnostics) order.push_back(&d);
  std::stable_partition(order.begin(), order.end(),
                        [](const Diagnostic* d) { return d->severity == Severity::error; });
  std::size_t left = most_compared / order.size();
  for (Diagnostic* d : order) {
    std::vector<Fix> fixes;
    const bool only_text = left == 0;
    if (!only_text || order.size() <= most_about_text) {
      fixes = verifier.verified(*d, candidates(*d, config, bench), only_text);
      rank(fixes);
    }
    if (left > 0) --left;
    d->fixes = std::move(fixes);
  }
  choose_together(findings, bench);
}

}  // namespace headroom::advise

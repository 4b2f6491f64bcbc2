#include "headroom/advise/remedies.hpp"

#include <algorithm>

#include "headroom/memory/facts.hpp"
#include "rank.hpp"
#include "together.hpp"

namespace headroom::advise {

using rules::Diagnostic;
using rules::Findings;
using rules::Fix;
using rules::Severity;

namespace {

/// The ledger is no better than this: what saves less is not worth a place, and a hair more is no loss.
constexpr double hair = 0.005;

struct Ranked {
  Fix fix;
  bool enough = true;
};

class Remedies {
 public:
  Remedies(const Findings& findings, const Bench& bench, const Need& need) : bench_(bench), need_(need) {
    base_ = state_of(findings);
    resolve::EffectiveConfig scratch = *bench.config;
    before_ = {bench.config, memory::add_facts(scratch), cost::step_time_of(*bench.config)};
  }

  void of(const Diagnostic& finding) {
    general_ = finding.severity == Severity::advice;
    for (const rules::RulePack* pack : bench_.packs) {
      const rules::Rule* rule = rules::find_rule(*pack, finding.rule);
      if (rule == nullptr || rule->when == lang::no_expr) continue;
      for (Fix& fix : rules::candidate_fixes(*rule, pack->pool, *bench_.config)) {
        if (!need_.verify)
          add(std::move(fix), true);
        else
          attempt(writable(std::move(fix), bench_), 1);
      }
    }
  }

  std::vector<Fix> take() {
    std::stable_sort(out_.begin(), out_.end(),
                     [](const Ranked& a, const Ranked& b) { return a.enough > b.enough; });
    std::vector<Fix> fixes;
    for (Ranked& r : out_) fixes.push_back(std::move(r.fix));
    return fixes;
  }

 private:
  void attempt(const Fix& fix, int depth) {
    Applied applied = apply(fix, bench_);
    resolve::EffectiveConfig config =
        resolve::resolve(applied.settings, applied.launch, *bench_.schema, *bench_.resolve);
    const auto facts = memory::add_facts(config);
    const Findings after = rules::evaluate(config, applied.settings, bench_.packs, *bench_.selection);
    const Diagnostic* fresh = nullptr;
    for (const Diagnostic& d : after.diagnostics) {
      if (fresh == nullptr && d.severity == Severity::error && !base_.errors.contains(key_of(d))) fresh = &d;
    }
    if (fresh == nullptr) return keep(fix, config, facts);
    if (depth == 0) return;
    // What the change needs beside it to be legal.
    for (const rules::RulePack* pack : bench_.packs) {
      const rules::Rule* rule = rules::find_rule(*pack, fresh->rule);
      if (rule == nullptr || rule->when == lang::no_expr) continue;
      for (const Fix& next : rules::candidate_fixes(*rule, pack->pool, config)) {
        if (takes_back(next, fix)) continue;
        const std::size_t before = out_.size();
        Fix both = combine(fix, writable(next, bench_));
        both.title = fix.title;
        attempt(both, depth - 1);
        if (out_.size() > before) return;
      }
    }
  }

  void keep(Fix fix, const resolve::EffectiveConfig& config, const std::optional<memory::Facts>& facts) {
    fix.verified = true;
    add_outlook(fix, before_, config, facts);
    bool enough = true;
    if (facts && before_.memory) {
      const double saved = before_.memory->used - facts->used;
      if (need_.memory) {
        if (saved < -hair * before_.memory->used) return;
        // A rule that knows the failure may know what the ledger does not; a general list has to save
        // something.
        if (general_ && saved < hair * before_.memory->used) return;
        enough = saved >= need_.deficit && saved > hair * before_.memory->used;
      }
    }
    add(std::move(fix), enough);
  }

  void add(Fix fix, bool enough) {
    const bool known = std::any_of(out_.begin(), out_.end(), [&](const Ranked& r) {
      return r.fix.set == fix.set && r.fix.unset == fix.unset && r.fix.env == fix.env;
    });
    if (!known) out_.push_back({std::move(fix), enough});
  }

  const Bench& bench_;
  const Need& need_;
  State base_;
  Outlook before_;
  bool general_ = false;  ///< the rule at hand is of severity `advice`
  std::vector<Ranked> out_;
};

}  // namespace

bool is_about_failure(const Diagnostic& finding) {
  return finding.rule.starts_with("oom/");
}

std::vector<Fix> remedies(const Findings& findings, const Bench& bench, const Need& need) {
  Remedies run(findings, bench, need);
  for (const bool precise : {true, false}) {
    for (const Diagnostic& d : findings.diagnostics)
      if (is_about_failure(d) && (d.severity > Severity::advice) == precise) run.of(d);
  }
  return run.take();
}

}  // namespace headroom::advise

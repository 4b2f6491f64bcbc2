#include "failure.hpp"

#include <algorithm>

#include "headroom/advise/remedies.hpp"
#include "headroom/memory/facts.hpp"

namespace headroom::lint {
namespace {

using oom::Cause;

bool wants_device_memory(Cause cause) {
  switch (cause) {
    case Cause::capacity_activation:
    case Cause::capacity_states:
    case Cause::optimizer_init:
    case Cause::logits:
    case Cause::moe_imbalance:
    case Cause::fp8_weight_copies:
      return true;
    default:
      return false;
  }
}

bool has_errors(const rules::Findings& findings) {
  return std::any_of(findings.diagnostics.begin(), findings.diagnostics.end(),
                     [](const auto& d) { return d.severity == rules::Severity::error; });
}

/// Settings that contradict each other are repaired as in a check.
void repair(Outcome& out, const advise::Bench& bench) {
  advise::attach_fixes(out.findings, bench);
  for (const rules::Diagnostic& d : out.findings.diagnostics) {
    if (d.severity != rules::Severity::error && d.severity != rules::Severity::warning) continue;
    out.remedies.insert(out.remedies.end(), d.fixes.begin(), d.fixes.end());
  }
}

}  // namespace

void explain(const oom::LogFacts& log, resolve::LaunchContext& launch, const advise::Bench& bench,
             Outcome& out) {
  const bool given = !out.settings.settings.empty() || out.document != nullptr;
  oom::RunContext run;
  memory::Ledger ledger;
  const auto shape = memory::read_shape(out.config);
  if (given) {
    run.config = &out.config;
    run.config_has_errors = has_errors(out.findings);
    if (shape) {
      run.shape = &shape->shape;
      ledger.peaks = memory::peaks(shape->shape);
      run.ledger = &ledger;
    }
  }
  out.diagnosis = oom::diagnose(log, run);
  launch.facts = oom::rule_facts(*out.diagnosis, log);
  out.config = resolve::resolve(out.settings, launch, *bench.schema, *bench.resolve);
  static_cast<void>(memory::add_facts(out.config));
  out.findings = rules::evaluate(out.config, out.settings, bench.packs, *bench.selection);
  if (out.diagnosis->cause == Cause::config_conflict) repair(out, bench);
  const advise::Need need{out.diagnosis->deficit, wants_device_memory(out.diagnosis->cause), given};
  auto more = advise::remedies(out.findings, bench, need);
  std::move(more.begin(), more.end(), std::back_inserter(out.remedies));
}

}  // namespace headroom::lint

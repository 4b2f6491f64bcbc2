#include "failure.hpp"

#include <algorithm>

#include "contradictions.hpp"
#include "headroom/advise/remedies.hpp"
#include "headroom/lint/refusal.hpp"
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

/// What was missing when it failed, or what will be missing at the peak that the run had not yet reached.
double missing(const oom::Diagnosis& d, const oom::RunContext& run) {
  const auto& f = d.figures;
  const double limit =
      f.allowed ? *f.allowed : f.capacity.value_or(run.ledger != nullptr ? run.ledger->peaks.capacity : 0);
  if (run.ledger == nullptr || limit <= 0) return d.deficit;
  return std::max(d.deficit, run.ledger->peaks.used - limit);
}

bool has_errors(const rules::Findings& findings) {
  return std::any_of(findings.diagnostics.begin(), findings.diagnostics.end(),
                     [](const auto& d) { return d.severity == rules::Severity::error; });
}

double likeness_of(const rules::Diagnostic& d, std::string_view message, const schema::Schema& schema) {
  return likeness(message, {d.fields.begin(), d.fields.end()}, schema);
}

/// Settings that contradict each other are repaired as in a check; what the message names comes first.
void repair(Outcome& out, const advise::Bench& bench) {
  const std::string& message = out.diagnosis->message;
  advise::attach_fixes(out.findings, bench);
  std::vector<const rules::Diagnostic*> order;
  for (const rules::Diagnostic& d : out.findings.diagnostics)
    if (d.severity == rules::Severity::error || d.severity == rules::Severity::warning) order.push_back(&d);
  std::stable_sort(order.begin(), order.end(), [&](const auto* a, const auto* b) {
    if (a->severity != b->severity) return a->severity > b->severity;
    return likeness_of(*a, message, *bench.schema) > likeness_of(*b, message, *bench.schema);
  });
  for (const rules::Diagnostic* d : order) {
    if (d->severity == rules::Severity::error && out.caught_by.size() < 3) out.caught_by.push_back(d->rule);
    out.remedies.insert(out.remedies.end(), d->fixes.begin(), d->fixes.end());
  }
  if (!out.caught_by.empty()) return;
  for (const rules::Rule* rule : rules_of(message, bench.packs, *bench.schema))
    out.caught_by.emplace_back(rule->id);
}

}  // namespace

ContextOptions context_of_log(const oom::LogFacts& log, const ContextOptions& given) {
  ContextOptions out;
  out.gpus = log.layout.world;
  if (given.gpu) return out;
  for (const oom::Failure& f : log.failures)
    if (!out.gpu_memory_bytes && f.figures.capacity)
      out.gpu_memory_bytes = static_cast<std::uint64_t>(*f.figures.capacity);
  return out;
}

void explain(const oom::LogFacts& log, resolve::LaunchContext& launch, const advise::Bench& bench,
             Outcome& out) {
  const bool given = !out.settings.settings.empty() || out.document != nullptr;
  oom::RunContext run;
  memory::Ledger ledger;
  const auto shape = memory::read_shape(out.config);
  if (given) {
    run.config = &out.config;
    run.config_has_errors = has_errors(out.findings);
    if (shape) run.shape = &shape->shape;
    if (shape &&
        out.config.launch.gpus) {  // states depend on the data-parallel size: without it there is no figure
      ledger.peaks = memory::peaks(shape->shape);
      run.ledger = &ledger;
    }
  }
  const Contradictions against =
      given ? contradictions(log, out.config, run.shape, run.ledger != nullptr ? &ledger.peaks : nullptr)
            : Contradictions{};
  // Figures of one run explain nothing of another.
  if (!against.other_run.empty()) run.shape = nullptr, run.ledger = nullptr;
  out.diagnosis = oom::diagnose(log, run);
  if (std::string text = against.text(); !text.empty())
    out.diagnosis->notes.insert(out.diagnosis->notes.begin(), std::move(text));
  launch.facts = oom::rule_facts(*out.diagnosis, log);
  out.config = resolve::resolve(out.settings, launch, *bench.schema, *bench.resolve);
  static_cast<void>(memory::add_facts(out.config));
  out.findings = rules::evaluate(out.config, out.settings, bench.packs, *bench.selection);
  if (out.diagnosis->cause == Cause::config_conflict) repair(out, bench);
  const advise::Need need{missing(*out.diagnosis, run), wants_device_memory(out.diagnosis->cause), given};
  auto more = advise::remedies(out.findings, bench, need);
  std::move(more.begin(), more.end(), std::back_inserter(out.remedies));
}

}  // namespace headroom::lint

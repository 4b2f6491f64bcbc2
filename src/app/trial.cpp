#include "trial.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "headroom/memory/ledger.hpp"

namespace headroom::app {
namespace {

constexpr double gib = 1024.0 * 1024 * 1024;

std::optional<memory::Peaks> peaks_of(const lint::Outcome& outcome) {
  const auto shape = memory::read_shape(outcome.config);
  if (!shape) return std::nullopt;
  return memory::peaks(shape->shape);
}

/// What a fix would be called that does the same.
rules::Fix between(const dialect::Settings& before, const dialect::Settings& after,
                   const schema::Schema& schema) {
  rules::Fix fix;
  fix.verified = true;
  for (const dialect::Setting& s : after.settings) {
    const dialect::Setting* was = before.find(s.field);
    if (was == nullptr || !(was->value == s.value))
      fix.set.emplace_back(std::string(schema.field(s.field).name), s.value);
  }
  for (const dialect::Setting& s : before.settings)
    if (after.find(s.field) == nullptr) fix.unset.emplace_back(schema.field(s.field).name);
  return fix;
}

std::string verdict(const oom::Diagnosis& d, const memory::Peaks& before, const memory::Peaks& after) {
  const double change = after.used - before.used;
  std::string out = fmt::format("peak {:.2f} -> {:.2f} GiB ({:+.2f}) by the estimate, stage {}",
                                before.peak().peak / gib, after.peak().peak / gib,
                                (after.peak().peak - before.peak().peak) / gib, after.peak().stage);
  const auto limit = d.figures.allowed ? d.figures.allowed : d.figures.capacity;
  if (d.seen > 0 && limit) {
    // The estimate's difference on top of what the log saw, or on top of the peak that the run never reached.
    const double needs = std::max(d.seen + d.deficit, before.used) + change;
    out +=
        fmt::format("\n{}: it had {:.2f} GiB and lacked {:.2f}; with the change about {:.2f} of {:.2f} GiB",
                    needs <= 0.99 * *limit ? "fits" : "does not fit", d.seen / gib, d.deficit / gib,
                    needs / gib, *limit / gib);
  } else if (after.capacity > 0) {
    out += fmt::format("\n{}: {:.2f} of {:.2f} GiB used", after.fits() ? "fits" : "does not fit",
                       after.used / gib, after.capacity / gib);
  }
  return out + "\n";
}

std::string errors(const lint::Outcome& before, const lint::Outcome& after) {
  std::string out;
  const auto known = [&](const rules::Diagnostic& d) {
    const auto& all = before.findings.diagnostics;
    return std::any_of(all.begin(), all.end(),
                       [&](const auto& k) { return k.rule == d.rule && k.message == d.message; });
  };
  for (const rules::Diagnostic& d : after.findings.diagnostics)
    if (d.severity == rules::Severity::error && !known(d))
      out += fmt::format("error[{}]: {}\n", d.rule, d.message);
  return out;
}

/// Why a word sets nothing that is tried: it names no field, or its value cannot stand there.
std::optional<source::Error> refused(const lint::Outcome& before, const lint::Outcome& after) {
  for (const dialect::Problem& p : after.settings.problems) {
    const bool known = std::ranges::any_of(before.settings.problems,
                                           [&](const dialect::Problem& k) { return k.message == p.message; });
    if (p.place.from == dialect::From::set_option && !known) return source::Error{p.message, "", {}, false};
  }
  return std::nullopt;
}

}  // namespace

source::Result<Trial> try_words(Explaining& explaining, const report::ExplainReport& base,
                                const std::vector<std::string>& words) {
  std::vector<source::Override> overrides;
  for (const auto& word : words) {
    auto parsed = source::parse_override(word, word);
    if (!parsed) return tl::unexpected(parsed.error());
    overrides.push_back(std::move(*parsed));
  }
  const lint::Outcome before = explaining.outcome();
  explaining.set(std::move(overrides));
  const auto tried = explaining.run();
  const lint::Outcome after = explaining.outcome();
  explaining.set({});
  static_cast<void>(explaining.run());  // the next trial is compared with the config, not with this one
  if (!tried) return tl::unexpected(tried.error());
  if (auto why = refused(before, after)) return tl::unexpected(std::move(*why));
  Trial out;
  out.fix = between(before.settings, after.settings, *before.config.schema);
  const auto was = peaks_of(before), is = peaks_of(after);
  out.text = was && is ? verdict(base.diagnosis, *was, *is)
                       : "no estimate: the config does not say enough of the model or the launch\n";
  out.text += errors(before, after);
  return out;
}

}  // namespace headroom::app

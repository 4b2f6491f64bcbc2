#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "headroom/diff/diff.hpp"

namespace headroom::diff {
namespace {

using source::Value;

bool same_finding(const rules::Diagnostic& a, const rules::Diagnostic& b) {
  if (a.rule != b.rule) return false;
  // Figures in a message change with every change of the config; the finding is the same one.
  if (a.severity == rules::Severity::memory) return true;
  return a.fields == b.fields && a.message == b.message;
}

std::vector<rules::Diagnostic> only_in(const rules::Findings& these, const rules::Findings& others) {
  std::vector<rules::Diagnostic> out;
  std::vector<bool> taken(others.diagnostics.size());
  for (const auto& d : these.diagnostics) {
    bool found = false;
    for (std::size_t i = 0; i < taken.size() && !found; ++i) {
      if (taken[i] || !same_finding(d, others.diagnostics[i])) continue;
      taken[i] = found = true;
    }
    if (!found) out.push_back(d);
  }
  return out;
}

bool same(const Value& a, const Value& b) {
  return a == b && a.is_null() == b.is_null() && a.is_unknown() == b.is_unknown();
}

std::vector<Change> changes(const resolve::EffectiveConfig& before, const resolve::EffectiveConfig& after) {
  std::vector<Change> out;
  const schema::Schema& schema = *after.schema;
  for (std::size_t i = 0; i < schema.size(); ++i) {
    const schema::Field& field = schema.field(static_cast<schema::FieldId>(i));
    // A section by name, as a precision recipe is.
    const bool named =
        field.space == schema::Space::section && (before.now[i].is_string() || after.now[i].is_string());
    const bool shown = named || field.space == schema::Space::config ||
                       field.space == schema::Space::environment || field.space == schema::Space::launch ||
                       field.space == schema::Space::extra;
    if (!shown || field.name.starts_with("memory.") || same(before.now[i], after.now[i])) continue;
    // Paths of a run differ from run to run and change nothing here, unless somebody changes them.
    const bool written = (before.set[i] != after.set[i] || !same(before.raw[i], after.raw[i])) &&
                         (before.set[i] != 0 || after.set[i] != 0);
    out.push_back({std::string(field.name), before.now[i], after.now[i], before.origin[i], after.origin[i],
                   written || field.space == schema::Space::launch});
  }
  std::ranges::sort(out, [](const Change& a, const Change& b) {
    return std::make_tuple(!a.written, std::cref(a.field)) < std::make_tuple(!b.written, std::cref(b.field));
  });
  return out;
}

Memory memory_of(const memory::Peaks& before, const memory::Peaks& after) {
  Memory out;
  const std::size_t stages = std::max(before.stages.size(), after.stages.size());
  for (std::size_t i = 0; i < stages; ++i) {
    StageChange change{static_cast<std::int32_t>(i), {}, {}};
    if (i < before.stages.size()) change.before = before.stages[i].peak;
    if (i < after.stages.size()) change.after = after.stages[i].peak;
    out.stages.push_back(change);
  }
  out.before_peak = before.peak().peak;
  out.after_peak = after.peak().peak;
  out.before_used = before.used;
  out.after_used = after.used;
  out.before_capacity = before.capacity;
  out.after_capacity = after.capacity;
  out.before_fits = before.fits();
  out.after_fits = after.fits();
  return out;
}

/// Tokens of a step over all ranks.
double tokens(const memory::Shape& s) {
  return s.sequence * s.micro_batch * s.microbatches * s.parallel.dp;
}

void add_time(const memory::Shape& before, const resolve::EffectiveConfig& before_config,
              const memory::Shape& after, const resolve::EffectiveConfig& after_config, Diff& out) {
  const cost::StepTime one = cost::step_time(before, cost::read_job(before_config));
  cost::StepTime two = cost::step_time(after, cost::read_job(after_config));
  if (one.total <= 0 || two.total <= 0) return;
  const double scale = tokens(after) > 0 ? tokens(before) / tokens(after) : 1;
  two.total *= scale;
  for (double& part : two.parts) part *= scale;
  out.time = cost::ratio(one, two);
  std::vector<std::pair<double, std::size_t>> moved;
  for (std::size_t i = 0; i < cost::part_count; ++i)
    moved.emplace_back((two.parts[i] - one.parts[i]) / one.total, i);
  std::ranges::stable_sort(moved, std::ranges::greater{}, [](const auto& m) { return std::abs(m.first); });
  for (const auto& [share, part] : moved)
    if (std::abs(share) >= 0.005 && out.time_parts.size() < 4)
      out.time_parts.push_back(
          fmt::format("{} {:+.0f} %", cost::name_of(static_cast<cost::Part>(part)), 100 * share));
}

}  // namespace

Diff compare(const Side& before, const Side& after) {
  Diff out;
  out.appeared = only_in(*after.findings, *before.findings);
  out.gone = only_in(*before.findings, *after.findings);
  out.changed = changes(*before.config, *after.config);
  const auto one = memory::read_shape(*before.config), two = memory::read_shape(*after.config);
  if (!one || !two) {
    out.no_memory = (one ? two : one).error().message;
    return out;
  }
  out.memory = memory_of(memory::peaks(one->shape), memory::peaks(two->shape));
  add_time(one->shape, *before.config, two->shape, *after.config, out);
  return out;
}

}  // namespace headroom::diff

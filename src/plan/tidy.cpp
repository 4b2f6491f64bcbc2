#include "tidy.hpp"

#include <algorithm>
#include <cmath>

#include "space.hpp"

namespace headroom::plan {
namespace {

using rules::Diagnostic;
using rules::Fix;

/// More settings than this are not left over by a plan.
constexpr int most_rounds = 8;

bool same_finding(const Diagnostic& a, const Diagnostic& b) {
  return a.rule == b.rule && a.fields == b.fields;
}

/// The first setting without effect that had one in the given config.
const Diagnostic* left_over(const Checked& checked, const Checked& given) {
  const auto it = std::ranges::find_if(checked.ignored, [&](const Diagnostic& d) {
    return std::ranges::none_of(given.ignored, [&](const Diagnostic& g) { return same_finding(d, g); });
  });
  return it == checked.ignored.end() ? nullptr : &*it;
}

bool same_run(const Checked& a, const Checked& b) {
  const auto near = [](double x, double y) { return std::abs(x - y) <= 1e-9 * std::abs(x); };
  return a.legal == b.legal && near(a.memory.used, b.memory.used) && near(a.time.total, b.time.total);
}

/// The change without its own edits of the fields, where it has any.
std::vector<Fix> without_own(const Fix& change, const std::vector<std::string>& fields) {
  Fix less = change;
  const auto blamed = [&](const std::string& name) {
    return std::ranges::find(fields, name) != fields.end();
  };
  std::erase_if(less.set, [&](const auto& edit) { return blamed(edit.first); });
  std::erase_if(less.unset, blamed);
  if (less.set.size() == change.set.size() && less.unset.size() == change.unset.size()) return {};
  return {less};
}

/// The change with what the rule itself proposes.
std::vector<Fix> repaired(const Fix& change, const Diagnostic& finding, const advise::Bench& bench) {
  const advise::Applied applied = advise::apply(change, bench);
  advise::Bench own = bench;
  own.settings = &applied.settings;
  own.launch = &applied.launch;
  own.config = nullptr;
  rules::Findings findings;
  findings.diagnostics.push_back(finding);
  advise::attach_fixes(findings, own);
  std::vector<Fix> out;
  for (const Fix& fix : findings.diagnostics.front().fixes) out.push_back(joined(change, fix));
  return out;
}

}  // namespace

void tidy(rules::Fix& change, Checked& checked, const Checked& given, const advise::Bench& bench) {
  for (int round = 0; round < most_rounds; ++round) {
    const Diagnostic* finding = left_over(checked, given);
    if (finding == nullptr) return;
    std::vector<Fix> tries = without_own(change, finding->fields);
    for (Fix& fix : repaired(change, *finding, bench)) tries.push_back(std::move(fix));
    bool better = false;
    for (const Fix& fix : tries) {
      Fix next = advise::writable(fix, bench);
      auto again = check_in_full(next, bench);
      if (!again || !same_run(*again, checked) || again->ignored.size() >= checked.ignored.size()) continue;
      next.title = change.title;
      next.safety = change.safety;
      change = std::move(next);
      checked = std::move(*again);
      better = true;
      break;
    }
    if (!better) return;
  }
}

}  // namespace headroom::plan

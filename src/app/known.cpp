#include "known.hpp"

namespace headroom::app {

std::string key_of(const rules::Diagnostic& d) {
  std::string key = d.rule;
  for (const auto& field : d.fields) key += '\n' + field;
  return key;
}

Counts take_known(report::FileReport& report, Counts known, const std::string& by,
                  const std::function<std::string(const rules::Diagnostic&)>& key,
                  const std::function<bool(const rules::Diagnostic&)>& keep) {
  Counts taken;
  std::vector<rules::Diagnostic> kept;
  for (auto& d : report.diagnostics) {
    const auto found = known.find(key(d));
    if (found == known.end() || found->second == 0 || keep(d)) {
      kept.push_back(std::move(d));
      continue;
    }
    --found->second;
    ++taken[found->first];
    report.suppressed.push_back({std::move(d), by, {}});
  }
  report.diagnostics = std::move(kept);
  return taken;
}

}  // namespace headroom::app

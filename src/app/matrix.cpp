#include "matrix.hpp"

#include <algorithm>
#include <set>

#include "headroom/report/terminal.hpp"
#include "headroom/schema/release.hpp"

namespace headroom::app {
namespace {

bool has_error(const report::FileReport& report, const std::string& rule) {
  return std::any_of(report.diagnostics.begin(), report.diagnostics.end(), [&](const rules::Diagnostic& d) {
    return d.severity == rules::Severity::error && d.rule == rule;
  });
}

}  // namespace

std::string matrix(const std::vector<report::FileReport>& reports, const report::TextOptions& options) {
  constexpr auto count = static_cast<std::size_t>(schema::release_count);
  std::string out;
  for (std::size_t first = 0; first + count <= reports.size(); first += count) {
    const report::FileReport* file = &reports[first];
    if (file->unreadable) continue;
    std::set<std::string> ids;
    for (std::size_t i = 0; i < count; ++i) {
      for (const auto& d : file[i].diagnostics) {
        if (d.severity == rules::Severity::error) ids.insert(d.rule);
      }
    }
    std::vector<std::vector<std::string>> rows{{report::printable(file->path)}};
    std::vector<std::string> verdicts{"launch"};
    for (std::size_t i = 0; i < count; ++i) {
      rows.front().emplace_back(schema::name(static_cast<schema::Release>(i)));
      verdicts.emplace_back(report::verdict(file[i]) == "error" ? "fails" : "ok");
    }
    for (const auto& id : ids) {
      rows.push_back({id});
      for (std::size_t i = 0; i < count; ++i) rows.back().emplace_back(has_error(file[i], id) ? "x" : "-");
    }
    rows.push_back(std::move(verdicts));
    out += report::wrapped_table(rows, options.width, options.color) + "\n";
  }
  return out;
}

}  // namespace headroom::app

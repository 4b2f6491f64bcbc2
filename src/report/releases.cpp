// One report a file of those on several releases.
#include <fmt/format.h>

#include <algorithm>

#include "headroom/report/formats.hpp"

namespace headroom::report {
namespace {

bool same(const rules::Diagnostic& a, const rules::Diagnostic& b) {
  const bool placed = a.primary.has_value() && b.primary.has_value();
  return a.rule == b.rule && a.fields == b.fields && a.primary.has_value() == b.primary.has_value() &&
         (!placed || a.primary->location == b.primary->location);
}

std::string release_of(const FileReport& file) {
  for (const auto& [key, value] : file.context) {
    if (key == "bridge") return "Bridge " + value.to_text();
    if (key == "mcore") return "Megatron-Core " + value.to_text();
  }
  return {};
}

FileReport merged(const FileReport* first, std::size_t releases) {
  FileReport out = first[releases - 1];
  out.diagnostics.clear();
  std::vector<std::vector<std::string>> seen;  // a finding's releases
  std::size_t readable = 0;
  for (std::size_t i = releases; i-- > 0;) {  // newest first: its words and severity are kept
    const FileReport& file = first[i];
    if (file.unreadable) continue;
    ++readable;
    for (const auto& d : file.diagnostics) {
      const auto found = std::ranges::find_if(out.diagnostics, [&](const auto& o) { return same(o, d); });
      if (found == out.diagnostics.end()) {
        out.diagnostics.push_back(d);
        seen.push_back({release_of(file)});
      } else {
        auto& names = seen[static_cast<std::size_t>(found - out.diagnostics.begin())];
        if (names.back() != release_of(file)) names.push_back(release_of(file));
        found->severity = std::max(found->severity, d.severity);
      }
    }
  }
  for (std::size_t i = 0; i < seen.size(); ++i) {
    std::ranges::reverse(seen[i]);
    if (seen[i].size() < readable)
      out.diagnostics[i].message += fmt::format(" ({})", fmt::join(seen[i], ", "));
  }
  std::ranges::stable_sort(out.diagnostics, std::ranges::greater(), &rules::Diagnostic::severity);
  return out;
}

}  // namespace

std::vector<FileReport> merge_releases(const std::vector<FileReport>& reports, std::size_t releases) {
  std::vector<FileReport> out;
  for (std::size_t i = 0; i + releases <= reports.size(); i += releases)
    out.push_back(merged(reports.data() + i, releases));
  return out;
}

}  // namespace headroom::report

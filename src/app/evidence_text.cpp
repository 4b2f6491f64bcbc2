#include "evidence_text.hpp"

#include <fmt/format.h>

namespace headroom::app {
namespace {

std::string figures(const schema::EvidenceRun& run, const schema::EvidenceRun& first) {
  std::vector<std::string> parts;
  if (&run != &first && run.seconds > 0 && first.seconds > 0)
    parts.push_back(fmt::format("step time x {:.2f}", run.seconds / first.seconds));
  if (run.peak_bytes > 0) parts.push_back(fmt::format("peak {:.1f} GB", run.peak_bytes / 1e9));
  if (run.out_of_memory) parts.emplace_back("out of memory");
  return fmt::format("{}: {}", run.name, fmt::join(parts, ", "));
}

}  // namespace

std::vector<std::string> evidence_lines(const schema::Evidence& evidence) {
  std::vector<std::string> lines{fmt::format("{}, on {}", evidence.title, evidence.on)};
  const schema::EvidenceRun* before = nullptr;
  for (const auto& run : evidence.runs) {
    // Two spellings of the same run stand one after the other.
    if (before == nullptr || before->name != run.name)
      lines.push_back("  " + figures(run, evidence.runs.front()));
    before = &run;
  }
  lines.push_back(fmt::format("limits: {}", evidence.limits));
  lines.push_back(fmt::format("from {}", evidence.source));
  return lines;
}

}  // namespace headroom::app

// Printers of a memory ledger.
#pragma once
#include <string>
#include <vector>

#include "headroom/memory/ledger.hpp"
#include "headroom/report/report.hpp"

namespace headroom::report {

struct MemoryReport {
  std::string path;
  memory::Ledger ledger;
  std::vector<std::string> assumptions;
  memory::Verdict verdict = memory::Verdict::unknown;
};

/// One table of stages, the capacity line, the assumptions; `why`: every line of the ledger with its formula.
[[nodiscard]] std::string memory_text(const MemoryReport& report, bool why, const TextOptions& options);

/// The `estimate --format json` document, with a final newline.
[[nodiscard]] std::string memory_json(const MemoryReport& report);

}  // namespace headroom::report

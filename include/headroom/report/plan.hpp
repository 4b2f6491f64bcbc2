// Printers of plans.
#pragma once
#include <string>
#include <vector>

#include "headroom/plan/plan.hpp"
#include "headroom/report/report.hpp"

namespace headroom::report {

struct PlanReport {
  std::string path;
  std::string device;  ///< "32 h100"
  bool fit = false;    ///< smallest change first
  plan::Result result;
  std::vector<std::vector<std::string>> words;  ///< by plan: the change in the language of the file
};

/// The given config, the plans, and how memory trades against step time.
[[nodiscard]] std::string plan_text(const PlanReport& report, const TextOptions& options);

/// The `plan --format json` document, with a final newline.
[[nodiscard]] std::string plan_json(const PlanReport& report);

/// "TP 4 PP 4x5 CP 1 DP 2 MBS 1".
[[nodiscard]] std::string layout_text(const plan::Layout& layout);

}  // namespace headroom::report

// Measured runs beside their configs, and the modelled step time of each.
#pragma once
#include <istream>
#include <string>
#include <vector>

#include "headroom/cost/step_time.hpp"
#include "headroom/lint/lint.hpp"

namespace headroom::test {

struct TimedRun {
  std::string id;
  std::string group;   ///< runs that share model, GPU kind and global batch
  std::string origin;  ///< where the figure is from
  double seconds = 0;  ///< measured
  cost::StepTime modelled;
  std::string unreadable;  ///< why there is no model; then `modelled` is empty
};

/// One JSON object a line: `config` or `script` or `file` with `sets`, beside `seconds`, `gpus`, `gpu`.
[[nodiscard]] std::vector<TimedRun> read_timed_runs(std::istream& in);

struct Order {
  int right = 0, wrong = 0;
  int same = 0;  ///< pairs that nothing in their configs tells apart: neither right nor wrong
};
/// Over the pairs of a group whose measured times differ by more than 10 %.
[[nodiscard]] Order order_of(const std::vector<TimedRun>& runs, const std::string& origin);

/// docs/cost-accuracy.md as the runs say now.
[[nodiscard]] std::string order_page(const std::vector<TimedRun>& runs);

}  // namespace headroom::test

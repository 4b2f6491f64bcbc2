// Measured runs in tests/data/memory/measured.jsonl, each beside its config.
#pragma once
#include <string>
#include <vector>

#include "headroom/memory/ledger.hpp"

namespace headroom::test {

struct Point {
  std::string group, id;
  std::int32_t stage = 0;
  double static_measured = 0, peak_measured = 0;  ///< 0: not measured
  memory::Peaks predicted;

  [[nodiscard]] const memory::StagePeaks& at() const {
    return predicted.stages[static_cast<std::size_t>(stage)];
  }
  [[nodiscard]] double static_error() const {
    return static_measured > 0 ? at().static_bytes / static_measured - 1 : 0;
  }
  [[nodiscard]] bool published() const { return static_measured <= 0; }
  [[nodiscard]] double peak_error() const { return at().peak / peak_measured - 1; }
};

/// One point for each measured stage of each run. A run that cannot be read fails the test that asked.
[[nodiscard]] std::vector<Point> measured_points();

/// docs/accuracy.md as the points say now.
[[nodiscard]] std::string accuracy_page(const std::vector<Point>& points);

}  // namespace headroom::test

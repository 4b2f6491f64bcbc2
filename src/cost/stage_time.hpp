// One micro-batch on one pipeline stage.
#pragma once
#include "headroom/cost/step_time.hpp"

namespace headroom::cost {

struct StageTime {
  Seconds forward{}, backward{};
  double forward_total = 0, backward_total = 0;
  double host_forward = 0, host_backward = 0;
  double dense_parameters = 0, expert_parameters = 0, layers = 0;
  [[nodiscard]] double total() const { return forward_total + backward_total; }
};

/// Adds up the chunks from `first` that belong to one stage; returns the index behind them.
[[nodiscard]] std::size_t add_stage(const memory::Shape& s, const Job& job, const LayerTimes& layers,
                                    std::size_t first, StageTime& out);

}  // namespace headroom::cost

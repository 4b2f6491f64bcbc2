#include "headroom/cost/step_time.hpp"

#include <algorithm>
#include <cmath>

#include "constants.hpp"
#include "stage_time.hpp"
#include "state_time.hpp"

namespace headroom::cost {

using namespace constants;

namespace {

void add(Seconds& to, const Seconds& from, double times) {
  for (std::size_t i = 0; i < part_count; ++i) to[i] += times * from[i];
}

double sum(const Seconds& parts) {
  double total = 0;
  for (const double part : parts) total += part;
  return total;
}

}  // namespace

std::string_view name_of(Part part) {
  static constexpr std::array<std::string_view, part_count> names{
      "attention", "recurrent", "dense layers", "experts", "ends",     "replay",    "launches", "bubble",
      "tensor",    "context",   "exchange",     "data",    "pipeline", "optimizer", "host"};
  return names[index_of(part)];
}

StepTime step_time(const memory::Shape& s, const Job& job, const LayerTimes& layers) {
  StepTime out;
  StageTime slowest, stage;
  double all = 0;
  // Chunks come by stage. The slowest stage sets the pace; the others show while the pipeline fills and
  // drains.
  for (std::size_t i = 0; i < s.chunks.size();) {
    const std::size_t next = add_stage(s, job, layers, i, stage);
    all += stage.total();
    if (i == 0 || stage.total() > slowest.total()) slowest = stage;
    i = next;
  }
  const double m = s.microbatches;
  add(out.parts, slowest.forward, m);
  add(out.parts, slowest.backward, m);
  out.parts[index_of(Part::bubble)] = (all - slowest.total()) / s.parallel.vpp;
  add_states(s, job, slowest, out.parts);
  out.total = sum(out.parts);
  return out;
}

Ratio ratio(const StepTime& before, const StepTime& after) {
  // Relative error of a part's modelled time, one standard deviation.
  static constexpr std::array<double, part_count> error{0.15, 0.4, 0.15, 0.3, 0.2, 0.3, 0.5, 0.25,
                                                        0.4,  0.5, 0.5,  0.6, 0.6, 0.5, 0.6};
  Ratio out;
  if (before.total <= 0) return out;
  out.value = after.total / before.total;
  double variance = 0;
  for (std::size_t i = 0; i < part_count; ++i) {
    // What grows with everything else cancels in the ratio.
    const double change = error[i] * (after.parts[i] - out.value * before.parts[i]) / before.total;
    variance += change * change;
  }
  const double deviation = std::sqrt(variance);
  out.low = std::max(out.value - deviation, 0.5 * out.value);
  out.high = out.value + deviation;
  return out;
}

}  // namespace headroom::cost

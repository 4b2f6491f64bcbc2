#include "headroom/memory/calibrate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "headroom/memory/ledger.hpp"

namespace headroom::memory {
namespace {

std::optional<double> median(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Lines that contradict themselves teach nothing.
bool is_consistent(const Observation& o) {
  const double held = o.max_reserved.value_or(std::numeric_limits<double>::infinity());
  const auto sane = [](std::optional<double> bytes) { return !bytes || *bytes > 0; };
  return sane(o.allocated) && sane(o.max_allocated) && sane(o.max_reserved) && sane(o.reserved) &&
         o.allocated.value_or(0) <= o.max_allocated.value_or(held) && o.max_allocated.value_or(0) <= held;
}

struct Samples {
  std::vector<double> still, moving, unused, outside;
};

void add(const Observation& o, const StagePeaks& predicted, Samples& out) {
  if (o.allocated) out.still.push_back(*o.allocated - predicted.static_bytes);
  if (!o.max_allocated) return;
  const double moves = *o.max_allocated - o.allocated.value_or(predicted.static_bytes);
  const double expected = predicted.peak - predicted.static_bytes;
  if (moves > 0 && expected > 0) out.moving.push_back(moves / expected);
  if (o.max_reserved && moves > 0)
    out.unused.push_back(std::max(0.0, *o.max_reserved - *o.max_allocated) / moves);
  const auto held = o.max_reserved ? o.max_reserved : o.reserved;
  if (o.device_used && held && *o.device_used > *held) out.outside.push_back(*o.device_used - *held);
}

/// Mean and largest absolute error of the peaks, as shares.
struct Errors {
  double mean = 0, largest = 0;
  std::size_t count = 0;
};

Errors errors(const Peaks& predicted, std::span<const Observation> observations) {
  Errors out;
  for (const Observation& o : observations) {
    if (!o.max_allocated || *o.max_allocated <= 0) continue;
    const double error =
        std::abs(predicted.stages[static_cast<std::size_t>(o.stage)].peak / *o.max_allocated - 1);
    out.mean += error;
    out.largest = std::max(out.largest, error);
    ++out.count;
  }
  if (out.count > 0) out.mean /= static_cast<double>(out.count);
  return out;
}

double thousandths(double x) {
  return std::round(x * 1000) / 1000;
}

/// Of the offset and the ratio those that bring the peaks nearest: where a log names peaks alone, or figures
/// of another moment than the peak, one of them may explain less than nothing.
Errors fit(Shape& shape, const Samples& samples, std::span<const Observation> observations, Errors best,
           resolve::Calibration& into) {
  const double offset = std::round(median(samples.still).value_or(0));
  const double ratio = thousandths(median(samples.moving).value_or(1));
  if (best.count == 0) {  // nothing to compare with: the offset is all there is
    into.static_bytes = offset;
    return best;
  }
  for (const auto& [bytes, times] :
       {std::pair{offset, 1.0}, std::pair{0.0, ratio}, std::pair{offset, ratio}}) {
    shape.calibration = into;
    shape.calibration.static_bytes = bytes;
    shape.calibration.moving_ratio = times;
    const Errors now = errors(peaks(shape), observations);
    if (now.mean >= best.mean) continue;
    best = now;
    into.static_bytes = bytes;
    into.moving_ratio = times;
  }
  return best;
}

}  // namespace

std::optional<Learned> calibrate(Shape shape, std::span<const Observation> all) {
  shape.calibration = {};
  const Peaks before = peaks(shape);
  std::vector<Observation> observations;
  for (const Observation& o : all) {
    if (is_consistent(o) && o.stage >= 0 && static_cast<std::size_t>(o.stage) < before.stages.size())
      observations.push_back(o);
  }
  Samples samples;
  for (const Observation& o : observations) add(o, before.stages[static_cast<std::size_t>(o.stage)], samples);
  if (samples.still.empty() && samples.moving.empty()) return std::nullopt;

  Learned out;
  resolve::Calibration& c = out.calibration;
  if (const auto share = median(samples.unused)) c.unused_share = thousandths(*share);
  if (const auto bytes = median(samples.outside)) c.outside_bytes = std::round(*bytes);
  const Errors first = errors(before, observations);
  const Errors then = fit(shape, samples, observations, first, c);
  out.peaks = first.count;
  out.error_before = first.mean;
  out.error_after = then.mean;
  if (then.count > 0) c.band_share = thousandths(std::max(then.largest, 0.01));
  return out;
}

std::int32_t stage_of_rank(const Shape& shape, std::int64_t rank) {
  const auto stages = static_cast<std::int64_t>(std::max(shape.parallel.pp, 1.0));
  const auto each = std::max<std::int64_t>(static_cast<std::int64_t>(shape.parallel.gpus) / stages, 1);
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(rank / each, 0, stages - 1));
}

}  // namespace headroom::memory

#include "overheads.hpp"

#include <algorithm>

#include "headroom/memory/parts.hpp"

namespace headroom::memory {
namespace {

constexpr double mebibyte = 1024.0 * 1024.0;

/// Segments that hold no tensor at the peak, as a share of what comes and goes in a step (docs/memory.md).
double unused_share(const Shape& s) {
  return s.calibration.unused_share.value_or(s.expandable_segments ? 0.02 : 0.05);
}

/// CUDA context and kernels of the libraries, a communicator's buffers for each kind of parallelism, those of
/// the all-to-all between experts, and the buffers of a dispatcher that moves tokens itself (docs/memory.md).
double outside_allocator(const Shape& s) {
  if (s.calibration.outside_bytes) return *s.calibration.outside_bytes;
  double groups = 0;
  for (const double size : {s.parallel.tp, s.parallel.pp, s.parallel.cp, s.parallel.dp, s.parallel.ep})
    groups += size > 1 ? 1 : 0;
  const bool experts = s.model.moe && s.parallel.ep > 1;
  const bool flex = s.model.moe && s.kernels.dispatcher == Dispatcher::flex;
  return (2466 + 476 * groups + (experts ? 1520 : 0) + (flex ? 1000 : 0)) * mebibyte;
}

}  // namespace

double used_bytes(const Shape& s, const StageTotal& highest, double busiest_peak) {
  const double needed = std::max(highest.peak(), busiest_peak) + outside_allocator(s);
  const double used = needed + unused_share(s) * highest.step;
  // Before it fails, the allocator gives back what it keeps; with expandable segments that is every page
  // without a tensor (c10/cuda/CUDACachingAllocator.cpp, release_cached_blocks).
  const bool gives_back = s.expandable_segments && needed <= s.capacity;
  return gives_back ? std::min(used, s.capacity) : used;
}

void add_overheads(const Shape& s, Peaks& p, double busiest_peak) {
  if (p.stages.empty()) return;
  const StagePeaks& top = p.stages[p.highest];
  const double moving = top.peak - top.static_bytes;
  p.reserved = top.peak + unused_share(s) * moving;
  const double hot = std::max(0.0, busiest_peak - top.peak);
  p.used = used_bytes(s, {top.static_bytes, moving}, busiest_peak);
  const double half = s.calibration.band_share ? *s.calibration.band_share * top.peak
                                               : 0.01 * top.static_bytes + 0.03 * moving + 32 * mebibyte;
  p.low = std::max(top.peak - half, 0.0);
  p.high = top.peak + half + hot;
}

}  // namespace headroom::memory

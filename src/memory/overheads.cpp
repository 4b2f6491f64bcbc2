#include "overheads.hpp"

#include <algorithm>

namespace headroom::memory {
namespace {

constexpr double mebibyte = 1024.0 * 1024.0;

/// Segments that hold no tensor at the peak, as a share of what comes and goes in a step (docs/memory.md).
double unused_share(const Shape& s) {
  return s.expandable_segments ? 0.02 : 0.08;
}

/// CUDA context, kernels of the libraries, and a communicator's buffers for each kind of parallelism.
double outside_allocator(const Shape& s) {
  double groups = 0;
  for (const double size : {s.parallel.tp, s.parallel.pp, s.parallel.cp, s.parallel.dp, s.parallel.ep})
    groups += size > 1 ? 1 : 0;
  return (900 + 250 * groups) * mebibyte;
}

}  // namespace

void add_overheads(const Shape& s, Peaks& p) {
  if (p.stages.empty()) return;
  const StagePeaks& top = p.stages[p.highest];
  const double moving = top.peak - top.static_bytes;
  p.reserved = top.peak + unused_share(s) * moving;
  p.used = p.reserved + outside_allocator(s);
  p.low = top.peak - 0.01 * top.static_bytes - 0.03 * moving - 32 * mebibyte;
  p.high = top.peak + 0.01 * top.static_bytes + 0.03 * moving + 32 * mebibyte;
}

}  // namespace headroom::memory

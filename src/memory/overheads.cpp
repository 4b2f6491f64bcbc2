#include "overheads.hpp"

#include <algorithm>

#include "headroom/memory/parts.hpp"

namespace headroom::memory {
namespace {

constexpr double mebibyte = 1024.0 * 1024.0;

/// Segments that hold no tensor at the peak, as a share of what comes and goes in a step (docs/memory.md).
double unused_share(const Shape& s) {
  return s.expandable_segments ? 0.02 : 0.05;
}

/// CUDA context and kernels of the libraries, a communicator's buffers for each kind of parallelism, and the
/// buffers of a dispatcher that moves tokens itself.
double outside_allocator(const Shape& s) {
  double groups = 0;
  for (const double size : {s.parallel.tp, s.parallel.pp, s.parallel.cp, s.parallel.dp, s.parallel.ep})
    groups += size > 1 ? 1 : 0;
  const bool flex = s.model.moe && s.kernels.dispatcher == Dispatcher::flex;
  return (1000 + 250 * groups + (flex ? 1000 : 0)) * mebibyte;
}

}  // namespace

double used_bytes(const Shape& s, const StageTotal& highest, double busiest_peak) {
  const double hot = std::max(0.0, busiest_peak - highest.peak());
  return highest.peak() + unused_share(s) * highest.step + hot + outside_allocator(s);
}

void add_overheads(const Shape& s, Peaks& p, double busiest_peak) {
  if (p.stages.empty()) return;
  const StagePeaks& top = p.stages[p.highest];
  const double moving = top.peak - top.static_bytes;
  p.reserved = top.peak + unused_share(s) * moving;
  const double hot = std::max(0.0, busiest_peak - top.peak);
  p.used = used_bytes(s, {top.static_bytes, moving}, busiest_peak);
  p.low = top.peak - 0.01 * top.static_bytes - 0.03 * moving - 32 * mebibyte;
  p.high = top.peak + 0.01 * top.static_bytes + 0.03 * moving + 32 * mebibyte + hot;
}

}  // namespace headroom::memory

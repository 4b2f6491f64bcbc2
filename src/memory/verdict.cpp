#include <cmath>

#include "headroom/memory/ledger.hpp"

namespace headroom::memory {
namespace {

/// Rules compare what they show, tenths of a GiB.
double shown(double bytes) {
  return std::round(bytes / (1024.0 * 1024 * 1024) * 10);
}

}  // namespace

Verdict verdict(const Shape& shape, const Peaks& peaks) {
  if (peaks.capacity <= 0 || peaks.stages.empty()) return Verdict::unknown;
  if (peaks.used <= peaks.capacity)
    return shown(peaks.used_high()) <= shown(peaks.capacity) ? Verdict::fits : Verdict::may_not_fit;
  if (shape.expandable_segments) return Verdict::does_not_fit;
  Shape other = shape;
  other.expandable_segments = true;
  return memory::peaks(other).fits() ? Verdict::fits_with_segments : Verdict::does_not_fit;
}

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::unknown:
      return "unknown";
    case Verdict::fits:
      return "fits";
    case Verdict::may_not_fit:
      return "may not fit";
    case Verdict::fits_with_segments:
      return "fits only with expandable segments";
    case Verdict::does_not_fit:
      return "does not fit";
  }
  return "";
}

}  // namespace headroom::memory

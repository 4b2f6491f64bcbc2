#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "headroom/report/report.hpp"

namespace headroom::report {
namespace {

constexpr double gibibyte = 1024.0 * 1024.0 * 1024.0;

std::string memory_of(const rules::FixMemory& m) {
  const double before = (m.peak - m.delta) / gibibyte, after = m.peak / gibibyte;
  return fmt::format("peak {:.1f} -> {:.1f} GiB{}", before, after, m.fits ? ", fits" : ", does not fit");
}

std::string time_of(const rules::FixTime& t) {
  if (t.measured) return fmt::format("step time x {:.2f}, measured", t.ratio);
  return fmt::format("step time x {:.2f} ({:.2f} to {:.2f}), modelled", t.ratio, t.low, t.high);
}

}  // namespace

std::string effect_of(const rules::Fix& fix) {
  // Differences below what the figures show are none.
  const bool memory = fix.memory && std::abs(fix.memory->delta) > 0.05 * gibibyte;
  const bool time = fix.time && std::abs(fix.time->ratio - 1) > 0.005;
  if (!memory && !time) return {};
  std::string out;
  if (fix.memory) out = memory_of(*fix.memory);
  if (fix.time) out += (out.empty() ? "" : "; ") + time_of(*fix.time);
  return out;
}

}  // namespace headroom::report

// What lies between torch's allocated bytes and the device: allocator, context, communicators; and the band.
#pragma once
#include "headroom/memory/ledger.hpp"

namespace headroom::memory {

/// Fills `reserved`, `used`, `low` and `high` from the highest stage. `busiest_peak`: as for used_bytes.
void add_overheads(const Shape& shape, Peaks& peaks, double busiest_peak);

}  // namespace headroom::memory

// What lies between torch's allocated bytes and the device: allocator, context, communicators; and the band.
#pragma once
#include "headroom/memory/ledger.hpp"

namespace headroom::memory {

/// Bytes that the busiest rank needs beyond the highest peak when routing is not balanced.
[[nodiscard]] double imbalance_bytes(const Shape& shape, const Peaks& balanced);
/// Fills `reserved`, `used`, `low` and `high` from the highest stage.
void add_overheads(const Shape& shape, Peaks& peaks);

}  // namespace headroom::memory

// Segments and blocks at the moment of the dump.
#include <algorithm>
#include <set>

#include "headroom/snapshot/analyse.hpp"

namespace headroom::snapshot {
namespace {

void count_block(Usage& out, const Block& block, bool segment_in_use) {
  ++out.blocks;
  if (block.active()) {
    (block.state == BlockState::allocated ? out.allocated : out.pending_free) += block.bytes;
    // A block that was split off can be smaller than what its first user asked for.
    out.requested += std::min(block.requested, block.bytes);
    return;
  }
  ++out.free_blocks;
  (segment_in_use ? out.inactive_split : out.releasable) += block.bytes;
  out.largest_free = std::max(out.largest_free, block.bytes);
}

PoolUsage& pool_of(Usage& out, const Segment& segment) {
  const auto same = [&](const PoolUsage& pool) {
    return pool.pool == segment.pool && pool.stream == segment.stream;
  };
  const auto found = std::find_if(out.pools.begin(), out.pools.end(), same);
  if (found != out.pools.end()) return *found;
  out.pools.push_back({segment.pool, segment.stream, 0, 0, 0});
  return out.pools.back();
}

}  // namespace

std::vector<std::uint32_t> devices(const Snapshot& snapshot) {
  std::set<std::uint32_t> out;
  for (const Segment& segment : snapshot.segments) out.insert(segment.device);
  for (std::size_t i = 0; i < snapshot.traces.size(); ++i)
    if (snapshot.traces[i].count != 0) out.insert(static_cast<std::uint32_t>(i));
  return {out.begin(), out.end()};
}

Usage usage(const Snapshot& snapshot, std::uint32_t device) {
  Usage out;
  out.device = device;
  for (const Segment& segment : snapshot.segments) {
    if (segment.device != device) continue;
    const auto blocks = snapshot.blocks_of(segment);
    const bool in_use =
        std::any_of(blocks.begin(), blocks.end(), [](const Block& block) { return block.active(); });
    ++out.segments;
    out.reserved += segment.bytes;
    if (segment.expandable) out.expandable += segment.bytes;
    PoolUsage& pool = pool_of(out, segment);
    ++pool.segments;
    pool.reserved += segment.bytes;
    for (const Block& block : blocks) {
      count_block(out, block, in_use);
      if (block.active()) pool.active += block.bytes;
    }
  }
  std::stable_sort(out.pools.begin(), out.pools.end(),
                   [](const PoolUsage& a, const PoolUsage& b) { return a.reserved > b.reserved; });
  return out;
}

}  // namespace headroom::snapshot

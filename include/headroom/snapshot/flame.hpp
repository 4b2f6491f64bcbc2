// Live memory as a tree of calls, outermost first.
#pragma once
#include <string>
#include <vector>

#include "headroom/snapshot/story.hpp"

namespace headroom::snapshot {

struct FlameNode {
  std::string function, file;  ///< path as `Places::short_path` gives it; the root has neither
  std::uint32_t line = 0;
  std::uint64_t bytes = 0;
  std::size_t count = 0;                ///< allocations
  MemoryUse use = MemoryUse::unknown;   ///< of most of its bytes
  std::vector<std::uint32_t> children;  ///< in the flame's nodes, the largest first
};

/// Node 0 is the root. Frames that only pass calls on are left out, and so are nodes below `least` bytes:
/// what is missing in the children of a node is allocated in itself or too small.
struct Flame {
  std::vector<FlameNode> nodes;
};
[[nodiscard]] Flame flame(const Snapshot& snapshot, const schema::LogTable& frames,
                          const schema::OwnerTable& owners, const DeviceStory& story, std::uint64_t least);

}  // namespace headroom::snapshot

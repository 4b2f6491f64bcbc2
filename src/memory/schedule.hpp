// Which micro-batches a pipeline stage holds at once.
#pragma once
#include <cstdint>
#include <vector>

#include "headroom/memory/shape.hpp"

namespace headroom::memory {

/// Bytes of one pass of one model chunk, relative to what is allocated when the pass begins. `backward`
/// counts from the memory before the chunk's forward.
struct ChunkCost {
  double kept = 0, forward = 0, backward = 0;
};

struct Occupancy {
  double bytes = 0;  ///< highest sum over the schedule
  bool in_backward = false;
  std::size_t chunk = 0;  ///< whose pass it is, index into the stage's chunks
  std::vector<std::int32_t>
      in_flight;  ///< micro-batches held of each chunk at that moment, this one included
};

/// Walks 1F1B or the interleaved schedule of a stage (megatron/core/pipeline_parallel/schedules.py).
[[nodiscard]] Occupancy walk_schedule(const Shape& s, std::int32_t stage,
                                      const std::vector<ChunkCost>& chunks);

}  // namespace headroom::memory

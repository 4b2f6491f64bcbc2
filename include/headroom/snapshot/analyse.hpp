// What a snapshot says about the memory of one device: where it is, how it is cut up, what was alive when.
#pragma once
#include <optional>
#include <vector>

#include "headroom/snapshot/snapshot.hpp"

namespace headroom::snapshot {

/// Devices with segments or history, rising.
[[nodiscard]] std::vector<std::uint32_t> devices(const Snapshot& snapshot);

/// Segments of one private pool, or of one side stream of the common pool: their free blocks serve nobody
/// else.
struct PoolUsage {
  PoolId pool;
  std::uint64_t stream = 0;
  std::size_t segments = 0;
  std::uint64_t reserved = 0, active = 0;  ///< bytes
  [[nodiscard]] std::uint64_t free() const { return reserved - active; }
};

/// Segments and blocks at the moment of the dump. Bytes.
struct Usage {
  std::uint32_t device = 0;
  std::size_t segments = 0, blocks = 0;
  std::uint64_t reserved = 0;      ///< all segments: torch's reserved
  std::uint64_t allocated = 0;     ///< blocks of tensors: torch's allocated
  std::uint64_t pending_free = 0;  ///< freed, another stream still uses them
  std::uint64_t requested = 0;     ///< of allocated and pending blocks, before rounding
  std::uint64_t inactive_split =
      0;                           ///< free, but in segments that are partly in use: cudaFree can't have them
  std::uint64_t releasable = 0;    ///< free in whole segments
  std::uint64_t largest_free = 0;  ///< the largest free block
  std::size_t free_blocks = 0;
  std::uint64_t expandable = 0;  ///< reserved in expandable segments
  std::vector<PoolUsage> pools;  ///< by pool and stream, the largest first
  [[nodiscard]] std::uint64_t active() const { return allocated + pending_free; }
  [[nodiscard]] std::uint64_t free() const { return inactive_split + releasable; }
  [[nodiscard]] std::uint64_t rounding() const { return active() - requested; }
};
[[nodiscard]] Usage usage(const Snapshot& snapshot, std::uint32_t device);

/// A failed allocation in the history.
struct Failure {
  std::size_t event = 0;  ///< in the device's trace
  std::uint64_t tried = 0, device_free = 0, time_us = 0;
  StackId stack = no_stack;
};

/// Memory over time: the highest live and reserved bytes of one of at most 400 equal parts of the history.
struct Level {
  std::size_t event = 0;  ///< of the highest live bytes
  std::uint64_t time_us = 0, live = 0, reserved = 0;
};

/// The history of a device. Sizes are as requested, since that is what events carry.
struct History {
  std::size_t events = 0, allocations = 0, frees = 0;
  std::uint64_t first_us = 0, last_us = 0;
  std::vector<Failure> failures;  ///< oldest first, at most 1000
  std::size_t failure_count = 0;
  /// The most that was alive of what the history itself allocated.
  std::uint64_t peak_from_zero = 0;
  /// The most that was alive, with what was allocated before the history began (found by counting back from
  /// the blocks at its end).
  std::uint64_t peak = 0;
  std::size_t peak_event = before_first;
  std::uint64_t peak_reserved = 0;  ///< the same for segments
  std::uint64_t before = 0;         ///< alive when the history begins
  std::size_t before_count = 0;     ///< allocations of which it knows the end, or that still live
  /// Bytes of those that were freed later: nothing says who allocated them.
  std::uint64_t before_unknown = 0;
  std::vector<Level> levels;
};
[[nodiscard]] History history(const Snapshot& snapshot, std::uint32_t device);

/// What is alive at a moment, by stack.
struct Live {
  StackId stack = no_stack;
  std::uint64_t bytes = 0;  ///< as requested
  std::size_t count = 0;
  std::uint64_t largest = 0;
  /// In the pool of a captured graph; in one with a handle (PoolId).
  bool graph_pool = false, shared_pool = false;
  bool before_history = false;  ///< freed later, allocated before the history: the stack is unknown
};

/// After an event of the device's trace, `before_first` or `at_dump`. Sorted by bytes, the largest first.
[[nodiscard]] std::vector<Live> live(const Snapshot& snapshot, std::uint32_t device, std::size_t event);

}  // namespace headroom::snapshot

// A memory snapshot of torch's caching allocator, as plain tables.
//
// The shapes are those of torch.cuda.memory._snapshot(): segments (memory from cudaMalloc) hold blocks, and a
// history holds what the allocator did. Texts, frames and stacks are kept once, however often they occur.
#pragma once
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headroom::snapshot {

using TextId = std::uint32_t;
using StackId = std::uint32_t;

/// The empty stack: nothing was recorded.
inline constexpr StackId no_stack = 0;
/// Moments that are no event of a trace.
inline constexpr std::size_t at_dump = std::numeric_limits<std::size_t>::max();
inline constexpr std::size_t before_first = at_dump - 1;

struct Frame {
  TextId file = 0, function = 0;
  std::uint32_t line = 0;
  friend bool operator==(const Frame&, const Frame&) = default;
};

/// Who owns a pool of segments: {0, 0} is the common pool, {n, 0} that of a captured CUDA graph, {0, n} one
/// with a handle: torch.cuda.graph_pool_handle() for graphs that share it, or a torch.cuda.MemPool of the
/// program (at::cuda::MemPool numbers both alike).
struct PoolId {
  std::uint64_t first = 0, second = 0;
  friend bool operator==(const PoolId&, const PoolId&) = default;
  [[nodiscard]] bool common() const { return first == 0 && second == 0; }
};

enum class BlockState : std::uint8_t {
  allocated,     ///< a tensor's
  pending_free,  ///< freed, but another stream still uses it
  inactive       ///< free for reuse
};

struct Block {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;      ///< as rounded by the allocator
  std::uint64_t requested = 0;  ///< as asked for
  StackId stack = no_stack;     ///< of the allocation, innermost frame first
  BlockState state = BlockState::inactive;
  [[nodiscard]] bool active() const { return state != BlockState::inactive; }
};

struct Segment {
  std::uint64_t address = 0, bytes = 0;
  std::uint64_t allocated = 0, active = 0;  ///< sums over its blocks, as torch wrote them
  std::uint64_t stream = 0;
  PoolId pool;
  std::uint32_t first_block = 0, block_count = 0;  ///< in Snapshot::blocks
  std::uint32_t device = 0;
  bool large = false;       ///< of the pool for requests above 1 MiB
  bool expandable = false;  ///< grown by mapping pages (expandable_segments)
};

enum class Action : std::uint8_t {
  alloc,
  free_requested,
  free_completed,
  segment_alloc,
  segment_free,
  segment_map,
  segment_unmap,
  snapshot,
  oom,
  other  ///< an action that no release known here writes
};

struct Event {
  std::uint64_t address = 0;  ///< for Action::oom the bytes that the device still had free
  std::uint64_t bytes = 0;
  std::uint64_t time_us = 0;  ///< since 1970; 0 where the release did not record it
  std::uint32_t stream = 0;   ///< in Snapshot::streams
  StackId stack = no_stack;
  Action action = Action::other;
};

/// A range of Snapshot::events: what happened on one device, oldest first.
struct Trace {
  std::size_t first = 0, count = 0;
};

/// The allocator's settings as far as they are in the file.
struct Settings {
  bool known = false;
  std::string text;  ///< PYTORCH_CUDA_ALLOC_CONF or PYTORCH_ALLOC_CONF
  bool expandable_segments = false;
  std::int64_t max_split_size = -1;  ///< bytes; -1: no limit
  double garbage_collection_threshold = 0;
};

class Snapshot {
 public:
  std::vector<Segment> segments;
  std::vector<Block> blocks;
  std::vector<Event> events;
  std::vector<Trace> traces;  ///< by device
  std::vector<std::uint64_t> streams;
  std::vector<Frame> frames;
  Settings settings;
  std::uint64_t file_bytes = 0;

  [[nodiscard]] std::string_view text(TextId id) const {
    return std::string_view(characters).substr(text_ends[id], text_ends[id + 1] - text_ends[id]);
  }
  /// Frame numbers of a stack, innermost first.
  [[nodiscard]] std::span<const std::uint32_t> stack(StackId id) const {
    return std::span(stack_frames).subspan(stack_ends[id], stack_ends[id + 1] - stack_ends[id]);
  }
  [[nodiscard]] std::size_t stack_count() const { return stack_ends.size() - 1; }
  [[nodiscard]] std::span<const Event> trace(std::size_t device) const {
    if (device >= traces.size()) return {};
    return std::span(events).subspan(traces[device].first, traces[device].count);
  }
  [[nodiscard]] std::span<const Block> blocks_of(const Segment& segment) const {
    return std::span(blocks).subspan(segment.first_block, segment.block_count);
  }

  std::string characters;                       ///< all texts, one behind the other
  std::vector<std::uint64_t> text_ends{0};      ///< text i is [text_ends[i], text_ends[i + 1])
  std::vector<std::uint32_t> stack_frames;      ///< all stacks, one behind the other
  std::vector<std::uint64_t> stack_ends{0, 0};  ///< stack 0 is the empty one
};

}  // namespace headroom::snapshot

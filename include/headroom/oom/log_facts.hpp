// What a log says, as plain values. Bytes everywhere; lines count from 1.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "headroom/schema/log_table.hpp"

namespace headroom::oom {

using schema::LineKind;
using schema::LogPhase;

/// The figures of an allocator message. What a wording does not name is absent. Messages round to two
/// decimals, so that a GiB figure is exact to 5 MiB.
struct AllocatorFigures {
  std::optional<double> tried, capacity, free, allowed, allocated, private_pools, reserved_unallocated;
  std::optional<double> in_use;  ///< by this process, CUDA context and libraries included
  double others = 0;             ///< by other processes that the message lists
  std::int32_t other_count = 0;
  std::int32_t gpu = -1;
  bool hip = false;
  [[nodiscard]] std::optional<double> reserved() const {
    if (!allocated || !reserved_unallocated) return std::nullopt;
    return *allocated + *reserved_unallocated;
  }
};

struct LogLine {
  std::uint64_t line = 0;
  std::string text;  ///< without control characters; cut at 2000 bytes
};

/// One traceback, reduced to what its frames say.
struct Trace {
  LogPhase phase = LogPhase::unknown;
  std::string module;           ///< innermost that the frame table knows
  std::vector<LogLine> frames;  ///< the innermost frames that told something, outermost first; at most 4
  std::uint32_t depth = 0;      ///< number of frames
  std::uint32_t nested_backward = 0;  ///< how often a recomputed part called for another backward pass
  bool cut = false;                   ///< frames without the line that begins a traceback
};

/// A line that says what went wrong, with the traceback before it.
struct Failure {
  LineKind kind = LineKind::allocator;
  LogLine where;
  std::optional<std::int64_t> rank, local_rank;
  std::string_view says;  ///< of the table that matched
  AllocatorFigures figures;
  std::optional<double> tried;  ///< bytes asked for outside of the allocator
  Trace trace;
};

/// An exception line that the table has no entry for.
struct Exception {
  LogLine where;
  std::optional<std::int64_t> rank;
  std::string type, message;
  Trace trace;
};

/// A memory report of Megatron-LM (MiB under the name MB) or Bridge (decimal GB), in bytes.
struct MemoryReport {
  std::uint64_t line = 0;
  std::optional<std::int64_t> rank;
  std::optional<std::int64_t> iteration;
  std::optional<double> allocated, max_allocated, reserved, max_reserved, device_used;
  std::optional<std::int64_t> retries;  ///< mem-alloc-retires: failed cudaMalloc calls that emptied the cache
};

struct Iteration {
  std::uint64_t line = 0;
  std::int64_t number = 0, of = 0;
  std::optional<double> load_balancing_loss;
  std::int64_t nan = 0, skipped = 0;
};

/// Sizes that a run prints at its start.
struct Layout {
  std::optional<std::int64_t> world, data, context, tensor, pipeline, expert;
  std::map<std::int64_t, double> parameters;  ///< by pipeline rank, of the highest tensor rank seen
  std::optional<double> footprint_states, footprint_activations;
  std::map<std::string, std::string>
      arguments;  ///< the argument list of Megatron-LM: `hidden_size` -> `4096`
};

/// What one rank said, for the comparison over ranks.
struct RankFigures {
  std::optional<double> allocated, max_allocated, in_use, capacity;
  bool failed = false;
};

/// What a memory snapshot adds to the message of its failure: how free memory is cut up, and what the rest is
/// for. Bytes, of the device that failed (or is fullest).
struct SnapshotFigures {
  double inactive_split = 0, releasable = 0, largest_free = 0, reserved = 0;
  double live = 0, weights = 0, gradients = 0, optimizer = 0, activations = 0, logits = 0, graphs = 0;
  std::int32_t device = 0;
  bool later = false;  ///< taken after the failure was caught: the allocator has moved on
};

struct LogFacts {
  std::uint64_t bytes = 0, lines = 0;
  std::vector<Failure>
      failures;  ///< in the order of the log, at most 64: those of a kind and phase once a rank
  std::vector<Exception> exceptions;          ///< at most 32
  std::map<LineKind, std::uint64_t> counts;   ///< all failures by kind, beyond those kept
  std::uint64_t failed_ranks = 0;             ///< ranks with a memory failure, as far as they are told apart
  std::map<std::int64_t, RankFigures> ranks;  ///< at most 4096
  std::vector<MemoryReport> reports;          ///< the last one of each rank, at most 256
  std::optional<Iteration> first_iteration, last_iteration;
  Layout layout;
  std::optional<LogLine> allocator_warning;  ///< "expandable_segments not supported on this platform"
  std::optional<std::int64_t> root_rank;     ///< torchrun's "first observed failure"
  std::optional<std::int64_t> root_exit;     ///< its exit status, negative: a signal
  std::uint64_t root_line = 0;
  std::optional<SnapshotFigures> snapshot;  ///< where no log but a memory snapshot was read
};

}  // namespace headroom::oom

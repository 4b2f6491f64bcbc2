#include "headroom/oom/snapshot.hpp"

#include <fmt/format.h>

#include <charconv>

#include "judge.hpp"

namespace headroom::oom {
namespace {

using snapshot::DeviceStory;
using snapshot::MemoryUse;

constexpr double gib = 1024.0 * 1024 * 1024;
constexpr double mib = 1024.0 * 1024;
constexpr std::size_t most_frames = 4;

std::string size(double bytes) {
  return bytes < gib ? fmt::format("{:.1f} MiB", bytes / mib) : fmt::format("{:.2f} GiB", bytes / gib);
}

SnapshotFigures figures_of(const DeviceStory& story) {
  SnapshotFigures out;
  const auto use = [&](MemoryUse what) {
    return static_cast<double>(story.uses[static_cast<std::size_t>(what)]);
  };
  out.inactive_split = static_cast<double>(story.usage.inactive_split);
  out.releasable = static_cast<double>(story.usage.releasable);
  out.largest_free = static_cast<double>(story.usage.largest_free);
  out.reserved = static_cast<double>(story.usage.reserved);
  out.live = static_cast<double>(story.live);
  out.weights = use(MemoryUse::weights);
  out.gradients = use(MemoryUse::gradients);
  out.optimizer = use(MemoryUse::optimizer);
  out.activations = use(MemoryUse::activations);
  out.logits = use(MemoryUse::logits);
  out.graphs = use(MemoryUse::graphs);
  out.device = static_cast<std::int32_t>(story.usage.device);
  out.later = story.events_after_failure > 0;
  return out;
}

Trace trace_of(const snapshot::Snapshot& snapshot, const DeviceStory& story) {
  Trace out;
  out.phase = story.failed_at.phase;
  out.module = story.failed_at.module;
  const auto stack = snapshot.stack(story.failure->stack);
  out.depth = static_cast<std::uint32_t>(stack.size());
  for (const std::uint32_t number : stack.first(std::min(stack.size(), most_frames))) {
    const snapshot::Frame& frame = snapshot.frames[number];
    const std::string text =
        fmt::format("{}:{} {}", snapshot.text(frame.file), frame.line, snapshot.text(frame.function));
    out.frames.insert(out.frames.begin(), {0, text.substr(0, 2000)});
  }
  return out;
}

Failure failure_of(const snapshot::Snapshot& snapshot, const DeviceStory& story) {
  Failure out;
  const auto& failed = *story.failure;
  const auto& usage = story.usage;
  out.kind = LineKind::allocator;
  out.says = "the allocator of torch found no room";
  out.where.text =
      fmt::format("device {}: {} asked for, {} free on the device, {} allocated of {} reserved", usage.device,
                  size(static_cast<double>(failed.tried)), size(static_cast<double>(failed.device_free)),
                  size(static_cast<double>(usage.allocated)), size(static_cast<double>(usage.reserved)));
  out.figures.tried = static_cast<double>(failed.tried);
  out.figures.free = static_cast<double>(failed.device_free);
  out.figures.allocated = static_cast<double>(usage.allocated);
  out.figures.reserved_unallocated = static_cast<double>(usage.reserved - usage.allocated);
  out.figures.gpu = static_cast<std::int32_t>(usage.device);
  // Not every private pool is one of graphs; those that hold parameters are NCCL's.
  const auto graphs = story.uses[static_cast<std::size_t>(MemoryUse::graphs)];
  if (graphs > 0) out.figures.private_pools = static_cast<double>(graphs);
  out.trace = trace_of(snapshot, story);
  return out;
}

/// What the pieces and the uses of a snapshot say, on top of what its failure says.
class Judge {
 public:
  explicit Judge(const Case& c)
      : s_(*c.log.snapshot),
        tried_(c.failure.figures.tried.value_or(0)),
        free_(c.failure.figures.free.value_or(0)),
        phase_(c.failure.trace.phase),
        module_(c.failure.trace.module) {}

  void add_to(std::vector<Candidate>& out) {
    cap(out);
    if (!s_.later) fragmentation(out);
    graphs(out);
    states(out);
    loss(out);
  }

 private:
  /// Torch asks the device before it fails: with room there, a cap on the process said no.
  void cap(std::vector<Candidate>& out) const {
    if (free_ < tried_ + 64 * mib) return;
    out.push_back({Cause::memory_cap, 0.9,
                   fmt::format("the device had {} free for a request of {}: a cap set on the process "
                               "(set_per_process_memory_fraction) ended it",
                               size(free_), size(tried_))});
  }

  void fragmentation(std::vector<Candidate>& out) const {
    const double gaps = s_.inactive_split + s_.releasable;
    if (tried_ <= 0 || s_.largest_free >= tried_ || gaps + free_ < tried_ || free_ >= tried_) return;
    // Pieces of which the request would need nearly all are the rounding of any run.
    const double room = gaps / tried_;
    const double part = s_.reserved > 0 ? gaps / s_.reserved : 0;
    const double confidence = part >= 0.1 ? 0.95 : part >= 0.05 ? 0.9 : room >= 1 ? 0.5 : 0.3;
    out.push_back(
        {Cause::fragmentation, confidence,
         fmt::format("{} are free inside the allocator, but the largest piece is {} and the request {}",
                     size(gaps), size(s_.largest_free), size(tried_))});
  }

  void graphs(std::vector<Candidate>& out) const {
    if (s_.live <= 0 || s_.graphs < 0.12 * s_.live) return;
    out.push_back({Cause::cuda_graph_pool, 0.94,
                   fmt::format("{} of {} alive lie in pools of CUDA graphs, which keep them for good",
                               size(s_.graphs), size(s_.live))});
  }

  void states(std::vector<Candidate>& out) const {
    const double states = s_.weights + s_.gradients + s_.optimizer;
    if (s_.live <= 0 || phase_ > LogPhase::gradient_sync) return;
    const double part = states / s_.live;
    if (part < 0.7) return;
    out.push_back({Cause::capacity_states, part >= 0.85 ? 0.88 : 0.6,
                   fmt::format("{} of {} alive are weights, gradients and optimizer state", size(states),
                               size(s_.live))});
  }

  /// A request of the loss that comes last need not be what filled the memory.
  void loss(std::vector<Candidate>& out) const {
    if (module_ != "logits" || s_.activations < 1.5 * (s_.logits + tried_)) return;
    out.push_back({Cause::capacity_activation, 0.87,
                   fmt::format("it failed in the loss, on top of {} of activations", size(s_.activations))});
  }

  const SnapshotFigures& s_;
  double tried_, free_;
  LogPhase phase_;
  std::string_view module_;
};

}  // namespace

std::vector<Candidate> judge_snapshot(const Case& c) {
  std::vector<Candidate> out = judge_allocator(c);
  Judge(c).add_to(out);
  return out;
}

std::optional<std::int64_t> rank_of_file(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  std::size_t at = name.rfind("rank");
  if (at != std::string_view::npos) {
    at += 4;
    if (at < name.size() && (name[at] == '-' || name[at] == '_')) ++at;
  } else if (name.starts_with("snapshot_")) {
    at = 9;
  } else {
    return std::nullopt;
  }
  std::int64_t rank = 0;
  const char* const end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + at, end, rank);
  const bool whole = stop == end || *stop == '.' || *stop == '_' || *stop == '-';
  if (error != std::errc() || rank < 0 || !whole) return std::nullopt;
  return rank;
}

LogFacts facts_of(const snapshot::Snapshot& snapshot, const snapshot::Story& story) {
  LogFacts out;
  out.bytes = snapshot.file_bytes;
  out.snapshot.emplace();
  const DeviceStory* const main = story.main();
  if (main == nullptr) return out;
  out.snapshot = figures_of(*main);
  if (!main->failure) return out;
  out.failures.push_back(failure_of(snapshot, *main));
  out.counts[LineKind::allocator] = main->history.failure_count;
  return out;
}

}  // namespace headroom::oom

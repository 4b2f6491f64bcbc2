// The history of a device, played again: what was alive at each event.
#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "headroom/snapshot/analyse.hpp"

namespace headroom::snapshot {
namespace {

constexpr std::size_t max_failures = 1000;
constexpr std::size_t level_parts = 400;

/// Allocations of the history that live, by address: the event that made them.
using Alive = std::unordered_map<std::uint64_t, std::size_t>;

/// The active blocks of a device by address. Those that the history did not allocate were there before it.
template <class Visit>
void each_active_block(const Snapshot& snapshot, std::uint32_t device, const Visit& visit) {
  for (const Segment& segment : snapshot.segments) {
    if (segment.device != device) continue;
    for (const Block& block : snapshot.blocks_of(segment))
      if (block.active()) visit(segment, block);
  }
}

/// The event that ends an allocation; a history that was told to skip it has the request to free at least.
Action free_action(std::span<const Event> trace) {
  const auto completes = [](const Event& event) { return event.action == Action::free_completed; };
  return std::any_of(trace.begin(), trace.end(), completes) ? Action::free_completed : Action::free_requested;
}

/// Counts signed, since a history may begin anywhere.
struct Level {
  std::int64_t now = 0, highest = 0;
  std::size_t at = before_first;
  void move(std::int64_t by, std::size_t event) {
    // Wraps where a file made to overflow wants it: its figures are its own.
    now = static_cast<std::int64_t>(static_cast<std::uint64_t>(now) + static_cast<std::uint64_t>(by));
    if (now > highest) {
      highest = now;
      at = event;
    }
  }
};

class Replay {
 public:
  Replay(const Snapshot& snapshot, std::uint32_t device)
      : snapshot_(snapshot), device_(device), trace_(snapshot.trace(device)), freed_(free_action(trace_)) {}

  History run() {
    out_.events = trace_.size();
    if (!trace_.empty()) {
      out_.first_us = trace_.front().time_us;
      out_.last_us = trace_.back().time_us;
    }
    const std::size_t part = std::max<std::size_t>(1, (trace_.size() + level_parts - 1) / level_parts);
    for (std::size_t i = 0; i < trace_.size(); ++i) {
      step(i);
      note_level(i, i % part == 0);
    }
    out_.peak_from_zero = static_cast<std::uint64_t>(from_zero_.highest);
    count_back();
    return std::move(out_);
  }

 private:
  void step(std::size_t i) {
    const Event& event = trace_[i];
    const auto bytes = static_cast<std::int64_t>(event.bytes);
    if (event.action == freed_) return free(event, i);
    switch (event.action) {
      case Action::alloc:
        ++out_.allocations;
        alive_[event.address] = i;
        from_zero_.move(bytes, i);
        all_.move(bytes, i);
        break;
      case Action::segment_alloc:
      case Action::segment_map:
        reserved_.move(bytes, i);
        break;
      case Action::segment_free:
      case Action::segment_unmap:
        reserved_.move(-bytes, i);
        break;
      case Action::oom:
        ++out_.failure_count;
        if (out_.failures.size() < max_failures)
          out_.failures.push_back({i, event.bytes, event.address, event.time_us, event.stack});
        break;
      default:
        break;
    }
  }

  void free(const Event& event, std::size_t i) {
    ++out_.frees;
    const auto found = alive_.find(event.address);
    if (found == alive_.end()) {
      out_.before_unknown += event.bytes;
      ++out_.before_count;
      all_.move(-static_cast<std::int64_t>(event.bytes), i);
      return;
    }
    // Some releases write the rounded size here: the size of the allocation counts.
    const auto bytes = static_cast<std::int64_t>(trace_[found->second].bytes);
    from_zero_.move(-bytes, i);
    all_.move(-bytes, i);
    alive_.erase(found);
  }

  /// Levels are changes until the bottom is known.
  void note_level(std::size_t i, bool first) {
    if (first) changes_.push_back({i, all_.now, reserved_.now});
    Change& part = changes_.back();
    if (all_.now > part.live) {
      part.event = i;
      part.live = all_.now;
    }
    part.reserved = std::max(part.reserved, reserved_.now);
  }

  void finish_levels(std::uint64_t reserved_at_end) {
    const std::uint64_t bottom = reserved_at_end - static_cast<std::uint64_t>(reserved_.now);
    for (const Change& part : changes_)
      out_.levels.push_back({part.event, trace_[part.event].time_us,
                             out_.before + static_cast<std::uint64_t>(part.live),
                             bottom + static_cast<std::uint64_t>(part.reserved)});
  }

  /// What was alive before the history: blocks at its end that it did not allocate, and what it only freed.
  void count_back() {
    std::uint64_t kept = 0, reserved = 0;
    each_active_block(snapshot_, device_, [&](const Segment&, const Block& block) {
      if (alive_.count(block.address) != 0) return;
      kept += std::min(block.requested, block.bytes);
      ++out_.before_count;
    });
    for (const Segment& segment : snapshot_.segments)
      if (segment.device == device_) reserved += segment.bytes;
    out_.before = kept + out_.before_unknown;
    out_.peak = out_.before + static_cast<std::uint64_t>(all_.highest);
    out_.peak_event = all_.at;
    // The level at the end is known, the history says how far below the highest it is.
    out_.peak_reserved =
        reserved + static_cast<std::uint64_t>(reserved_.highest) - static_cast<std::uint64_t>(reserved_.now);
    finish_levels(reserved);
  }

  struct Change {
    std::size_t event = 0;
    std::int64_t live = 0, reserved = 0;
  };

  const Snapshot& snapshot_;
  std::uint32_t device_;
  std::span<const Event> trace_;
  Action freed_;
  std::vector<Change> changes_;
  History out_;
  Alive alive_;
  Level from_zero_, all_, reserved_;
};

class LiveAt {
 public:
  LiveAt(const Snapshot& snapshot, std::uint32_t device) : snapshot_(snapshot), device_(device) {}

  std::vector<Live> run(std::size_t event) {
    if (event == at_dump) {
      each_active_block(snapshot_, device_, [&](const Segment& segment, const Block& block) {
        add(block.stack, std::min(block.requested, block.bytes), &segment);
      });
    } else {
      at(event);
    }
    std::vector<Live> out;
    out.reserve(groups_.size());
    for (const auto& [key, group] : groups_) out.push_back(group);
    std::stable_sort(out.begin(), out.end(), [](const Live& a, const Live& b) { return a.bytes > b.bytes; });
    return out;
  }

 private:
  void at(std::size_t last) {
    const auto trace = snapshot_.trace(device_);
    const Action freed = free_action(trace);
    Alive alive;
    for (std::size_t i = 0; i < trace.size(); ++i) {
      if (trace[i].action == Action::alloc) alive[trace[i].address] = i;
      if (trace[i].action == freed) free(trace[i], last == before_first || i > last, alive);
      if (i == last) {
        for (const auto& [address, event] : alive)
          add(trace[event].stack, trace[event].bytes, segment_at(address));
      }
    }
    each_active_block(snapshot_, device_, [&](const Segment& segment, const Block& block) {
      if (alive.count(block.address) == 0) add(block.stack, std::min(block.requested, block.bytes), &segment);
    });
  }

  /// A freed allocation that the history does not know lived until here.
  void free(const Event& event, bool later, Alive& alive) {
    if (alive.erase(event.address) != 0 || !later) return;
    add(no_stack, event.bytes, segment_at(event.address), true);
  }

  const Segment* segment_at(std::uint64_t address) {
    if (by_address_.empty())
      for (const Segment& segment : snapshot_.segments)
        if (segment.device == device_) by_address_.emplace(segment.address, &segment);
    auto after = by_address_.upper_bound(address);
    if (after == by_address_.begin()) return nullptr;
    const Segment* const segment = std::prev(after)->second;
    return address - segment->address < segment->bytes ? segment : nullptr;
  }

  void add(StackId stack, std::uint64_t bytes, const Segment* segment, bool before = false) {
    const bool graph = segment != nullptr && segment->pool.first != 0;
    const bool own = segment != nullptr && segment->pool.first == 0 && segment->pool.second != 0;
    Live& live = groups_[{stack, graph, own, before}];
    live.stack = stack;
    live.graph_pool = graph;
    live.shared_pool = own;
    live.before_history = before;
    live.bytes += bytes;
    live.largest = std::max(live.largest, bytes);
    ++live.count;
  }

  const Snapshot& snapshot_;
  std::uint32_t device_;
  std::map<std::tuple<StackId, bool, bool, bool>, Live> groups_;
  std::map<std::uint64_t, const Segment*> by_address_;
};

}  // namespace

History history(const Snapshot& snapshot, std::uint32_t device) {
  return Replay(snapshot, device).run();
}

std::vector<Live> live(const Snapshot& snapshot, std::uint32_t device, std::size_t event) {
  return LiveAt(snapshot, device).run(event);
}

}  // namespace headroom::snapshot

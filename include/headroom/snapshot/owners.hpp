// Whose the memory is: stacks mapped to modules and phases of a training run.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "headroom/schema/owner_table.hpp"
#include "headroom/snapshot/analyse.hpp"

namespace headroom::snapshot {

using schema::LogPhase;
using schema::MemoryUse;

/// What a stack says.
struct Place {
  MemoryUse use = MemoryUse::unknown;
  LogPhase phase = LogPhase::unknown;
  std::string_view module;             ///< of rules/oom/frames.yaml; empty: none known
  std::optional<std::uint32_t> frame;  ///< the owner: the innermost frame that does more than pass calls on
};

/// Live memory with the same owner, use and phase.
struct Owner {
  Place place;
  std::uint64_t bytes = 0;
  std::size_t count = 0;
  std::uint64_t largest = 0;  ///< allocation
  StackId stack = no_stack;   ///< of the largest group
  bool before_history = false;
};

/// Looks stacks up. Frames are judged once each.
class Places {
 public:
  /// `groups`: the live memory by whose sizes lines of one function are told apart.
  Places(const Snapshot& snapshot, const schema::LogTable& frames, const schema::OwnerTable& owners,
         const std::vector<Live>& groups);

  [[nodiscard]] Place at(StackId stack) const;
  /// "megatron/core/optimizer/optimizer.py": without what differs between machines.
  [[nodiscard]] std::string_view short_path(std::uint32_t frame) const;
  /// Whether a frame only passes calls on.
  [[nodiscard]] bool plumbing(std::uint32_t frame) const { return judged_[frame].plumbing; }

 private:
  struct Judged {
    LogPhase phase = LogPhase::unknown;
    std::string_view module;
    bool plumbing = false, native = false;
    std::vector<std::uint16_t> uses;  ///< entries of the table whose file and function fit
    const schema::NativeMark* mark = nullptr;
  };
  /// Lines of a function that makes several tensors: those that hold most, in order.
  struct Lines {
    std::uint16_t rule = 0;
    TextId file = 0;
    std::vector<std::uint32_t> lines;
  };
  [[nodiscard]] Judged judge(const Frame& frame) const;
  void learn_lines(const std::vector<Live>& groups);
  [[nodiscard]] bool fits(const schema::UseRule& rule, std::uint16_t number, const Place& place,
                          const std::vector<std::uint32_t>& frames) const;
  [[nodiscard]] MemoryUse use_of(std::uint16_t number, const Place& place) const;
  [[nodiscard]] std::string_view file(std::uint32_t frame) const {
    return snapshot_.text(snapshot_.frames[frame].file);
  }

  const Snapshot& snapshot_;
  const schema::LogTable& frames_;
  const schema::OwnerTable& owners_;
  std::vector<Judged> judged_;
  std::vector<Lines> lines_;
};

/// What a group is for: memory of a graph's pool is the graph's, whatever was captured. A pool with a handle
/// may be the program's own, as NCCL's for parameters and gradients: those keep what they are for.
[[nodiscard]] MemoryUse use_of(const Place& place, const Live& group);

/// Groups of live memory by owner, the largest first.
[[nodiscard]] std::vector<Owner> owners(const Places& places, const Snapshot& snapshot,
                                        const std::vector<Live>& groups);
/// Bytes by use.
using ByUse = std::array<std::uint64_t, schema::memory_uses>;
[[nodiscard]] ByUse by_use(const std::vector<Owner>& owners);

}  // namespace headroom::snapshot

// Texts, frames and stacks kept once. Hash tables with linear probing over ids: four bytes an entry.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "headroom/snapshot/snapshot.hpp"

namespace headroom::snapshot {

/// Slots of ids; who owns the entries decides what is equal.
class IdTable {
 public:
  /// The id of the entry that `equal(id)` finds, or `next` where there is none, which is then remembered.
  /// `hash_of(id)` is asked when the table grows.
  template <class Equal, class HashOf>
  std::uint32_t find_or_add(std::uint64_t hash, std::uint32_t next, const Equal& equal,
                            const HashOf& hash_of) {
    if ((count_ + 1) * 2 > slots_.size()) grow(hash_of);
    for (std::size_t at = hash & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at] == 0) {
        slots_[at] = next + 1;
        ++count_;
        return next;
      }
      if (equal(slots_[at] - 1)) return slots_[at] - 1;
    }
  }

 private:
  template <class HashOf>
  void grow(const HashOf& hash_of) {
    std::vector<std::uint32_t> old(slots_.empty() ? 1024 : slots_.size() * 2);
    old.swap(slots_);
    for (const std::uint32_t slot : old) {
      if (slot == 0) continue;
      std::size_t at = hash_of(slot - 1) & (slots_.size() - 1);
      while (slots_[at] != 0) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = slot;
    }
  }

  std::vector<std::uint32_t> slots_;
  std::size_t count_ = 0;
};

/// Adds to the tables of a snapshot.
class Tables {
 public:
  explicit Tables(Snapshot& out);

  TextId text(std::string_view characters);
  std::uint32_t frame(const Frame& frame);
  StackId stack(std::span<const std::uint32_t> frames);
  std::uint32_t stream(std::uint64_t stream);

 private:
  Snapshot& out_;
  IdTable texts_, frames_, stacks_;
  std::unordered_map<std::uint64_t, std::uint32_t> streams_;
};

}  // namespace headroom::snapshot

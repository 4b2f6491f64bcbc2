// A snapshot read to the end: for each device what was alive at the moment that matters, and whose it was.
#pragma once
#include <optional>
#include <vector>

#include "headroom/snapshot/owners.hpp"

namespace headroom::snapshot {

/// The moment that is looked at.
enum class Moment : std::uint8_t {
  dump,    ///< no history: when the snapshot was taken
  peak,    ///< no failure: when most was alive
  failure  ///< the last allocation that failed
};

struct DeviceStory {
  Usage usage;  ///< at the dump
  History history;
  Moment moment = Moment::dump;
  std::size_t event = at_dump;  ///< of the moment, or at_dump, or before_first
  std::uint64_t time_us = 0;
  std::uint64_t live = 0;  ///< bytes alive at the moment, as requested
  std::vector<Live> groups;
  std::vector<Owner> owners;
  ByUse uses{};
  std::optional<Failure> failure;
  Place failed_at;  ///< of the failed allocation
  /// Events behind the failure: segments and blocks are those of a later time.
  std::size_t events_after_failure = 0;
};

struct Story {
  std::vector<DeviceStory> devices;
  std::size_t chosen = 0;  ///< in `devices`: the one that failed last, else the fullest
  [[nodiscard]] const DeviceStory* main() const { return devices.empty() ? nullptr : &devices[chosen]; }
};

[[nodiscard]] Story tell(const Snapshot& snapshot, const schema::LogTable& frames,
                         const schema::OwnerTable& owners);

/// Live memory of one owner in two snapshots.
struct Change {
  Place place;
  std::string file, function;  ///< of the owner's frame; empty: none recorded
  std::uint64_t before = 0, after = 0;
  std::size_t count_before = 0, count_after = 0;
  [[nodiscard]] std::int64_t grown() const {
    return static_cast<std::int64_t>(after) - static_cast<std::int64_t>(before);
  }
};

/// Owners of both, those that changed most first. Devices are matched by number.
struct Comparison {
  std::uint32_t device = 0;
  std::vector<Change> changes;
  ByUse before{}, after{};
};
struct Compared {
  const Snapshot& snapshot;
  const Story& story;
};
[[nodiscard]] std::vector<Comparison> compare(const Compared& before, const Compared& after,
                                              const schema::LogTable& frames,
                                              const schema::OwnerTable& owners);

}  // namespace headroom::snapshot

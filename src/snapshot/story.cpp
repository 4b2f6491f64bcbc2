#include "headroom/snapshot/story.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <tuple>

namespace headroom::snapshot {
namespace {

void choose_moment(DeviceStory& story) {
  const History& history = story.history;
  if (!history.failures.empty()) {
    story.moment = Moment::failure;
    story.failure = history.failures.back();
    story.event = story.failure->event;
    story.time_us = story.failure->time_us;
    story.events_after_failure = history.events - 1 - story.event;
    return;
  }
  if (history.allocations == 0) return;
  story.moment = Moment::peak;
  story.event = history.peak_event;
}

DeviceStory tell_device(const Snapshot& snapshot, std::uint32_t device, const schema::LogTable& frames,
                        const schema::OwnerTable& table) {
  DeviceStory out;
  out.usage = usage(snapshot, device);
  out.history = history(snapshot, device);
  choose_moment(out);
  const auto trace = snapshot.trace(device);
  if (out.event < trace.size()) out.time_us = trace[out.event].time_us;
  out.groups = live(snapshot, device, out.event);
  for (const Live& group : out.groups) out.live += group.bytes;
  const Places places(snapshot, frames, table, out.groups);
  out.owners = owners(places, snapshot, out.groups);
  out.uses = by_use(out.owners);
  if (out.failure) out.failed_at = places.at(out.failure->stack);
  return out;
}

/// Owners of two snapshots by what their names say: numbers of frames differ from file to file.
class Joined {
 public:
  void add(const Snapshot& snapshot, const DeviceStory& story, const schema::LogTable& frames,
           const schema::OwnerTable& table, bool after) {
    const Places places(snapshot, frames, table, story.groups);
    for (const Owner& owner : story.owners) {
      std::string file, function;
      if (owner.place.frame) {
        file = places.short_path(*owner.place.frame);
        function = snapshot.text(snapshot.frames[*owner.place.frame].function);
      }
      const auto key = std::tuple(file, function, owner.place.use, owner.place.phase, owner.place.module);
      Change& change = found_[key];
      change.place = owner.place;
      change.file = file;
      change.function = function;
      (after ? change.after : change.before) += owner.bytes;
      (after ? change.count_after : change.count_before) += owner.count;
    }
  }

  [[nodiscard]] std::vector<Change> changes() const {
    std::vector<Change> out;
    for (const auto& [key, change] : found_) out.push_back(change);
    std::stable_sort(out.begin(), out.end(), [](const Change& a, const Change& b) {
      return std::abs(a.grown()) > std::abs(b.grown());
    });
    return out;
  }

 private:
  std::map<std::tuple<std::string, std::string, MemoryUse, LogPhase, std::string_view>, Change> found_;
};

}  // namespace

Story tell(const Snapshot& snapshot, const schema::LogTable& frames, const schema::OwnerTable& owners) {
  Story out;
  for (const std::uint32_t device : devices(snapshot))
    out.devices.push_back(tell_device(snapshot, device, frames, owners));
  const auto weight = [](const DeviceStory& story) {
    return std::pair(story.failure ? story.failure->time_us + 1 : 0, story.usage.reserved);
  };
  for (std::size_t i = 1; i < out.devices.size(); ++i)
    if (weight(out.devices[i]) > weight(out.devices[out.chosen])) out.chosen = i;
  return out;
}

std::vector<Comparison> compare(const Compared& before, const Compared& after, const schema::LogTable& frames,
                                const schema::OwnerTable& owners) {
  std::vector<Comparison> out;
  for (const DeviceStory& now : after.story.devices) {
    Comparison& comparison = out.emplace_back();
    comparison.device = now.usage.device;
    comparison.after = now.uses;
    Joined joined;
    joined.add(after.snapshot, now, frames, owners, true);
    for (const DeviceStory& then : before.story.devices) {
      if (then.usage.device != now.usage.device) continue;
      comparison.before = then.uses;
      joined.add(before.snapshot, then, frames, owners, false);
    }
    comparison.changes = joined.changes();
  }
  return out;
}

}  // namespace headroom::snapshot

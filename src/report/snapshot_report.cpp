// What the printers of a snapshot share.
#include <fmt/format.h>

#include <algorithm>

#include "headroom/report/snapshot.hpp"

namespace headroom::report {
namespace {

SnapshotDevice device_of(const snapshot::Snapshot& snapshot, const snapshot::DeviceStory& story,
                         const schema::LogTable& frames, const schema::OwnerTable& owners) {
  SnapshotDevice out;
  out.story = &story;
  out.flame = snapshot::flame(snapshot, frames, owners, story, std::max<std::uint64_t>(1, story.live / 1000));
  const snapshot::Places places(snapshot, frames, owners, story.groups);
  for (const snapshot::Owner& owner : story.owners) {
    std::string where;
    if (owner.place.frame) {
      const snapshot::Frame& frame = snapshot.frames[*owner.place.frame];
      where = fmt::format("{}:{} {}", places.short_path(*owner.place.frame), frame.line,
                          snapshot.text(frame.function));
    }
    out.owner_places.push_back(std::move(where));
  }
  return out;
}

}  // namespace

SnapshotReport snapshot_report(const snapshot::Snapshot& snapshot, const snapshot::Story& story,
                               const schema::LogTable& frames, const schema::OwnerTable& owners) {
  SnapshotReport out;
  out.snapshot = &snapshot;
  if (story.main() == nullptr) return out;
  out.devices.push_back(device_of(snapshot, *story.main(), frames, owners));
  for (std::size_t i = 0; i < story.devices.size(); ++i)
    if (i != story.chosen) out.devices.push_back(device_of(snapshot, story.devices[i], frames, owners));
  return out;
}

}  // namespace headroom::report

// Reads bytes as a memory snapshot and, where they are one, follows every number in it: ids exist, blocks lie
// in their segments, and whoever is alive at a moment adds up.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "headroom/snapshot/flame.hpp"
#include "headroom/snapshot/read.hpp"
#include "headroom/snapshot/story.hpp"

namespace {

using namespace headroom::snapshot;

void require(bool condition) {
  if (!condition) std::abort();
}

void check_stack(const Snapshot& snapshot, StackId id) {
  require(id < snapshot.stack_count());
  for (const std::uint32_t number : snapshot.stack(id)) {
    require(number < snapshot.frames.size());
    (void)snapshot.text(snapshot.frames[number].file);
    (void)snapshot.text(snapshot.frames[number].function);
  }
}

void check_tables(const Snapshot& snapshot) {
  for (const Segment& segment : snapshot.segments) {
    std::uint64_t sum = 0;
    for (const Block& block : snapshot.blocks_of(segment)) {
      sum += block.bytes;
      check_stack(snapshot, block.stack);
    }
    require(sum <= segment.bytes);
  }
  for (std::size_t device = 0; device < snapshot.traces.size(); ++device) {
    for (const Event& event : snapshot.trace(device)) {
      require(event.stream < snapshot.streams.size());
      check_stack(snapshot, event.stack);
    }
  }
}

void check_story(const Snapshot& snapshot) {
  const auto& frames = headroom::schema::embedded_log_table();
  const auto& table = headroom::schema::embedded_owner_table();
  const Story story = tell(snapshot, frames, table);
  for (const DeviceStory& device : story.devices) {
    std::uint64_t sum = 0;
    for (const Owner& owner : device.owners) sum += owner.bytes;
    require(sum == device.live);
    require(device.usage.free() + device.usage.active() <= device.usage.reserved);
    (void)flame(snapshot, frames, table, device, 1);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Limits limits;
  limits.memory_bytes = 64U << 20U;
  const auto read =
      headroom::snapshot::read(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz", limits);
  if (!read) {
    require(read.error().message.starts_with("byte "));
    return 0;
  }
  check_tables(*read);
  check_story(*read);
  return 0;
}

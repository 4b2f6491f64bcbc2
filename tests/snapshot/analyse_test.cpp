// Figures of segments, blocks and history.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "headroom/snapshot/analyse.hpp"
#include "pickle.hpp"
#include "support.hpp"

namespace headroom::snapshot::test {
namespace {

std::uint64_t sum(const std::vector<Live>& groups) {
  std::uint64_t out = 0;
  for (const Live& group : groups) out += group.bytes;
  return out;
}

/// A snapshot of one device built from tables.
class Made {
 public:
  Made() { out_.traces.push_back({0, 0}); }
  Made& segment(std::uint64_t address, std::uint64_t bytes, PoolId pool = {}, std::uint64_t stream = 0) {
    Segment segment;
    segment.address = address;
    segment.bytes = bytes;
    segment.pool = pool;
    segment.stream = stream;
    segment.first_block = static_cast<std::uint32_t>(out_.blocks.size());
    out_.segments.push_back(segment);
    at_ = address;
    return *this;
  }
  Made& block(std::uint64_t bytes, BlockState state, std::uint64_t requested = 0) {
    out_.blocks.push_back({at_, bytes, requested == 0 ? bytes : requested, no_stack, state});
    at_ += bytes;
    ++out_.segments.back().block_count;
    return *this;
  }
  Made& event(Action action, std::uint64_t address, std::uint64_t bytes) {
    Event event;
    event.action = action;
    event.address = address;
    event.bytes = bytes;
    out_.events.push_back(event);
    ++out_.traces[0].count;
    return *this;
  }
  [[nodiscard]] const Snapshot& get() const { return out_; }

 private:
  Snapshot out_;
  std::uint64_t at_ = 0;
};

}  // namespace

TEST_CASE("allocated, reserved and replayed peak of real snapshots") {
  for (const auto& entry : nlohmann::json::parse(file("index.json"))) {
    CAPTURE(entry["file"]);
    const auto read = snapshot::read(file(entry["file"]), "x");
    REQUIRE(read);
    REQUIRE(devices(*read) == std::vector<std::uint32_t>{0});
    const Usage u = usage(*read, 0);
    CHECK(u.reserved == entry["reserved_bytes"]);
    CHECK(u.allocated == entry["allocated_bytes"]);
    CHECK(u.active() == entry["active_bytes"]);
    CHECK(u.segments == entry["segments"]);
    CHECK(u.blocks == entry["blocks"]);
    CHECK(u.reserved == u.active() + u.free());
    const History h = history(*read, 0);
    CHECK(h.events == entry["trace_events"]);
    CHECK(h.failure_count == entry["oom_events"]);
    CHECK(h.peak_from_zero == entry["trace_peak_bytes_from_zero"]);
    // One allocation of one byte came before the history, and its block is still there.
    CHECK(h.before == 1);
    CHECK(h.peak == h.peak_from_zero + 1);
    CHECK(sum(live(*read, 0, h.peak_event)) == h.peak);
    CHECK(sum(live(*read, 0, at_dump)) == u.requested);
    CHECK(sum(live(*read, 0, before_first)) == 1);
    REQUIRE_FALSE(h.levels.empty());
    CHECK(h.levels.size() <= 400);
    const auto higher = [](const Level& a, const Level& b) { return a.live < b.live; };
    const auto highest = std::max_element(h.levels.begin(), h.levels.end(), higher);
    CHECK(highest->live == h.peak);
    CHECK(highest->event == h.peak_event);
    // All segments came while the history ran; one small one before it.
    for (const Level& level : h.levels) CHECK(level.reserved >= level.live);
  }
}

TEST_CASE("free memory by what can be done with it") {
  Made made;
  made.segment(0x1000, 100).block(40, BlockState::allocated, 33).block(60, BlockState::inactive);
  made.segment(0x2000, 50).block(50, BlockState::inactive);
  made.segment(0x3000, 70, {0, 3}, 7).block(30, BlockState::pending_free).block(40, BlockState::inactive);
  const Usage u = usage(made.get(), 0);
  CHECK(u.reserved == 220);
  CHECK(u.allocated == 40);
  CHECK(u.pending_free == 30);
  CHECK(u.rounding() == 7);
  CHECK(u.inactive_split == 100);
  CHECK(u.releasable == 50);
  CHECK(u.largest_free == 60);
  CHECK(u.free_blocks == 3);
  REQUIRE(u.pools.size() == 2);
  CHECK(u.pools[0].reserved == 150);
  CHECK(u.pools[1].pool == PoolId{0, 3});
  CHECK(u.pools[1].stream == 7);
  CHECK(u.pools[1].free() == 40);
}

TEST_CASE("a history that lost its beginning counts back from its end") {
  // 100 were allocated before and stay, 50 were allocated before and are freed at the end of the history.
  Made made;
  made.segment(0x1000, 400).block(100, BlockState::allocated).block(30, BlockState::allocated);
  made.block(270, BlockState::inactive);
  made.event(Action::free_completed, 0x9000, 7);
  made.event(Action::alloc, 0x1064, 30).event(Action::alloc, 0x5000, 200);
  made.event(Action::free_completed, 0x5000, 200).event(Action::free_completed, 0x8000, 50);
  const History h = history(made.get(), 0);
  CHECK(h.before == 157);
  CHECK(h.before_unknown == 57);
  CHECK(h.before_count == 3);
  CHECK(h.peak_from_zero == 230);
  CHECK(h.peak == 157 - 7 + 230);
  CHECK(h.peak_event == 2);
  const auto at_peak = live(made.get(), 0, h.peak_event);
  CHECK(sum(at_peak) == h.peak);
  const auto unknown =
      std::find_if(at_peak.begin(), at_peak.end(), [](const Live& group) { return group.before_history; });
  REQUIRE(unknown != at_peak.end());
  CHECK(unknown->bytes == 50);
  CHECK(sum(live(made.get(), 0, at_dump)) == 130);
}

TEST_CASE("the peak can lie before the history's first event") {
  Made made;
  made.segment(0x1000, 10).block(10, BlockState::allocated);
  made.event(Action::free_completed, 0x5000, 90);
  const History h = history(made.get(), 0);
  CHECK(h.peak == 100);
  CHECK(h.peak_event == before_first);
  CHECK(sum(live(made.get(), 0, before_first)) == 100);
}

TEST_CASE("a history without completed frees counts the requests") {
  Made made;
  made.event(Action::alloc, 1, 10).event(Action::free_requested, 1, 10).event(Action::alloc, 2, 10);
  CHECK(history(made.get(), 0).peak_from_zero == 10);
}

TEST_CASE("failures, and segments over time") {
  Made made;
  made.segment(0x1000, 100).block(100, BlockState::inactive);
  made.event(Action::segment_alloc, 0x1000, 100).event(Action::segment_map, 0x2000, 300);
  made.event(Action::oom, 77, 1000).event(Action::segment_unmap, 0x2000, 300);
  const History h = history(made.get(), 0);
  REQUIRE(h.failures.size() == 1);
  CHECK(h.failures[0].tried == 1000);
  CHECK(h.failures[0].device_free == 77);
  CHECK(h.failures[0].event == 2);
  CHECK(h.peak_reserved == 400);
}

TEST_CASE("pools of CUDA graphs are told apart") {
  Made made;
  made.segment(0x1000, 100, {1, 0}).block(100, BlockState::allocated);
  made.segment(0x2000, 50, {0, 4}).block(50, BlockState::allocated);
  made.event(Action::alloc, 0x1000, 100);
  const auto now = live(made.get(), 0, at_dump);
  REQUIRE(now.size() == 2);
  CHECK(now[0].graph_pool);
  CHECK(now[1].shared_pool);
  CHECK(live(made.get(), 0, 0)[0].graph_pool);
}

}  // namespace headroom::snapshot::test

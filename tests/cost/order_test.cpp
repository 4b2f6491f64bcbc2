// The order of measured runs, and docs/cost-accuracy.md.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "runs.hpp"

using namespace headroom;

namespace {

std::vector<test::TimedRun> measured_runs() {
  std::ifstream in(HEADROOM_SOURCE_DIR "/tests/data/cost/runs.jsonl");
  REQUIRE(in);
  return test::read_timed_runs(in);
}

}  // namespace

TEST_CASE("step times of measured runs come in the right order", "[cost]") {
  const auto runs = measured_runs();
  for (const auto& run : runs) {
    INFO(run.id);
    CHECK(run.unreadable.empty());
  }
  for (const std::string origin : {"Megatron-LM's CI", "Megatron Bridge's documents"}) {
    const auto order = test::order_of(runs, origin);
    INFO(origin << ": " << order.right << " right, " << order.wrong << " wrong");
    REQUIRE(order.right + order.wrong > 100);
    CHECK(order.right >= 0.85 * (order.right + order.wrong));
  }
}

TEST_CASE("CUDA graphs of attention and router save what was measured", "[cost]") {
  const auto runs = measured_runs();
  const auto run = [&](const std::string& id) {
    const auto it = std::ranges::find(runs, id, &test::TimedRun::id);
    REQUIRE(it != runs.end());
    return *it;
  };
  for (const std::string model : {"qwen3-30b", "gpt-oss-20b"}) {
    INFO(model);
    const auto eager = run("cudagraph-" + model + "-eager"), graphs = run("cudagraph-" + model + "-te");
    CHECK(cost::ratio(eager.modelled, graphs.modelled).value ==
          Approx(graphs.seconds / eager.seconds).margin(0.05));
  }
}

TEST_CASE("docs/cost-accuracy.md is what the runs say", "[cost][page]") {
  const std::string path = HEADROOM_SOURCE_DIR "/docs/cost-accuracy.md";
  const std::string now = test::order_page(measured_runs());
  if (std::getenv("HEADROOM_UPDATE_GOLDENS") != nullptr) std::ofstream(path, std::ios::binary) << now;
  std::ifstream in(path, std::ios::binary);
  const std::string written{std::istreambuf_iterator<char>(in), {}};
  const bool same = written == now;
  CHECK(same);
}
